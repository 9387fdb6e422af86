import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId } from 'react';
import type { AdminIdentityProvider } from '../../../../contracts/admin/identity-providers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { DomainList } from './domain-list.tsx';
import { useTestProvider } from './provider-queries.ts';
import { TestResult } from './test-result.tsx';

type ProviderCardProps = {
  provider: AdminIdentityProvider;
  onEdit: () => void;
  onDelete: () => void;
};

export function ProviderCard({ provider, onEdit, onDelete }: ProviderCardProps) {
  const { source, name, issuer, clientId, hasSecret, domains, linkedAccounts } = provider;
  const { mutate, isPending, data } = useTestProvider();
  const titleId = useId();
  const isFixed = source === 'environment';
  return (
    <Surface as="article" aria-labelledby={titleId}>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h3 id={titleId} className="text-lg wrap-anywhere">
            {name}
          </h3>
          <p className="mt-1 text-sm wrap-anywhere text-ink-soft">{issuer}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button
            variant="secondary"
            size="sm"
            isBusy={isPending}
            aria-label={t`Test ${name}`}
            onClick={() => mutate(issuer)}
          >
            <Trans>Test</Trans>
          </Button>
          {!isFixed && (
            <>
              <Button variant="secondary" size="sm" aria-label={t`Edit ${name}`} onClick={onEdit}>
                <Trans>Edit</Trans>
              </Button>
              <Button variant="ghost" size="sm" aria-label={t`Delete ${name}`} onClick={onDelete}>
                <Trans>Delete</Trans>
              </Button>
            </>
          )}
        </div>
      </div>
      <Marks provider={provider} />
      <p className="mt-4 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
        <span className="wrap-anywhere">
          <Trans>Client ID {clientId}</Trans>
        </span>
        <span>{hasSecret ? t`Has a secret` : t`Public client, no secret`}</span>
        <span>{plural(linkedAccounts, { one: '# person linked', other: '# people linked' })}</span>
      </p>
      {isFixed && (
        <p className="mt-4 text-sm text-ink-soft">
          <Trans>
            This provider comes from the environment variables <code>OIDC_…</code>. Change it there and
            restart the server.
          </Trans>
        </p>
      )}
      {data && (
        <div className="mt-4">
          <TestResult result={data} />
        </div>
      )}
      {domains.length > 0 && <DomainList provider={provider} />}
    </Surface>
  );
}

function Marks({ provider }: { provider: AdminIdentityProvider }) {
  const { source, isEnabled, isRequiredForDomains, mayCreateAccounts, trustsSecondFactor } = provider;
  return (
    <p className="mt-3 flex flex-wrap gap-2">
      <Badge tone={isEnabled ? 'accent' : 'danger'}>{isEnabled ? t`On` : t`Turned off`}</Badge>
      {source === 'environment' && <Badge tone="outline">{t`From the environment`}</Badge>}
      {isRequiredForDomains && <Badge tone="outline">{t`Required for its domains`}</Badge>}
      {mayCreateAccounts && <Badge tone="outline">{t`Creates accounts`}</Badge>}
      {trustsSecondFactor && <Badge tone="outline">{t`Its second factor is trusted`}</Badge>}
    </p>
  );
}
