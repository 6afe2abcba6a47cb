import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useServerEvent } from "@tenon/host";
import { Problem, refetchFresh, toast } from "@tenon/ui";
import { useEffect, useRef } from "react";
import { changeJob, jobsKey, type JobRecord } from "./jobs-api.ts";

// Many jobs may end in one moment.
const pause = 500;

/** Reads what is shown of jobs again whenever one changes. */
export function useLiveJobs(): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const readSoon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refetchFresh(queries, { queryKey: jobsKey });
    }, pause);
  };
  useServerEvent("core.jobs", readSoon, { onMissed: readSoon });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}

function said({ kind, state }: JobRecord): string {
  if (state === "cancelled") return `${kind} cancelled`;
  return state === "waiting" ? `${kind} will run again` : `Stopping ${kind}`;
}

/** Cancels a job, or has it run again. */
export function useChangeJob() {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ job, change }: { job: JobRecord; change: "cancel" | "retry" }) =>
      changeJob(job.id, change),
    onSuccess(job) {
      const undo = { label: "Undo", run: () => mutation.mutate({ job, change: "retry" }) };
      toast(said(job), { action: job.state === "cancelled" ? undo : undefined });
    },
    onError(error) {
      toast(error instanceof Problem ? error.message : "Could not change the job", {
        tone: "danger",
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: jobsKey }),
  });
  return mutation;
}
