import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { ApiError } from '../../../client/api-error.ts';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { useSession } from '../../api/session/session.ts';
import { Button } from '../../components/actions/button.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { usePlace } from '../../lib/routing.tsx';
import { ArrivalsDialog } from './arrivals-dialog.tsx';
import { InvitationCard } from './invitation-card.tsx';
import { InvitationLinkDialog } from './invitation-dialogs.tsx';
import { CreateInvitationDialog } from './invitation-form-dialog.tsx';
import { useInvitations } from './invitation-queries.ts';
import { Failure, NothingYet, Placeholders, PremiumOffer } from './list-states.tsx';

export function InvitationsPage() {
  usePageTitle(t`Upload Invitations`);
  const { user } = useSession();
  const isIncluded = user ? tierIncludes(user.tier, 'invitations') : false;
  const query = useInvitations(isIncluded);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<Invitation>();
  // The plan may have changed since the session was loaded.
  const isRefused = query.error instanceof ApiError && query.error.status === 402;
  const isOffered = !isIncluded || isRefused;
  const create = () => setCreating(true);
  return (
    <>
      <header className="mb-6 flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-3xl">
          <Trans>Upload Invitations</Trans>
        </h1>
        {!isOffered && (
          <Button icon={<Plus />} onClick={create} data-focus-home>
            <Trans>Create Invitation</Trans>
          </Button>
        )}
      </header>
      {isOffered ? <PremiumOffer /> : <Invitations query={query} onCreate={create} />}
      <CreateInvitationDialog
        isOpen={isCreating && !isOffered}
        onClose={() => setCreating(false)}
        onCreated={setCreated}
      />
      <CreatedLink invitation={created} onClose={() => setCreated(undefined)} />
    </>
  );
}

/** The link of a new invitation, ready to be passed on. Keeps its content while it fades out. */
function CreatedLink({ invitation, onClose }: { invitation: Invitation | undefined; onClose: () => void }) {
  const [last, setLast] = useState(invitation);
  if (invitation && invitation !== last) setLast(invitation);
  if (!last) return null;
  return <InvitationLinkDialog invitation={last} isOpen={invitation !== undefined} onClose={onClose} />;
}

type InvitationsProps = { query: ReturnType<typeof useInvitations>; onCreate: () => void };

function Invitations({ query, onCreate }: InvitationsProps) {
  const { data: invitations, error, isFetching, refetch } = query;
  const arrivals = useOpenArrivals();
  if (!invitations)
    return error && !isFetching ? <Failure error={error} onRetry={refetch} /> : <Placeholders />;
  if (invitations.length === 0) return <NothingYet onCreate={onCreate} />;
  return (
    <>
      <ul aria-label={t`Upload invitations`} className="flex flex-col gap-4">
        {invitations.map((invitation) => (
          <li
            key={invitation.id}
            // Cards far from the viewport aren't laid out.
            className="min-w-0 [contain-intrinsic-height:auto_24rem] [content-visibility:auto]"
          >
            <InvitationCard invitation={invitation} onArrivals={arrivals.open} />
          </li>
        ))}
      </ul>
      <ArrivalsDialog
        invitation={invitations.find(({ id }) => id === arrivals.id)}
        onClose={arrivals.close}
      />
    </>
  );
}

/** State of a history entry that was opened from this page. */
const OPENED = { isOpened: true };

/** Kept in the URL, so that Back closes the dialog, and returns to it from a transfer opened there. */
function useOpenArrivals() {
  const [params, setParams] = useSearchParams();
  const { state } = usePlace();
  const open = useCallback((id: string) => setParams({ arrivals: id }, { state: OPENED }), [setParams]);
  const close = () => {
    if ((state as Partial<typeof OPENED> | null)?.isOpened) window.history.back();
    else setParams({}, { replace: true });
  };
  return { id: params.get('arrivals'), open, close };
}
