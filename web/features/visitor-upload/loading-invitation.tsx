import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { Stage } from '../../components/stage.tsx';
import { StillWell } from '../../components/well.tsx';

/** Places of the size of what will stand there. */
export function LoadingInvitation() {
  return (
    <Stage
      isWellForLarge
      isBodyFirst
      head={
        <SkeletonGroup label="Loading invitation">
          <Skeleton className="h-6 w-64 max-w-full" />
          <Skeleton className="mt-5 h-[0.96em] w-full max-w-[8em] text-display" />
        </SkeletonGroup>
      }
      well={
        <StillWell className="animate-breathe">
          <span />
        </StillWell>
      }
      facts={<Skeleton className="h-64" />}
      body={
        <div className="flex max-w-[26rem] flex-col gap-5">
          <Skeleton className="h-16" />
          <Skeleton className="h-12" />
        </div>
      }
    />
  );
}
