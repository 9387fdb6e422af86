import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  BACKGROUND_MAX_BYTES,
  getBackgroundUrl,
  removeBackground,
  setBackground,
} from '../../../../contracts/accounts/backgrounds.ts';
import { errorMessage } from '../../../../contracts/errors.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { sendForm } from '../../../api/forms/send-form.ts';
import { queryClient, queryKeyOf } from '../../../api/query-client.ts';
import { useAction } from '../../../api/use-action.ts';
import { toast } from '../../../components/feedback/toast.ts';
import { translateSentence } from '../../../lib/language/sentences.ts';

export type Sending = { file: File; sentShare: number; cancel: () => void };

/** The user's background with its actions; toasts report their outcome. */
export function useBackground() {
  const query = useQuery({ ...queryOf(getBackgroundUrl), staleTime: 0 });
  const show = (url: string | null) => queryClient.setQueryData(queryKeyOf(getBackgroundUrl), { url });
  const { sending, send } = useUpload(show);
  const removal = useAction(removeBackground, {
    onSuccess: () => show(null),
    success: {
      title: t`Background Removed`,
      description: t`Your download pages use the default look again.`,
    },
    failure: t`Remove Failed`,
  });
  return {
    url: query.data?.url,
    error: query.error,
    refetch: query.refetch,
    sending,
    send,
    remove: removal.run,
    isRemoving: removal.isPending,
  };
}

function useUpload(show: (url: string | null) => void) {
  const [sending, setSending] = useState<Sending>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const upload = useAction(
    (file: File) => {
      const { signal } = running.current!;
      const cancel = () => running.current?.abort();
      const onProgress = (sentShare: number) => setSending({ file, sentShare, cancel });
      onProgress(0);
      const form = new FormData();
      form.append('background', file);
      return sendForm(setBackground, form, { signal, onProgress });
    },
    {
      onSuccess: ({ url }) => show(url),
      success: { title: t`Background Updated`, description: t`Your download pages now show it.` },
      failure: t`Upload Failed`,
    },
  );
  const send = async (file: File) => {
    const refusal = findRefusal(file);
    if (refusal) return toast({ ...refusal, variant: 'destructive' });
    running.current = new AbortController();
    await upload.run(file);
    setSending(undefined);
  };
  return { sending, send };
}

/** Client-side pre-check; the server verifies the file type. */
function findRefusal({ type, size }: File): { title: string; description: string } | undefined {
  if (!type.startsWith('image/') || type.startsWith('image/svg'))
    return { title: t`Invalid File`, description: translateSentence(errorMessage('invalid_image')) };
  if (size <= BACKGROUND_MAX_BYTES) return undefined;
  return {
    title: t`Upload Failed`,
    description: translateSentence(
      errorMessage('image_too_large', { size: formatSize(BACKGROUND_MAX_BYTES) }),
    ),
  };
}
