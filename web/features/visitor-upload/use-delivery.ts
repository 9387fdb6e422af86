import { useCallback, useState } from 'react';
import { getInvitationDetails, type InvitationDetails } from '../../../contracts/transfers/invitations.ts';
import { call } from '../../api/call.ts';
import { dismissToast, type ToastInput, toast } from '../../components/toast.ts';
import type { EngineState } from '../../uploading/engine-state.ts';
import type { ResumeRecord } from '../../uploading/resume-records.ts';
import type { UploadTransport } from '../../uploading/upload-transport.ts';
import { type Load, useFileIntake } from '../../uploading/use-file-intake.ts';
import { useUnfinished } from '../../uploading/use-unfinished.ts';
import { useUpload } from '../../uploading/use-upload.ts';
import { type UploadCourse, useUploadCourse } from '../../uploading/use-upload-course.ts';
import { findBreachWords } from './invitation-words.ts';
import type { Delivery } from './visit.ts';

const NO_FILES = { title: 'No files selected', description: 'Please select at least one file to upload' };

type DeliveryInput = {
  token: string;
  details: InvitationDetails;
  /** Of this invitation's visitors. */
  transport: UploadTransport;
  /** The proved address. */
  email: string;
  onDelivered: (delivery: Delivery) => void;
  onRefused: (error: unknown) => void;
};

type Delivering = UploadCourse & {
  message: string;
  setMessage: (message: string) => void;
  /** Sends everything of a resumed upload again, and gives back what it held. */
  startAnew: () => void;
};

/** The visitor's course of events, from chosen files to the sender's hands (specification section 8). */
export function useDelivery(input: DeliveryInput): Delivering {
  const { token, details, transport, email, onDelivered, onRefused } = input;
  const [message, setMessage] = useState('');
  const scope = `${token} ${email}`;
  const isKnownAgain = useCallback(async () => {
    const { visitor } = await call(getInvitationDetails, { params: { token } });
    return visitor?.email === email;
  }, [token, email]);
  const upload = useUpload({ transport, scope, isKnownAgain });
  const { engine } = upload;
  const unfinished = useUnfinished({ transport, scope });
  const findBreach = ({ items }: Pick<Load, 'items'>) =>
    findBreachWords(
      items.map(({ name, size }) => ({ name, sizeBytes: size })),
      details,
    );
  const intake = useFileIntake({ upload, transfers: unfinished.transfers, findBreach });

  const tellEnd = ({ phase, refusal, fileCount, totalBytes }: EngineState) => {
    if (phase === 'failed') {
      refuse({ title: 'Upload failed', description: refusal?.detail ?? 'Failed to upload files' });
      onRefused(refusal);
    }
    if (phase !== 'success') return;
    toast({
      title: 'Upload complete!',
      description: `Your ${fileCount.toLocaleString('en')} file(s) have been uploaded successfully. The sender will be notified.`,
    });
    onDelivered({ fileCount, totalBytes, email });
  };

  const send = async () => {
    const breach = findBreach(engine.state);
    if (breach) return refuse(breach);
    // What went wrong the last time is no longer true.
    dismissToast();
    toast({ title: 'Upload started' });
    tellEnd(await upload.start({ message }, intake.roots()));
  };

  const restore = ({ settings }: ResumeRecord) => {
    // What the person is typing now goes before what was written then.
    if (message !== '') return false;
    setMessage(String(settings.message ?? ''));
    return true;
  };

  const course = useUploadCourse({
    upload,
    unfinished,
    intake,
    send,
    noFiles: NO_FILES,
    tellBreach: refuse,
    restore,
  });
  const startAnew = () => {
    const begun = intake.resuming?.transfer;
    intake.startAnew();
    // It would take room that the invitation has for the new one.
    if (begun) void course.discardTransfers([begun]);
  };
  return { ...course, message, setMessage, startAnew };
}

function refuse(input: ToastInput): void {
  toast({ ...input, variant: 'destructive' });
}
