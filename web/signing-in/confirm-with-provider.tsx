import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  beginSsoConfirmation,
  type ExternalIdentity,
  listIdentities,
} from '../../contracts/accounts/sign-in/single-sign-on.ts';
import { queryOf } from '../api/endpoint-query.ts';
import { LoadFailure } from '../api/load-failure.tsx';
import { answerIdentity } from '../api/session/step-up.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/actions/button.tsx';
import { DialogFooter } from '../components/dialogs/dialog.tsx';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { describeDepartureFailure, useDeparture } from './providers.ts';

/** For accounts without password and second factor. */
export function ConfirmWithProvider() {
  const { data: identities, error, refetch } = useQuery({ ...queryOf(listIdentities), staleTime: 0 });
  if (!identities && error)
    return <LoadFailure message={t`We couldn't load this.`} error={error} onRetry={() => void refetch()} />;
  if (!identities) return <Skeleton className="h-24" />;
  const usable = identities.filter(({ isUsable }) => isUsable);
  const isPossible = usable.length > 0;
  return (
    <>
      <p>
        {isPossible ? (
          <Trans>
            You sign in again at your provider and come back to this page. Then repeat what you wanted to do;
            text you haven't saved is lost.
          </Trans>
        ) : (
          <Trans>
            This account has no password, and its sign-in provider is turned off. Please ask your
            administrator.
          </Trans>
        )}
      </p>
      <DialogFooter>
        <Button variant="secondary" onClick={() => answerIdentity(false)}>
          <Trans>Cancel</Trans>
        </Button>
        {usable.map((identity) => (
          <ConfirmButton key={identity.id} identity={identity} variant="primary" />
        ))}
      </DialogFooter>
    </>
  );
}

/** For accounts with a password, whose owners may not know it any more. */
export function ConfirmWithProviderInstead(): ReactNode {
  const { data: identities = [] } = useQuery({ ...queryOf(listIdentities), staleTime: 0 });
  const usable = identities.filter(({ isUsable }) => isUsable);
  if (usable.length === 0) return null;
  return (
    <div className="mt-4 flex flex-col items-center gap-1">
      {usable.map((identity) => (
        <ConfirmButton key={identity.id} identity={identity} variant="ghost" />
      ))}
    </div>
  );
}

type ConfirmButtonProps = { identity: ExternalIdentity; variant: 'primary' | 'ghost' };

function ConfirmButton({ identity: { id, provider }, variant }: ConfirmButtonProps) {
  const { isLeaving, leave } = useDeparture();
  const { mutate, isPending } = useAction(beginSsoConfirmation, {
    onSuccess: ({ url }) => leave(url),
    failure: describeDepartureFailure(t`Not confirmed`, provider.name),
  });
  const begin = () => {
    const { pathname, search, hash } = window.location;
    mutate({ body: { identityId: id, returnTo: pathname + search + hash } });
  };
  return (
    <Button
      variant={variant}
      {...(variant === 'ghost' && { size: 'sm' })}
      data-initial-focus={variant === 'primary' || undefined}
      isBusy={isPending || isLeaving}
      onClick={begin}
    >
      <Trans>Confirm with {provider.name}</Trans>
    </Button>
  );
}
