import { CloudOff, Inbox, Plus } from 'lucide-react';
import { errorDetail } from '../../../client/api-error.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { Surface } from '../../components/surface.tsx';

export function Placeholders() {
  return (
    <SkeletonGroup label="Loading your invitations" className="flex flex-col gap-4">
      {['first', 'second', 'third'].map((name) => (
        <Surface key={name} data-testid="placeholder">
          <div className="flex items-start justify-between gap-6">
            <Skeleton className="h-7 w-1/2" />
            <Skeleton className="h-7 w-24" />
          </div>
          <Skeleton className="mt-3 h-5 w-2/3" />
          <Skeleton className="mt-6 h-14 w-full rounded-full" />
          <Skeleton className="mt-6 h-12 w-full" />
        </Surface>
      ))}
    </SkeletonGroup>
  );
}

export function NothingYet({ onCreate }: { onCreate: () => void }) {
  return (
    <EmptyState
      icon={<Inbox />}
      title="No upload invitations yet"
      description="Make a link, pass it on, and others send files to you. They need no account."
      action={
        <Button size="lg" icon={<Plus />} onClick={onCreate}>
          Create Your First Invitation
        </Button>
      }
    />
  );
}

export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title="Your invitations did not load"
      description={errorDetail(error)}
      action={<Button onClick={() => onRetry()}>Try again</Button>}
    />
  );
}
