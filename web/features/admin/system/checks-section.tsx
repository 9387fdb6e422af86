import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, RefreshCw, TriangleAlert } from 'lucide-react';
import { runSystemChecks, type SystemCheck } from '../../../../contracts/admin/system.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { AdminSection } from '../admin-page.tsx';

/** The server's self-checks: database, storage, mail server, clock and disk. */
export function ChecksSection() {
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(runSystemChecks),
    refetchOnMount: 'always',
  });
  return (
    <AdminSection
      id="checks"
      title={t`Checks`}
      aside={
        data && (
          <Button
            variant="secondary"
            size="sm"
            icon={<RefreshCw aria-hidden="true" />}
            isBusy={isFetching}
            busyLabel={t`Checking...`}
            onClick={() => void refetch()}
          >
            <Trans>Check again</Trans>
          </Button>
        )
      }
    >
      {data && <CheckList label={t`Checks`} checks={data} />}
      {data && !isFetching && <VisuallyHidden isAnnounced>{describeChecks(data)}</VisuallyHidden>}
      {!data && error && !isFetching && (
        <LoadFailure
          message={t`The checks couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label={t`Checking`} className="flex flex-col gap-px">
          {['database', 'storage', 'mail', 'clock', 'disk'].map((name) => (
            <Skeleton key={name} className="h-18" />
          ))}
        </SkeletonGroup>
      )}
    </AdminSection>
  );
}

function describeChecks(checks: SystemCheck[]): string {
  const wrong = checks.filter(({ state }) => state !== 'ok').length;
  return wrong === 0
    ? t`All checks passed`
    : plural(wrong, { one: '# check needs attention', other: '# checks need attention' });
}

const STATES = {
  ok: { Icon: CircleCheck, word: t`All right`, className: 'text-accent-ink' },
  warning: { Icon: TriangleAlert, word: t`Warning`, className: 'text-ink' },
  failed: { Icon: CircleX, word: t`Failed`, className: 'text-danger-ink' },
};

export function CheckList({ label, checks }: { label: string; checks: SystemCheck[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {checks.map(({ name, title, state, found, fix }) => {
        const { Icon, word, className } = STATES[state];
        return (
          <li key={name} data-state={state} className="flex gap-3.5 p-4 sm:px-5">
            <Icon aria-hidden="true" className={`mt-0.5 size-5 shrink-0 ${className}`} />
            <div className="min-w-0 grow">
              <p className="font-medium">
                {title} <span className="sr-only">: {word}</span>
              </p>
              <p className="text-sm wrap-anywhere text-ink-soft">{found}</p>
              {fix && (
                <p className="mt-2.5 rounded-sm border border-line-firm bg-canvas px-3.5 py-2.5 text-sm wrap-anywhere whitespace-pre-line">
                  <span className="font-medium">
                    <Trans>What to do:</Trans>{' '}
                  </span>
                  {fix}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
