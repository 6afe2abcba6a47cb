import type { Role } from "@tenon/host";
import { coreApi, Problem, type FieldError, type ListPage } from "@tenon/ui";

/** A person, as `/api/core/users` describes one. */
export interface UserRecord {
  id: string;
  login: string;
  name: string;
  role: Role;
  disabled: boolean;
  created?: string;
}

export interface NewUser {
  login: string;
  name: string;
  role: Role;
  password: string;
}

export type PluginState =
  "discovered" | "resolved" | "loaded" | "active" | "disabled" | "failed" | "quarantined";

/** How far a migration is that is a function of the plugin; `total` is 0 while it does not know. */
export interface MigrationProgress {
  number: number;
  name: string;
  done: number;
  total: number;
}

/** A plugin, as `/api/core/plugins` describes one. */
/** A crash of the server in a call of a plugin. */
export interface PluginCrash {
  time: string;
  by: string;
  operation: string;
  /** ID of the request or job; users see it in the error. */
  request: string;
  trace: string[];
}

/** A short path outside of `/api`, where everyone can call public routes of a plugin. */
export interface PublicPath {
  path: string;
  /** The beginning of these routes; empty if this version of the plugin does not use the path. */
  route: string;
  title: string;
  granted: boolean;
  /** The plugin that has this path, one above or one below it; empty if none has. */
  taken_by: string;
}

export interface PluginRecord {
  id: string;
  name: string;
  description?: string;
  version: string;
  author?: string;
  state: PluginState;
  enabled: boolean;
  reason: { code: string; message: string; file?: string; path?: string } | null;
  /** While its data is migrated, in front of its start. */
  migration: MigrationProgress | null;
  /** Generations of its library that could not be unmapped. */
  resident: number;
  /** Null: it has no library. */
  abi: { major: number; minor: number } | null;
  routes: number;
  tables: readonly string[];
  permissions: readonly { id: string; title: string; roles: readonly string[] }[];
  /** Headers about the origin that its responses may have. */
  response_headers: readonly string[];
  /** Servers that it may send requests to. */
  outgoing: readonly string[];
  /** Short paths that it asks for, and granted ones that this version does not use. */
  public_paths: readonly PublicPath[];
  requests: number;
  errors: number;
  ui: boolean;
  /** Number of the key that signed its package; empty for one that lies in a folder of the server. */
  signer: string;
  /** The version that can be gone back to; empty where none is kept. */
  previous: string;
  generation: number;
  /** Null also after a start without a crash before. */
  last_crash?: PluginCrash | null;
}

export const pluginsKey = ["core", "plugins"] as const;
export const usersKey = ["core", "users"] as const;

export const readPlugins = (signal: AbortSignal) =>
  coreApi.get<ListPage<PluginRecord>>("plugins", { signal });

/** A change that takes longer than its request may, as `/api/core/changes` describes one. */
interface RunningOperation {
  id: string;
  state: "running" | "done" | "failed";
  /** The status of the response that the request would have had; null while it runs. */
  status: number | null;
  answer: unknown;
}

const askEvery = 1_000;

const isRunning = (response: unknown): response is RunningOperation =>
  !!response && typeof response === "object" && "state" in response && response.state === "running";

/** Returns the result of a change. Polls one that continues after its response until it has finished. */
export async function finished<T>(begun: Promise<T>): Promise<T> {
  let response: unknown = await begun;
  if (!isRunning(response)) return response as T;
  const { id } = response;
  do {
    await new Promise((resolve) => setTimeout(resolve, askEvery));
    response = await coreApi.get<RunningOperation>(`changes/${id}`).catch((error: unknown) => {
      // The server restarts, or cannot be reached now.
      if (error instanceof Problem && (error.status === 0 || error.status === 503)) return response;
      throw error;
    });
  } while (isRunning(response));
  const { state, status, answer: given } = response as RunningOperation;
  if (state === "done") return given as T;
  const { code, detail, errors } = given as {
    code: string;
    detail: string;
    errors?: readonly FieldError[];
  };
  throw new Problem({ status: status ?? 500, code, message: detail, errors });
}

export const switchPlugin = (id: string, on: boolean) =>
  finished(coreApi.post<PluginRecord>(`plugins/${id}/${on ? "enable" : "disable"}`));

/** Serves a plugin at a short path that it asks for, or no longer. */
export const switchPublicPath = (id: string, path: string, on: boolean) =>
  coreApi.post<unknown>(`plugins/${id}/${on ? "grant" : "revoke"}-path`, { path });

/** All pages of a list: an installation has people, not masses. */
export async function readAll<T>(path: string, signal: AbortSignal): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: ListPage<T> = await coreApi.get(path, { query: { limit: 200, cursor }, signal });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor);
  return items;
}

export const readUsers = (signal: AbortSignal) => readAll<UserRecord>("users", signal);

export const addUser = (user: NewUser) => coreApi.post<UserRecord>("users", user);

export const changeUser = (
  id: string,
  change: Partial<Pick<UserRecord, "name" | "role" | "disabled"> & { password: string }>,
) => coreApi.patch<UserRecord>(`users/${id}`, change);
