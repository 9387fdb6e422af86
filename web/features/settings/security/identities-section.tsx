import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { listAccountEvents } from '../../../../contracts/accounts/events.ts';
import { listSessions } from '../../../../contracts/accounts/settings.ts';
import {
  beginLinkIdentity,
  type ExternalIdentity,
  listIdentities,
  type SignInProvider,
  unlinkIdentity,
} from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { formatDate } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { describeDepartureFailure, useDeparture, useSignInProviders } from '../../../signing-in/providers.ts';
import { focusSection, SettingsSection } from '../settings-section.tsx';

const SECTION = 'sign-in-providers';

/** The providers with which the account signs in; nothing where there are none. */
export function IdentitiesSection() {
  const providers = useSignInProviders();
  const { data: identities, error, refetch } = useQuery({ ...queryOf(listIdentities), staleTime: 0 });
  if (!providers || (!identities && !error)) return null;
  if (providers.length === 0 && !identities?.length) return null;
  const linked = new Set(identities?.map(({ provider }) => provider.id));
  const others = providers.filter(({ id }) => !linked.has(id));
  return (
    <SettingsSection
      id={SECTION}
      title={t`Sign-in providers`}
      description={t`Sign in here with an account that you have elsewhere, such as the one at your company.`}
    >
      {!identities && error && (
        <LoadFailure
          message={t`Your sign-in providers couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {identities && identities.length > 0 && (
        <ul aria-label={t`Sign-in providers`} className="flex flex-col divide-y divide-line">
          {identities.map((identity) => (
            <IdentityRow key={identity.id} identity={identity} />
          ))}
        </ul>
      )}
      {identities && others.length > 0 && (
        <div className="flex flex-wrap gap-3 not-first:mt-6">
          {others.map((provider) => (
            <LinkProvider key={provider.id} provider={provider} />
          ))}
        </div>
      )}
    </SettingsSection>
  );
}

function LinkProvider({ provider: { id, name } }: { provider: SignInProvider }) {
  const { isLeaving, leave } = useDeparture();
  const { mutate, isPending } = useAction(beginLinkIdentity, {
    onSuccess: ({ url }) => leave(url),
    failure: describeDepartureFailure(t`Not linked`, name),
  });
  return (
    <Button
      variant="secondary"
      className="whitespace-normal! wrap-anywhere"
      icon={<Plus aria-hidden="true" />}
      isBusy={isPending || isLeaving}
      onClick={() => mutate({ body: { providerId: id } })}
    >
      <Trans>Link {name}</Trans>
    </Button>
  );
}

function IdentityRow({ identity }: { identity: ExternalIdentity }) {
  const { provider, isUsable, email, createdAt, lastUsedAt } = identity;
  const lastUsed = useRelativeTime(lastUsedAt ?? createdAt);
  return (
    <li className="flex items-center gap-4 py-4 first:pt-0 last:pb-0">
      <span
        aria-hidden="true"
        className="grid size-11 shrink-0 place-items-center rounded-full border border-line-firm text-ink-soft"
      >
        <KeyRound strokeWidth={1.5} className="size-5" />
      </span>
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium wrap-anywhere">{provider.name}</span>
          {!isUsable && (
            <Badge>
              <Trans>Turned off</Trans>
            </Badge>
          )}
        </p>
        <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
          {email && <span className="wrap-anywhere">{email}</span>}
          <span>{t`Linked on ${formatDate(createdAt)}`}</span>
          <span>{lastUsedAt ? t`Last used ${lastUsed}` : t`Never used`}</span>
        </p>
      </div>
      <Unlink identity={identity} />
    </li>
  );
}

function Unlink({ identity: { id, provider } }: { identity: ExternalIdentity }) {
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending } = useAction(unlinkIdentity, {
    refreshes: [listIdentities, listSessions, listAccountEvents],
    outdated: [listIdentities],
    onSuccess: () => focusSection(SECTION),
    success: {
      title: t`Sign-in unlinked`,
      description: t`${provider.name} no longer signs in to your account.`,
    },
    failure: t`Not unlinked`,
  });
  const unlink = () => {
    setOpen(false);
    mutate({ params: { id } });
  };
  return (
    <>
      <Button
        variant="secondary"
        size="sm"
        isBusy={isPending}
        aria-label={t`Unlink ${provider.name}`}
        onClick={() => setOpen(true)}
      >
        <Trans>Unlink</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Unlink ${provider.name}?`}
        description={t`You can no longer sign in with it. Devices where you signed in that way are signed out, except this one.`}
        confirmLabel={t`Unlink`}
        isDestructive
        onConfirm={unlink}
      />
    </>
  );
}
