import { coreApi, type ListPage } from "@tenon/ui";

export const jobStates = ["waiting", "running", "done", "failed", "cancelled"] as const;
export type JobState = (typeof jobStates)[number];

/** A job, as `/api/core/jobs` describes one. */
export interface JobRecord {
  id: string;
  plugin: string;
  kind: string;
  state: JobState;
  attempts: number;
  max_attempts: number;
  cancel_asked: boolean;
  key: string;
  /** Name of the schedule that made it. */
  schedule: string;
  error: string;
  /** A `total` of 0 is unknown. */
  progress: { done: number; total: number; text: string };
  created: string;
  run_at: string | null;
  started: string | null;
  finished: string | null;
}

export interface JobWithPayload extends JobRecord {
  payload: unknown;
}

export interface JobFilter {
  plugin: string;
  state: string;
}

export const jobsKey = ["core", "jobs"] as const;

export const readJobs = (filter: JobFilter, cursor: string | null, signal: AbortSignal) =>
  coreApi.get<ListPage<JobRecord>>("jobs", {
    query: { plugin: filter.plugin || null, state: filter.state || null, cursor },
    signal,
  });

export const readJob = (id: string, signal: AbortSignal) =>
  coreApi.get<JobWithPayload>(`jobs/${id}`, { signal });

export const changeJob = (id: string, change: "cancel" | "retry") =>
  coreApi.post<JobRecord>(`jobs/${id}/${change}`);
