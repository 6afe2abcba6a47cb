import { coreApi, type ListPage } from "@tenon/ui";

/** One's own session, as `/api/core/sessions` describes it. */
export interface SessionRecord {
  id: string;
  created: string;
  last_seen: string;
  expires: string;
  address: string;
  user_agent: string;
  current: boolean;
}

export const sessionsKey = ["core", "sessions"] as const;

export const readSessions = (signal: AbortSignal) =>
  coreApi.get<ListPage<SessionRecord>>("sessions", { signal });

export const endSession = (id: string) => coreApi.delete(`sessions/${id}`);

export const changePassword = (old_password: string, new_password: string) =>
  coreApi.post("account/password", { old_password, new_password });
