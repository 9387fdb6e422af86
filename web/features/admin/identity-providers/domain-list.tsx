import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type {
  AdminIdentityProvider,
  ProviderDomain,
} from '../../../../contracts/admin/identity-providers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useCheckDomain } from './provider-queries.ts';

/** The domains of a provider, with the DNS records that prove them. */
export function DomainList({ provider }: { provider: AdminIdentityProvider }) {
  const check = useCheckDomain(provider);
  return (
    <div className="mt-5 border-t border-line pt-5">
      <h4 className="font-medium">
        <Trans>Email domains</Trans>
      </h4>
      <p className="mt-1 max-w-[40rem] text-sm text-ink-soft">
        <Trans>
          A domain counts as proved while its TXT record exists. People who already have an account under a
          proved domain sign in to it at once; others sign in with their password and link the provider
          themselves.
        </Trans>
      </p>
      <ul aria-label={t`Email domains of ${provider.name}`} className="mt-4 flex flex-col gap-4">
        {provider.domains.map((domain) => (
          <DomainRow
            key={domain.domain}
            domain={domain}
            isChecking={check.isPending && check.variables === domain.domain}
            onCheck={() => !check.isPending && check.mutate(domain.domain)}
          />
        ))}
      </ul>
    </div>
  );
}

type DomainRowProps = { domain: ProviderDomain; isChecking: boolean; onCheck: () => void };

function DomainRow({
  domain: { domain, isProved, checkedAt, problem, record },
  isChecking,
  onCheck,
}: DomainRowProps) {
  return (
    <li className="rounded-md border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <span className="wrap-anywhere">{domain}</span>
          <Badge tone={isProved ? 'accent' : 'outline'}>{isProved ? t`Proved` : t`Not proved`}</Badge>
        </p>
        <Button
          variant="secondary"
          size="sm"
          isBusy={isChecking}
          aria-label={t`Check now: ${domain}`}
          onClick={onCheck}
        >
          <Trans>Check now</Trans>
        </Button>
      </div>
      <p role="status" className="mt-1 text-sm text-ink-soft empty:hidden">
        {describeCheck({ problem, checkedAt, isProved })}
      </p>
      {!isProved && (
        <dl className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-3 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
          <RecordPart name={t`Name of the TXT record`} text={record.name} label={t`Copy the name`} />
          <RecordPart name={t`Its value`} text={record.value} label={t`Copy the value`} />
        </dl>
      )}
    </li>
  );
}

function describeCheck({
  problem,
  checkedAt,
  isProved,
}: Pick<ProviderDomain, 'problem' | 'checkedAt' | 'isProved'>): string | null {
  if (checkedAt === null) return null;
  const when = formatDateTime(checkedAt);
  if (problem === 'missing')
    return t`Checked on ${when}: there is no such record yet. It can take hours until a new record is visible.`;
  if (problem === 'unreachable') return t`Checked on ${when}: the DNS did not answer. Please try again.`;
  return isProved ? t`Checked on ${when}.` : null;
}

export function RecordPart({ name, text, label }: { name: string; text: string; label: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="mt-0.5 flex items-center gap-1">
        <code className="min-w-0 wrap-anywhere">{text}</code>
        <CopyButton text={text} label={label} isIconOnly variant="ghost" size="sm" />
      </dd>
    </div>
  );
}
