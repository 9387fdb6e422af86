import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { refusalText } from '../../../../client/api-error.ts';
import {
  BACKGROUND_MAX_BYTES,
  getBackgroundUrl,
  removeBackground,
  setBackground,
} from '../../../../contracts/accounts/backgrounds.ts';
import { errorMessage } from '../../../../contracts/errors.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { sendForm } from '../../../api/send-form.ts';
import { toast } from '../../../components/feedback/toast.ts';

const KEY = ['/api/user/background-url'];

/** A picture being uploaded. */
export type Sending = { file: File; sentShare: number; cancel: () => void };

/** The user's background with its actions; toasts report their outcome. */
export function useBackground() {
  const client = useQueryClient();
  const query = useQuery({ queryKey: KEY, queryFn: () => call(getBackgroundUrl), staleTime: 0 });
  const show = (url: string | null) => client.setQueryData(KEY, { url });
  const { sending, send } = useUpload(show);
  const removal = useMutation({
    mutationFn: () => call(removeBackground),
    onSuccess: () => {
      show(null);
      toast({ title: 'Background Removed', description: 'Your download pages have their usual look again.' });
    },
    onError: (error) =>
      toast({ title: 'Remove Failed', description: refusalText(error), variant: 'destructive' }),
  });
  return {
    url: query.data?.url,
    error: query.error,
    refetch: query.refetch,
    sending,
    send,
    /** Resolves on failure too. */
    remove: () => removal.mutateAsync().catch(() => undefined),
    isRemoving: removal.isPending,
  };
}

function useUpload(show: (url: string | null) => void) {
  const [sending, setSending] = useState<Sending>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const send = async (file: File) => {
    const refusal = findRefusal(file);
    if (refusal) return toast({ ...refusal, variant: 'destructive' });
    const controller = new AbortController();
    running.current = controller;
    const cancel = () => controller.abort();
    setSending({ file, sentShare: 0, cancel });
    try {
      const form = new FormData();
      form.append('background', file);
      const { url } = await sendForm(setBackground, form, {
        signal: controller.signal,
        onProgress: (sentShare) => setSending({ file, sentShare, cancel }),
      });
      show(url);
      toast({ title: 'Background Updated', description: 'Your download pages show it from now on.' });
    } catch (error) {
      if (controller.signal.aborted) return;
      toast({ title: 'Upload Failed', description: refusalText(error), variant: 'destructive' });
    } finally {
      setSending(undefined);
    }
  };
  return { sending, send };
}

/** Client-side pre-check; the server verifies the file type. */
function findRefusal({ type, size }: File): { title: string; description: string } | undefined {
  if (!type.startsWith('image/') || type.startsWith('image/svg'))
    return { title: 'Invalid File', description: errorMessage('invalid_image') };
  if (size <= BACKGROUND_MAX_BYTES) return undefined;
  return {
    title: 'Upload Failed',
    description: errorMessage('image_too_large', { size: formatSize(BACKGROUND_MAX_BYTES) }),
  };
}
