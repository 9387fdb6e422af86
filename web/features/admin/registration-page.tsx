import { useQuery } from '@tanstack/react-query';
import { getRegistration } from '../../../contracts/accounts/registration.ts';
import { call } from '../../api/call.ts';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { AccountInvitations } from './account-invitations.tsx';
import { AdminPage } from './admin-page.tsx';
import { Failure } from './admin-states.tsx';
import { RegistrationSettings } from './registration-settings.tsx';

/** Who may register, and the people who were invited to. */
export function AdminRegistrationPage() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [getRegistration.path],
    queryFn: ({ signal }) => call(getRegistration, { signal }),
    refetchOnMount: 'always',
  });
  return (
    <AdminPage
      title="Registration"
      description="Who may create an account. Changes hold at once; people who have an account keep it. You can always create users yourself."
    >
      {data && (
        <div className="flex flex-col gap-rhythm">
          <RegistrationSettings registration={data} />
          <AccountInvitations mode={data.mode} />
        </div>
      )}
      {!data && error && !isFetching && (
        <Failure what="The settings" error={error} onRetry={() => void refetch()} />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label="Loading the settings" className="flex max-w-[40rem] flex-col gap-5">
          <Skeleton className="h-64" />
          <Skeleton className="h-12" />
        </SkeletonGroup>
      )}
    </AdminPage>
  );
}
