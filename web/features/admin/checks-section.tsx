import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { runSystemChecks, type SystemCheck } from '../../../contracts/admin/system.ts';
import { call } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { AdminSection } from './admin-section.tsx';
import { SmallFailure } from './admin-states.tsx';
import { CheckList } from './check-list.tsx';
import { countOf } from './wording.ts';

/** Database, storage, mail server, clock and disk, looked at from the server. */
export function ChecksSection() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [runSystemChecks.path],
    queryFn: ({ signal }) => call(runSystemChecks, { signal }),
    refetchOnMount: 'always',
  });
  return (
    <AdminSection
      id="checks"
      title="Checks"
      aside={
        data && (
          <Button
            variant="secondary"
            size="sm"
            icon={<RefreshCw aria-hidden="true" />}
            isBusy={isFetching}
            busyLabel="Checking..."
            onClick={() => void refetch()}
          >
            Check again
          </Button>
        )
      }
    >
      {data && <CheckList label="Checks" checks={data} />}
      {data && !isFetching && <VisuallyHidden isAnnounced>{describeChecks(data)}</VisuallyHidden>}
      {!data && error && !isFetching && (
        <SmallFailure what="The checks" error={error} onRetry={() => void refetch()} />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label="Checking" className="flex flex-col gap-px">
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
  return wrong === 0 ? 'All checks passed' : `${countOf(wrong, 'check')} found something`;
}
