import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';

/** The page's two columns before there is anything to put into them. */
export function UploadSkeleton() {
  return (
    <SkeletonGroup className="mt-rhythm grid gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <Skeleton className="h-96" />
      <Skeleton className="h-96" />
    </SkeletonGroup>
  );
}
