import { coreApi } from "@tenon/ui";

export interface RegistryReason {
  code: string;
  message: string;
}

/** Another plugin that has to be installed first. */
export interface RegistryStep {
  id: string;
  name: string;
  version: string;
  /** The version that is here and will not do. */
  installed: string | null;
}

/** A plugin of the registry, as `/api/core/registry` lists it. */
export interface RegistryPlugin {
  id: string;
  name: string;
  description: string;
  author: string;
  license: string;
  /** Name of a lucide icon; may be empty. */
  icon: string;
  latest: string;
  installed: string | null;
  /** The newest version that can be installed here. */
  installable: string | null;
  /** Why none can be. */
  reasons: readonly RegistryReason[];
  /** The plugins to install before it, in this order. */
  with: readonly RegistryStep[];
}

export interface RegistryVersion {
  version: string;
  installable: boolean;
  reasons: readonly RegistryReason[];
  with: readonly RegistryStep[];
  /** Bytes of the package. */
  size: number;
  /** Number of the key that signed it. */
  key: string;
  /** Null: it has no library and runs on every platform. */
  abi: { major: number; minor: number } | null;
  /** The oldest minor of a host that will do. */
  needs: number;
  requires: Readonly<Record<string, string>>;
  architectures: readonly string[];
  permissions: readonly { id: string; title: string; roles: readonly string[] }[];
  /** Markdown. */
  changelog: string;
  screenshots: readonly { file: string; size: number }[];
}

export interface RegistryPluginVersions extends RegistryPlugin {
  /** The newest first. */
  versions: readonly RegistryVersion[];
}

export interface RegistryPage {
  /** URL or folder; null where no registry is configured. */
  url: string | null;
  serial: number | null;
  /** When this server read the index last. */
  read: string | null;
  tried: string | null;
  /** Why the last refresh failed; the data is that of the last good index then. */
  error: RegistryReason | null;
  total: number;
  items: readonly RegistryPlugin[];
  next: string | null;
}

export type RegistryShow = "" | "installable" | "installed" | "upgradable";

/** A package on its way to the server. */
export interface RegistryDownload {
  number: number;
  state: "running" | "done" | "failed" | "stopped";
  /** Bytes. */
  done: number;
  total: number;
  /** Names the package when it is done. */
  package: string | null;
  error: RegistryReason | null;
}

export const registryKey = ["core", "registry"] as const;

export const readRegistry = (
  { q, show, cursor }: { q: string; show: RegistryShow; cursor: string | null },
  signal: AbortSignal,
) =>
  coreApi.get<RegistryPage>("registry", {
    query: { q: q || null, show: show || null, cursor },
    signal,
  });

export const readUpgrades = (signal: AbortSignal) =>
  coreApi.get<RegistryPage>("registry", { query: { show: "upgradable", limit: 200 }, signal });

export const refreshRegistry = () => coreApi.post<RegistryPage>("registry/refresh", {});

export const readRegistryPlugin = (id: string, signal: AbortSignal) =>
  coreApi.get<RegistryPluginVersions>(`registry/plugins/${encodeURIComponent(id)}`, { signal });

/** Address of a screenshot, by its number from 1 on. */
export const screenshotUrl = (id: string, version: string, number: number) =>
  coreApi.url(
    `registry/plugins/${encodeURIComponent(id)}/screenshots/${encodeURIComponent(version)}/${number}`,
  );

export const startDownload = (id: string, version: string, signal: AbortSignal) =>
  coreApi.post<RegistryDownload>("registry/downloads", { id, version }, { signal });

export const readDownload = (number: number, signal: AbortSignal) =>
  coreApi.get<RegistryDownload>(`registry/downloads/${number}`, { signal });

export const cancelDownload = (number: number) => coreApi.delete(`registry/downloads/${number}`);
