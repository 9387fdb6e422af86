import { t } from '@lingui/core/macro';
import { useRef, useState } from 'react';
import { encryptedSize } from '../../../contracts/transfers/encryption.ts';
import {
  getInvitationDetails,
  type InvitationDetails,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { call } from '../../api/call.ts';
import { toast } from '../../components/feedback/toast.ts';
import type { UploadTransport } from '../../uploading/engine/upload-transport.ts';
import type { UploadState, UploadStore } from '../../uploading/upload-store.ts';
import { useUploadPage, useUploadStore } from '../../uploading/use-upload-store.ts';
import { describeBreach } from './invitation-words.ts';
import type { Delivery } from './step.tsx';

type DeliveryInput = {
  token: string;
  details: InvitationDetails;
  /** For this invitation's visitors. */
  transport: UploadTransport;
  /** The verified address. */
  email: string;
  /** Of an encrypted invitation. */
  inboxKey: string | undefined;
  onDelivered: (delivery: Delivery) => void;
  onRefused: (error: unknown) => void;
};

export type VisitorUpload = {
  store: UploadStore;
  state: UploadState;
  message: string;
  setMessage: (message: string) => void;
  /** Sends a resumed upload from the beginning and deletes what had arrived. */
  startAnew: () => void;
};

/** A visitor's upload, from selected files to the delivery. */
export function useDelivery(input: DeliveryInput): VisitorUpload {
  const { token, details, transport, email, inboxKey, onDelivered, onRefused } = input;
  const scope = `${token} ${email}`;
  const [message, showMessage] = useState('');
  // A resumed upload may start in the same tick in which its message is restored.
  const latestMessage = useRef('');
  const setMessage = (text: string) => {
    latestMessage.current = text;
    showMessage(text);
  };
  const [store, state] = useUploadStore({ transport, scope });
  useUploadPage(store, {
    noFiles: { title: t`No files selected`, description: t`Please select at least one file to upload` },
    findBreach: ({ items }) => {
      const sizeOf = details.encryption ? encryptedSize : (size: number) => size;
      const files = items.map(({ name, size }) => ({ name, sizeBytes: sizeOf(size) }));
      return describeBreach(files, details);
    },
    collectSettings: async () => ({
      message: latestMessage.current,
      // For the manifest: the server gives only readable files the title of the invitation.
      ...(details.encryption && { title: details.title }),
    }),
    encryption: () =>
      details.encryption && inboxKey !== undefined
        ? {
            owner: `visitor ${scope}`,
            password: undefined,
            request: { invitationId: details.encryption.invitationId, invitationToken: token, inboxKey },
          }
        : undefined,
    restoreSettings: ({ settings }) => {
      // What is being typed now takes precedence over the earlier message.
      if (message !== '') return false;
      setMessage(String(settings.message ?? ''));
      return true;
    },
    onStart: () => toast({ title: t`Upload started` }),
    onEnd: ({ phase, refusal, fileCount, totalBytes }) => {
      if (phase === 'failed') {
        const description = refusal?.detail ?? t`Failed to upload files`;
        toast({ title: t`Upload failed`, description, variant: 'destructive' });
        onRefused(refusal);
      }
      if (phase !== 'success') return;
      toast({
        title: t`Upload complete!`,
        description: t`Your ${formatCount(fileCount)} file(s) have been uploaded successfully. The sender will be notified.`,
      });
      onDelivered({ fileCount, totalBytes });
    },
    isSenderKnown: async () => {
      const { visitor } = await call(getInvitationDetails, { params: { token } });
      return visitor?.email === email;
    },
  });

  const startAnew = () => {
    const begun = state.resuming?.transfer;
    store.startAnew();
    // What had arrived would use up the invitation's limits.
    if (begun) void store.discardTransfers([begun]);
  };
  return { store, state, message, setMessage, startAnew };
}
