import { coreApi } from "@tenon/ui";
import { readAll, type UserRecord } from "../console-api.ts";

/** A group, as `/api/core/groups` describes one. */
export interface GroupRecord {
  id: string;
  name: string;
  description: string;
  /** How many. */
  members: number;
  created: string;
  updated: string;
}

export type GroupFields = Pick<GroupRecord, "name" | "description">;

export const groupsKey = ["core", "groups"] as const;
export const groupKey = (id: string) => [...groupsKey, id] as const;

export const readGroups = (signal: AbortSignal) => readAll<GroupRecord>("groups", signal);

export const readGroup = (id: string, signal: AbortSignal) =>
  coreApi.get<GroupRecord>(`groups/${id}`, { signal });

export const readMembers = (id: string, signal: AbortSignal) =>
  readAll<UserRecord>(`groups/${id}/members`, signal);

export const addGroup = (fields: GroupFields) => coreApi.post<GroupRecord>("groups", fields);

export const changeGroup = (id: string, fields: GroupFields) =>
  coreApi.patch<GroupRecord>(`groups/${id}`, fields);

export const deleteGroup = (id: string) => coreApi.delete(`groups/${id}`);

export const changeMembers = (
  id: string,
  change: { add?: readonly string[]; remove?: readonly string[] },
) => coreApi.post<GroupRecord>(`groups/${id}/members`, change);
