import { coreApi } from "@tenon/ui";
import { finished, type PluginRecord } from "../console-api.ts";

export type Change = "install" | "upgrade" | "downgrade" | "reinstall";
export type Trust = "trusted" | "unknown" | "revoked";

/** The plan of an installation, from `/api/core/plugins/plan`. */
export interface PackagePlan {
  id: string;
  name: string;
  change: Change;
  /** The version that is there; empty where none is. */
  from: string;
  to: string;
  /** Names the package while the server keeps it, for `installPackage`. */
  package: string;
  /** Bytes of the file, and of what is in it. */
  packed: number;
  unpacked: number;
  /** `key` is its number; empty if the package is not signed. */
  signer: { key: string; name: string; trust: Trust };
  permissions: readonly { id: string; title: string; roles: readonly string[] }[];
  new_permissions: readonly string[];
  gone_permissions: readonly string[];
  /** Headers about the origin that its responses may have. */
  response_headers: readonly string[];
  /** Servers that it may send requests to. */
  outgoing: readonly string[];
  /** Short paths outside of `/api` that it asks for. */
  public_paths: readonly { path: string; route: string; title: string }[];
  requires: readonly { id: string; range: string }[];
  /** The consents that the admin must give. */
  consents: readonly { code: string; message: string }[];
  refusals: readonly { code: string; message: string; path: string }[];
  /** The plan for its tables; null if it is unknown, as for a refused package. */
  data: DataPlan | null;
}

export interface DataPlan {
  from: string;
  to: string;
  steps: readonly { kind: string; table: string; field: string; text: string }[];
  refusals: readonly { table: string; field: string; reason: string }[];
  /** Why requests wait while it is done; empty where they do not. */
  blocked_by: string;
  /** The installed version keeps running in the meantime. */
  phased: boolean;
}

/** The plan of a rollback to the previous version. */
export interface RollbackPlan {
  id: string;
  from: string;
  to: string;
  /** When the version before was left. */
  left: string;
  /** Whether its data becomes what it was then. */
  restores_data: boolean;
  /** Its data serves both versions: the code can go back alone, and nothing is lost. */
  may_keep_data: boolean;
  /** The changes that would be lost, by table; null if they are unknown. */
  changes: readonly TableChanges[] | null;
}

export interface TableChanges {
  table: string;
  added: number;
  changed: number;
  removed: number;
  /** Records that are the same but for values in fields that only the present version has. */
  new_values: number;
  /** False where not all could be compared: these are at least so many. */
  whole: boolean;
  /** Fields that have another type now. */
  not_compared: readonly string[];
  /** Ids of the first 20 of each kind. */
  records: Readonly<Record<"added" | "changed" | "removed", readonly string[]>>;
}

/** A key that an admin decided on. */
export interface KeyRecord {
  /** 16 hexadecimal digits. */
  number: string;
  /** The second line of its file; empty for one that was revoked before it was seen. */
  key: string;
  name: string;
  trust: Trust;
  reason: string;
  changed: string;
  /** Id of a user, or "local" for the command line. */
  changed_by: string;
}

/** A file with the data of a plugin that was removed. */
export interface ExportRecord {
  /** The name of the file. */
  name: string;
  bytes: number;
  /** The facts in the export; null if it cannot be read. */
  facts: {
    plugin: string;
    version: string;
    taken: string;
    records: number;
    files: number;
    file_bytes: number;
  } | null;
  reason: { code: string; message: string } | null;
}

export type DataChoice = "keep" | "export" | "purge";

export const maxPackageBytes = 64 * 1024 * 1024;
export const maxExportBytes = 16 * 1024 ** 3;

export const keysKey = ["core", "keys"] as const;
export const exportsKey = ["core", "exports"] as const;
export const rollbackKey = (id: string) => ["core", "rollback", id] as const;

interface Sending {
  signal: AbortSignal;
  /** 0 to 1 of the file. */
  onProgress(sent: number): void;
}

const send = <T>(path: string, file: File, options: Sending) =>
  coreApi.upload<T>(path, file, { contentType: "application/octet-stream", ...options });

export const planPackage = (file: File, options: Sending) =>
  send<PackagePlan>("plugins/plan", file, options);

/** The plan of a package that the server keeps. */
export const planKept = (name: string, signal: AbortSignal) =>
  coreApi.post<PackagePlan>("plugins/plan", { package: name }, { signal });

/** With the data of an export, where one is named. */
export const installPackage = (plan: PackagePlan, data: string) =>
  finished(
    coreApi.post<PluginRecord>(
      "plugins",
      { package: plan.package, consents: plan.consents.map(({ code }) => code) },
      data ? { query: { data } } : undefined,
    ),
  );

export const readRollback = (id: string, signal: AbortSignal) =>
  coreApi.get<RollbackPlan>(`plugins/${id}/rollback`, { signal });

export const rollBack = (id: string, data: "restore" | "keep") =>
  finished(coreApi.post<PluginRecord>(`plugins/${id}/rollback`, { data }));

/** Gives the name of the export, where one was asked for. */
export const removePlugin = async (id: string, data: DataChoice) => {
  const response = await finished(
    coreApi.delete<{ export?: string } | undefined>(`plugins/${id}`, { query: { data } }),
  );
  return response?.export ?? "";
};

export const readExports = (signal: AbortSignal) =>
  coreApi.get<{ items: readonly ExportRecord[] }>("exports", { signal });

/** Uploads an export to the server. Returns it with its name there. */
export const uploadExport = (file: File, options: Sending) =>
  send<ExportRecord>("exports", file, options);

export const deleteExport = (name: string) => coreApi.delete(`exports/${name}`);

/** Where the browser gets the file. */
export const exportFile = (name: string) => `/api/core/exports/${name}/file`;

export const readKeys = (signal: AbortSignal) =>
  coreApi.get<{ items: readonly KeyRecord[] }>("keys", { signal });

export const trustKey = (key: string, name: string) =>
  coreApi.post<KeyRecord>("keys", { key, name });

export const revokeKey = (number: string, reason: string) =>
  coreApi.post<KeyRecord>(`keys/${number}/revoke`, { reason });

export const forgetKey = (number: string) => coreApi.delete(`keys/${number}`);

/**
 * Returns the number of a public key, from its file or the second line of it; null for another text. The number follows
 * the two letters of the algorithm, last byte first.
 */
export function keyNumber(text: string): string | null {
  const line = text
    .split("\n")
    .map((part) => part.trim())
    .filter((part) => part && !/^untrusted comment:/.test(part))
    .at(0);
  if (!line) return null;
  let bytes: string;
  try {
    bytes = atob(line);
  } catch {
    return null;
  }
  if (bytes.length !== 42 || !bytes.startsWith("Ed")) return null;
  return [...bytes.slice(2, 10)]
    .reverse()
    .map((sign) => sign.charCodeAt(0).toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
}
