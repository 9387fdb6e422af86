import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useParams } from 'react-router';
import { ApiError } from '../../../client/api-error.ts';
import { getInvitationDetails, type InvitationDetails } from '../../../contracts/transfers/invitations.ts';
import { queryOf } from '../../api/endpoint-query.ts';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { GuestFrame } from '../../components/layout/guest-frame.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { createBrowserTransport } from '../../uploading/engine/upload-transport.ts';
import { ClosedInvitation } from './closed-invitation.tsx';
import { CodeStep } from './code-step.tsx';
import { EmailStep } from './email-step.tsx';
import { FilesStep } from './files-step.tsx';
import type { GoTo, Visit } from './step.tsx';

/** The page where visitors upload files to an invitation. */
export function VisitorUploadPage() {
  const { token = '' } = useParams();
  return <InvitationVisit key={token} token={token} />;
}

function InvitationVisit({ token }: { token: string }) {
  const { details, error, refresh, handleRefusal } = useInvitation(token);
  return (
    <GuestFrame credit={t`Received with Sendwell`} isLoading={!details && !error}>
      {error ? (
        <ClosedInvitation error={error} isSudden={details !== undefined} onRetry={refresh} />
      ) : details ? (
        <OpenInvitation {...{ token, details, handleRefusal }} />
      ) : (
        <LoadingInvitation />
      )}
    </GuestFrame>
  );
}

type OpenInvitationProps = {
  token: string;
  details: InvitationDetails;
  handleRefusal: (error: unknown) => void;
};

/** Three steps: email, code, files. Visitors with a verified address start with the files. */
function OpenInvitation({ token, details, handleRefusal }: OpenInvitationProps) {
  // Shared by all deliveries, because it keeps the worker that reads files.
  const [transport] = useState(() => createBrowserTransport({ invitationToken: token }));
  const [visit, setVisit] = useState<Visit>(() => beginVisit(details));
  const goTo: GoTo = (next) => {
    setVisit({ ...next, isFirst: false });
    window.scrollTo({ top: 0 });
  };
  const shared = { token, details, goTo, onRefused: handleRefusal };
  if (visit.step === 'email') return <EmailStep {...shared} visit={visit} />;
  if (visit.step === 'code') return <CodeStep {...shared} visit={visit} />;
  return <FilesStep {...shared} visit={visit} transport={transport} />;
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

type LoadedInvitation = {
  details: InvitationDetails | undefined;
  /** Why the invitation can't be shown, or is closed. */
  error: Error | null;
  refresh: () => void;
  /** Shows that the invitation was closed, if the refusal says so. */
  handleRefusal: (refusal: unknown) => void;
};

function useInvitation(token: string): LoadedInvitation {
  const [closed, setClosed] = useState<ApiError>();
  // Refetched on every visit, because the verified address changes.
  const { data, error, refetch } = useQuery({
    ...queryOf(getInvitationDetails, { params: { token } }),
    staleTime: 0,
    gcTime: 0,
  });
  const refresh = useCallback(() => void refetch(), [refetch]);
  const handleRefusal = useCallback((refusal: unknown) => {
    if (meansClosed(refusal)) setClosed(refusal);
  }, []);
  return { details: data, error: closed ?? error, refresh, handleRefusal };
}

/** The invitation was disabled, expired or deleted since the page opened. */
function meansClosed(refusal: unknown): refusal is ApiError {
  if (!(refusal instanceof ApiError)) return false;
  return refusal.code === 'invitation_closed' || refusal.code === 'invitation_not_found';
}
