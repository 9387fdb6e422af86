import { Skeleton, SkeletonGroup } from '../components/feedback/skeleton.tsx';

/** As high as a card's form. */
export function FormPlaceholder() {
  return (
    <SkeletonGroup label="Loading the payment form" className="flex flex-col gap-5">
      <Skeleton className="h-control-lg" />
      <div className="flex gap-4">
        <Skeleton className="h-control-lg grow" />
        <Skeleton className="h-control-lg grow" />
      </div>
    </SkeletonGroup>
  );
}
