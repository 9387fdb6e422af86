import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { Stage } from '../../components/layout/stage.tsx';

/** Places of the size of what will stand there. */
export function LoadingTransfer() {
  return (
    <Stage
      head={
        <SkeletonGroup label="Loading transfer">
          <Skeleton className="h-[0.96em] w-full max-w-[8em] text-display" />
          <Skeleton className="mt-6 h-6 w-48" />
        </SkeletonGroup>
      }
      well={
        <StillWell className="animate-breathe">
          <span />
        </StillWell>
      }
      body={
        <div className="mt-4 flex flex-col gap-3">
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
        </div>
      }
    />
  );
}
