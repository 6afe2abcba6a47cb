import "../../styles/list-pages.css";
import { Badge, Button, Progress, RelativeTime, type Tone } from "@tenon/ui";
import type { JobRecord, JobState } from "./jobs-api.ts";
import { useChangeJob } from "./use-jobs.ts";

export const stateTexts: Readonly<Record<JobState, string>> = {
  waiting: "Waiting",
  running: "Running",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

const tones: Readonly<Record<JobState, Tone>> = {
  waiting: "neutral",
  running: "info",
  done: "success",
  failed: "danger",
  cancelled: "neutral",
};

export function JobStateBadge({ job: { state, cancel_asked } }: { job: JobRecord }) {
  const isStopping = cancel_asked && state === "running";
  return (
    <Badge tone={isStopping ? "warning" : tones[state]}>
      {isStopping ? "Stopping" : stateTexts[state]}
    </Badge>
  );
}

/** How far a running job is, as far as it says so. */
export function JobProgress({ job: { state, kind, progress } }: { job: JobRecord }) {
  const { done, total, text } = progress;
  if (state !== "running" || (total === 0 && !text)) return null;
  return (
    <div className="shell-job-progress">
      {total > 0 && <Progress label={`Progress of ${kind}`} max={total} value={done} />}
      <span className="t-muted t-ellipsis">
        {[total > 0 && `${done} of ${total}`, text].filter(Boolean).join(" · ")}
      </span>
    </div>
  );
}

/** What happened to it last, and when. */
export function JobTime({ job: { created, started, finished, state } }: { job: JobRecord }) {
  if (finished) return <When verb="ended" time={finished} />;
  if (started && state === "running") return <When verb="started" time={started} />;
  return <When verb="created" time={created} />;
}

function When({ verb, time }: { verb: string; time: string }) {
  return (
    <>
      {verb} <RelativeTime value={time} />
    </>
  );
}

/** The one thing that can be done with a job as it is. */
export function JobAction({ job, size }: { job: JobRecord; size?: "small" }) {
  const { mutate, isPending } = useChangeJob();
  const { kind, state } = job;
  if (state === "done") return null;
  const canRetry = state === "failed" || state === "cancelled";
  return (
    <Button
      size={size}
      busy={isPending}
      disabled={!canRetry && job.cancel_asked}
      aria-label={`${canRetry ? "Retry" : "Cancel"} ${kind}`}
      onClick={() => mutate({ job, change: canRetry ? "retry" : "cancel" })}
    >
      {canRetry ? "Retry" : "Cancel"}
    </Button>
  );
}
