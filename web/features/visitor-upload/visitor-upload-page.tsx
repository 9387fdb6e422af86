import { t } from '@lingui/core/macro';
import { useState } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/uploads/invitations.ts';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { GuestFrame } from '../../components/layout/guest-frame.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { createBrowserTransport } from '../../uploading/engine/upload-transport.ts';
import { ClosedInvitation } from './closed-invitation.tsx';
import { CodeStep } from './code-step.tsx';
import { DeliveredStep } from './delivered-step.tsx';
import { EmailStep } from './email-step.tsx';
import { FilesStep } from './files-step.tsx';
import { findKeyProblem, KeylessInvitation } from './keyless-invitation.tsx';
import type { GoTo, Visit } from './step.tsx';
import { useInvitation } from './use-invitation.ts';
import { useInvitationLink } from './use-invitation-link.ts';

/** The page where visitors upload files to an invitation. */
export function VisitorUploadPage() {
  const { token, inboxKey } = useInvitationLink();
  return <InvitationVisit key={token} token={token} inboxKey={inboxKey} />;
}

type VisitProps = {
  token: string;
  /** Of an encrypted invitation. */
  inboxKey: string | undefined;
};

function InvitationVisit({ token, inboxKey }: VisitProps) {
  const { details, error, refresh, ...rest } = useInvitation(token);
  const problem = details && findKeyProblem(details, inboxKey);
  return (
    <GuestFrame credit={t`Received with Sendwell`} isLoading={!details && !error}>
      {error ? (
        <ClosedInvitation error={error} isSudden={details !== undefined} onRetry={refresh} />
      ) : details && problem ? (
        <KeylessInvitation token={token} senderName={details.senderName} problem={problem} />
      ) : details ? (
        <OpenInvitation token={token} inboxKey={inboxKey} details={details} {...rest} />
      ) : (
        <LoadingInvitation />
      )}
    </GuestFrame>
  );
}

type OpenInvitationProps = VisitProps & {
  details: InvitationDetails;
} & Pick<ReturnType<typeof useInvitation>, 'fetchedAt' | 'handleRefusal' | 'announceDelivery'>;

/** Three steps: email, code, files. Visitors with a verified address start with the files, also after a delivery. */
function OpenInvitation(props: OpenInvitationProps) {
  const { token, inboxKey, details, fetchedAt, handleRefusal, announceDelivery } = props;
  // Shared by all deliveries, because it keeps the worker that reads files.
  const [transport] = useState(() => createBrowserTransport({ invitationToken: token }));
  const [visit, setVisit] = useState<Visit>(() => beginVisit(details));
  /** When the details were fetched that don't include the last delivery. */
  const [outdated, setOutdated] = useState<number>();
  const goTo: GoTo = (next) => {
    setVisit({ ...next, isFirst: false });
    window.scrollTo({ top: 0 });
    if (next.step !== 'delivered') return;
    setOutdated(fetchedAt);
    announceDelivery();
  };
  const shared = { token, details, goTo, onRefused: handleRefusal };
  if (visit.step === 'email') return <EmailStep {...shared} visit={visit} />;
  if (visit.step === 'code') return <CodeStep {...shared} visit={visit} />;
  if (visit.step === 'delivered')
    return <DeliveredStep {...shared} visit={visit} isCurrent={fetchedAt !== outdated} />;
  return <FilesStep {...shared} visit={visit} transport={transport} inboxKey={inboxKey} />;
}

function beginVisit({ visitor }: InvitationDetails): Visit {
  return visitor
    ? { step: 'files', email: visitor.email, isFirst: true }
    : { step: 'email', email: '', isFirst: true };
}

export function LoadingInvitation() {
  return (
    <Stage
      isWellForLarge
      isBodyFirst
      head={
        <SkeletonGroup label={t`Loading invitation`}>
          <Skeleton className="h-6 w-64 max-w-full" />
          <Skeleton className="mt-5 h-[0.96em] w-full max-w-[8em] text-display" />
        </SkeletonGroup>
      }
      well={
        <StillWell className="animate-breathe">
          <span />
        </StillWell>
      }
      facts={<Skeleton className="h-64" />}
      body={
        <div className="flex max-w-[26rem] flex-col gap-5">
          <Skeleton className="h-16" />
          <Skeleton className="h-12" />
        </div>
      }
    />
  );
}
