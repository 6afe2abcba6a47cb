import { Problem } from "@tenon/ui";
import { maxPackageBytes, planKept, planPackage, type PackagePlan } from "./packages-api.ts";
import { cancelDownload, readDownload, startDownload } from "../registry/registry-api.ts";

/** A plugin of the registry in one version. */
export interface RegistryPick {
  id: string;
  name: string;
  version: string;
}

/** The source of a package. */
export type PackageSource = { kind: "file"; file: File } | { kind: "registry"; pick: RegistryPick };

/** Returns the name of a source for messages. */
export const nameOf = (source: PackageSource) =>
  source.kind === "file" ? source.file.name : `${source.pick.name} ${source.pick.version}`;

interface Following {
  signal: AbortSignal;
  /** 0 to 1 of the package. */
  onProgress(part: number): void;
}

// No event reports the progress of a download: it is polled, less often while it makes no progress.
const askFirst = 250;
const askLast = 2_000;

const pause = (time: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

const refused = (code: string, message: string) => new Problem({ status: 422, code, message });

/** Has the server download the package. Returns its name there. The signal cancels it. */
async function download({ id, version }: RegistryPick, { signal, onProgress }: Following) {
  const { number } = await startDownload(id, version, signal);
  let time = askFirst;
  let before = 0;
  try {
    for (;;) {
      const { state, done, total, package: name, error } = await readDownload(number, signal);
      if (state === "done" && name) return name;
      if (error) throw refused(error.code, error.message);
      if (state !== "running")
        throw refused("client.stopped", "The download was cancelled. Start it again.");
      onProgress(total > 0 ? Math.min(done / total, 0.99) : 0);
      time = done > before ? askFirst : Math.min(time * 2, askLast);
      before = done;
      await pause(time, signal);
    }
  } catch (error) {
    if (signal.aborted) void cancelDownload(number).catch(() => undefined);
    throw error;
  }
}

/** Uploads a package to the server or has it downloaded there. Returns the plan of its installation. */
export async function planOf(source: PackageSource, following: Following): Promise<PackagePlan> {
  if (source.kind === "registry") {
    const name = await download(source.pick, following);
    following.onProgress(1);
    return planKept(name, following.signal);
  }
  const { file } = source;
  if (file.size > maxPackageBytes) {
    throw refused(
      "plugins.package_too_large",
      `${file.name} is larger than 64 MB, the maximum size of a package.`,
    );
  }
  return planPackage(file, following);
}
