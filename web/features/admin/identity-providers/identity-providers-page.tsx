import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { type AdminIdentityProvider, PROVIDERS_MAX } from '../../../../contracts/admin/identity-providers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { AdminPage, AdminSection, Failure } from '../admin-page.tsx';
import { useLast } from '../use-last.ts';
import { RecordPart } from './domain-list.tsx';
import { ProviderCard } from './provider-card.tsx';
import { type OpenProviderForm, ProviderDialog } from './provider-dialog.tsx';
import { type ProviderList, useDeleteProvider, useProviders } from './provider-queries.ts';

/** OpenID Connect providers. */
export function AdminIdentityProvidersPage() {
  const { data, error, isFetching, refetch } = useProviders();
  const [form, setForm] = useState<OpenProviderForm | null>(null);
  const [toDelete, setToDelete] = useState<AdminIdentityProvider | null>(null);
  const add = (
    <Button icon={<Plus aria-hidden="true" />} onClick={() => setForm({})}>
      <Trans>Add provider</Trans>
    </Button>
  );
  return (
    <AdminPage
      title={t`Single sign-on`}
      description={t`Let people sign in with the accounts of your organization. Any provider that speaks OpenID Connect works, such as Entra ID, Google, Keycloak, Authentik or Okta.`}
      action={data && data.providers.length > 0 && data.providers.length < PROVIDERS_MAX && add}
    >
      {!data && error && !isFetching && (
        <Failure title={t`The providers couldn't be loaded`} error={error} onRetry={() => void refetch()} />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label={t`Loading the providers`} className="flex max-w-[56rem] flex-col gap-5">
          <Skeleton className="h-48" />
          <Skeleton className="h-32" />
        </SkeletonGroup>
      )}
      {data && (
        <div className="flex max-w-[56rem] flex-col gap-rhythm">
          {data.providers.length === 0 ? (
            <EmptyState
              icon={<KeyRound />}
              title={t`No sign-in providers yet`}
              description={t`Register Sendwell at your provider with the addresses below, then enter what it gives you.`}
              action={add}
            />
          ) : (
            <AdminSection title={t`Sign-in providers`}>
              <div className="flex flex-col gap-5">
                {data.providers.map((provider) => (
                  <ProviderCard
                    key={provider.id}
                    provider={provider}
                    onEdit={() => setForm({ provider })}
                    onDelete={() => setToDelete(provider)}
                  />
                ))}
              </div>
            </AdminSection>
          )}
          <Addresses list={data} />
        </div>
      )}
      <ProviderDialog form={form} onClose={() => setForm(null)} />
      <Deletion provider={toDelete} onClose={() => setToDelete(null)} />
    </AdminPage>
  );
}

function Addresses({ list }: { list: ProviderList }) {
  const { redirectUri, backchannelLogoutUri, postLogoutRedirectUri } = list;
  return (
    <AdminSection
      title={t`Addresses to enter at the provider`}
      description={t`The redirect URI is needed; the others let people sign out at both places at once.`}
    >
      <dl className="flex flex-col gap-4 text-sm">
        <RecordPart name={t`Redirect URI`} text={redirectUri} label={t`Copy the redirect URI`} />
        <RecordPart
          name={t`Redirect URI after signing out`}
          text={postLogoutRedirectUri}
          label={t`Copy the redirect URI after signing out`}
        />
        <RecordPart
          name={t`Back-channel logout URI`}
          text={backchannelLogoutUri}
          label={t`Copy the back-channel logout URI`}
        />
      </dl>
    </AdminSection>
  );
}

type DeletionProps = { provider: AdminIdentityProvider | null; onClose: () => void };

function Deletion({ provider, onClose }: DeletionProps) {
  const { mutate, isPending } = useDeleteProvider();
  const shown = useLast(provider ?? undefined);
  if (!shown) return null;
  const { name, linkedAccounts } = shown;
  return (
    <ConfirmDialog
      title={t`Delete ${name}?`}
      description={
        linkedAccounts === 0
          ? t`No account is linked to it. This cannot be undone.`
          : plural(linkedAccounts, {
              one: '# person is linked to it and is signed out where they signed in with it. Without a password, this person must reset it to get in again. This cannot be undone.',
              other:
                '# people are linked to it and are signed out where they signed in with it. Those without a password must reset it to get in again. This cannot be undone.',
            })
      }
      confirmLabel={t`Delete provider`}
      isDestructive
      isOpen={provider !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(shown, { onSettled: onClose })}
    />
  );
}
