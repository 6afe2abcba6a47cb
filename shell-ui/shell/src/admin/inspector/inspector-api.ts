import { useQuery, useQueryClient } from "@tanstack/react-query";
import { clientFor, coreApi } from "@tenon/ui";
import { refreshMs } from "./limits.ts";

export type LogLevel = "debug" | "info" | "warning" | "error";

/** A line of the log of a plugin. */
export interface LogRecord {
  number: number;
  time: string;
  level: LogLevel;
  message: string;
  request_id: string;
  route: string;
  fields: Readonly<Record<string, string>>;
}

/** A part of a request, in milliseconds from its begin. */
export interface RequestSpan {
  name: string;
  begin_ms: number;
  duration_ms: number;
  statement: string;
  failed: boolean;
}

export interface RequestRecord {
  number: number;
  time: string;
  method: string;
  route: string;
  path: string;
  request_id: string;
  /** The id of the user; empty: not signed in. */
  user: string;
  status: number;
  duration_ms: number;
  spans: readonly RequestSpan[];
  left_out_spans: number;
}

export interface StatementRecord {
  statement: string;
  count: number;
  failed: number;
  total_ms: number;
  max_ms: number;
}

/** What a server process recorded of a plugin. */
export interface PluginRecords {
  log: readonly LogRecord[];
  requests: readonly RequestRecord[];
  statements: readonly StatementRecord[];
  left_out_statements: number;
}

const maxLog = 200;
const maxRequests = 100;

/** Adds newer records. Numbers that begin again are those of a restarted server. */
export function merged<T extends { number: number }>(
  before: readonly T[],
  newer: readonly T[],
  max: number,
): readonly T[] {
  const first = newer[0];
  if (!first) return before;
  const last = before.at(-1)?.number ?? 0;
  return (first.number > last ? [...before, ...newer] : newer).slice(-max);
}

/** Reads what the server recorded of a plugin every two seconds; the server records while it does. */
export function useRecords(plugin: string) {
  const queries = useQueryClient();
  const queryKey = ["core", "inspector", plugin];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<PluginRecords> => {
      const before = queries.getQueryData<PluginRecords>(queryKey);
      const read = await coreApi.get<PluginRecords>(`plugins/${plugin}/inspector`, {
        query: {
          log: before?.log.at(-1)?.number ?? 0,
          requests: before?.requests.at(-1)?.number ?? 0,
        },
        signal,
      });
      return {
        ...read,
        log: merged(before?.log ?? [], read.log, maxLog),
        requests: merged(before?.requests ?? [], read.requests, maxRequests),
      };
    },
    gcTime: 0,
    refetchInterval: refreshMs,
  });
  return { recorded: data, error, refetch };
}

export const actions = ["read", "create", "update", "delete"] as const;

/** The rule of an action, evaluated for a user. Null: it depends on the record. */
export interface ExplainedRule {
  allowed: boolean | null;
  /** Null: there is no rule, so no user may. */
  rule: string | null;
  joined: "and" | "or" | "";
  parts: readonly { text: string; holds: boolean | null }[];
}

export interface ExplainedAccess {
  table: string;
  actions: Readonly<Record<(typeof actions)[number], ExplainedRule>>;
}

/** Reads what a user may do with a table, or with one of its records. */
export function readAccess(
  plugin: string,
  table: string,
  user: string,
  record: string,
  signal: AbortSignal,
): Promise<ExplainedAccess> {
  return clientFor(`/api/${plugin}`).get<ExplainedAccess>(`${table}/access`, {
    query: { ...(user && { user }), ...(record && { record }) },
    signal,
  });
}
