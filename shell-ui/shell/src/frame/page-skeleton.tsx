import { Skeleton, SkeletonRows } from "@tenon/ui/frame";

/** A page that is on its way. */
export function PageSkeleton() {
  return (
    <div className="t-page" aria-busy>
      <div className="t-page-header">
        <Skeleton width="8rem" />
      </div>
      <div className="t-page-body" data-width="wide">
        <SkeletonRows />
      </div>
    </div>
  );
}
