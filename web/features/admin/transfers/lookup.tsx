import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { lookUp, type Whereabouts } from '../../../../contracts/admin/lookup.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { SearchField } from '../../../components/form/search-field.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { AdminSection } from '../admin-page.tsx';
import { useView } from '../lists/use-view.ts';
import { CAUSE_WORDS, describeState, findEnd } from './lookup-words.ts';

const LONGEST_LINK = 2_000;

export function Lookup() {
  const { view, change } = useView(['q'] as const);
  const field = useRef<HTMLInputElement>(null);
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(lookUp, { query: { q: view.q } }),
    enabled: view.q !== '',
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
  });
  return (
    <AdminSection
      title={t`What happened to it?`}
      description={t`Paste a share link, a share token, or the ID of a transfer or upload. Records of ended transfers are kept for 90 days.`}
    >
      <search className="flex max-w-[44rem]">
        <SearchField
          label={t`Look up a transfer or upload`}
          placeholder={t`Link, token or ID`}
          maxLength={LONGEST_LINK}
          search={view.q}
          onSearch={(q) => change({ q })}
          isSearching={isFetching}
          field={field}
        />
      </search>
      <div aria-live="polite" className="mt-6 max-w-[44rem]">
        {view.q !== '' && data && <Found found={data} />}
        {view.q !== '' && !data && error && !isFetching && (
          <LoadFailure
            message={t`The answer couldn't be loaded.`}
            error={error}
            onRetry={() => void refetch()}
          />
        )}
        {view.q !== '' && !data && isFetching && (
          <SkeletonGroup label={t`Looking it up`}>
            <Skeleton className="h-40" />
          </SkeletonGroup>
        )}
      </div>
    </AdminSection>
  );
}

const BAD: Whereabouts['state'][] = ['expired', 'taken-down', 'blocked', 'removing', 'gone'];

function Found({ found }: { found: Whereabouts }) {
  const { badge, sentence } = describeState(found);
  const end = found.state === 'gone' || found.state === 'removing' ? findEnd(found) : undefined;
  const tone = BAD.includes(found.state) ? 'danger' : found.kind ? 'accent' : 'neutral';
  return (
    <section aria-label={t`Result`} className="rounded-lg border border-line bg-surface p-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="text-base font-medium">{titleOf(found)}</h3>
        <Badge tone={tone}>{badge}</Badge>
      </div>
      <p className="mt-2 text-sm text-ink-soft">
        {end ? `${CAUSE_WORDS[end.cause]}, ${formatDateTime(end.at)}.` : sentence}
      </p>
      <Facts found={found} />
      {found.history.length > 0 && (
        <>
          <h4 className="mt-5 text-sm font-medium">
            <Trans>What happened</Trans>
          </h4>
          <ol className="mt-2 flex flex-col gap-1.5 text-sm">
            {found.history.map(({ cause, at }) => (
              <li key={`${cause} ${at}`} className="flex flex-wrap gap-x-4">
                <time dateTime={at} className="tabular w-44 shrink-0 text-ink-faint">
                  {formatDateTime(at)}
                </time>
                <span className="min-w-0">{CAUSE_WORDS[cause]}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function titleOf({ kind }: Whereabouts): string {
  if (kind === null) return t`Nothing found`;
  return kind === 'transfer' ? t`Transfer` : t`Upload`;
}

function Facts({ found }: { found: Whereabouts }) {
  const { transferId, uploadId, owner, sizeBytes, receivedBytes } = found;
  const facts: [string, ReactNode][] = [];
  const add = (label: string, value: ReactNode) => value && facts.push([label, value]);
  add(t`Owner`, owner ?? (found.kind && t`Account no longer exists`));
  add(t`Size`, sizeBytes !== null && describeSize(sizeBytes, receivedBytes));
  add(
    found.state === 'complete' ? t`Arrived` : t`Created`,
    found.createdAt && formatDateTime(found.createdAt),
  );
  add(t`Last activity`, found.lastActivityAt && formatDateTime(found.lastActivityAt));
  add(
    found.state === 'expired' ? t`Expired` : t`Expires`,
    found.expiresAt && formatDateTime(found.expiresAt),
  );
  add(t`Transfer ID`, transferId && <code className="text-sm wrap-anywhere">{transferId}</code>);
  add(t`Upload ID`, uploadId && <code className="text-sm wrap-anywhere">{uploadId}</code>);
  if (facts.length === 0) return null;
  return (
    <dl className="mt-4 grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-2">
      {facts.map(([label, value]) => (
        <div key={label} className="min-w-0">
          <dt className="text-xs text-ink-faint">{label}</dt>
          <dd className="mt-0.5 text-sm">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function describeSize(sizeBytes: number, receivedBytes: number | null): string {
  if (receivedBytes === null) return formatSize(sizeBytes);
  return t`${formatSize(sizeBytes)}, at least ${formatSize(receivedBytes)} received`;
}
