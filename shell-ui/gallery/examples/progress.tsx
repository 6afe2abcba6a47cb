import { Progress, SaveStatus, Skeleton, SkeletonRows } from "@tenon/ui";

export default function Example() {
  return (
    <div className="t-form">
      <Progress label="Import" value={0.4} />
      <Progress label="Waiting" />
      <div className="g-row">
        <SaveStatus state="saved" />
        <SaveStatus state="saving" />
        <SaveStatus state="unsaved" />
        <SaveStatus state="failed" />
      </div>
      <Skeleton width="12rem" />
      <SkeletonRows count={3} />
    </div>
  );
}
