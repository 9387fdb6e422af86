import { useState } from 'react';
import { useParams } from 'react-router';
import type { InvitationDetails } from '../../../contracts/transfers/invitations.ts';
import { GuestFrame } from '../../components/guest-frame.tsx';
import { createBrowserTransport } from '../../uploading/upload-transport.ts';
import { ClosedInvitation } from './closed-invitation.tsx';
import { CodeStep } from './code-step.tsx';
import { EmailStep } from './email-step.tsx';
import { FilesStep } from './files-step.tsx';
import { LoadingInvitation } from './loading-invitation.tsx';
import { useInvitation } from './use-invitation.ts';
import type { GoTo, Visit } from './visit.ts';

/** Where outsiders send files to who invited them (specification section 2, "Public upload page"). */
export function VisitorUploadPage() {
  const { token = '' } = useParams();
  return <InvitationVisit key={token} token={token} />;
}

function InvitationVisit({ token }: { token: string }) {
  const { details, error, refresh, noticeRefusal } = useInvitation(token);
  return (
    <GuestFrame
      credit="Received with Sendwell, which loses nothing on the way."
      isLoading={!details && !error}
    >
      {error ? (
        <ClosedInvitation error={error} isSudden={details !== undefined} onRetry={refresh} />
      ) : details ? (
        <OpenInvitation {...{ token, details, noticeRefusal }} />
      ) : (
        <LoadingInvitation />
      )}
    </GuestFrame>
  );
}

type OpenInvitationProps = {
  token: string;
  details: InvitationDetails;
  noticeRefusal: (error: unknown) => void;
};

/** E-mail, code, files, one after the other; whoever proved an address before begins with the files. */
function OpenInvitation({ token, details, noticeRefusal }: OpenInvitationProps) {
  // One for all deliveries: it keeps the worker that reads files.
  const [transport] = useState(() => createBrowserTransport({ invitationToken: token }));
  const [visit, setVisit] = useState<Visit>(() => beginVisit(details));
  const goTo: GoTo = (next) => {
    setVisit({ ...next, isFirst: false });
    window.scrollTo({ top: 0 });
  };
  const shared = { token, details, goTo, onRefused: noticeRefusal };
  if (visit.step === 'email') return <EmailStep {...shared} visit={visit} />;
  if (visit.step === 'code') return <CodeStep {...shared} visit={visit} />;
  return <FilesStep {...shared} visit={visit} transport={transport} />;
}

function beginVisit({ visitor }: InvitationDetails): Visit {
  return visitor
    ? { step: 'files', email: visitor.email, isFirst: true }
    : { step: 'email', email: '', isFirst: true };
}
