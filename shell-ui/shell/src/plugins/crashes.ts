import { Problem, toast } from "@tenon/ui/frame";
import type { PluginRegistry } from "./registry.ts";

const ofPlugin = /\/ui\/plugins\/([a-z][a-z0-9-]*)\//;

/** Returns the plugin whose file comes first in a stack. */
export function blame(error: unknown, file = ""): string | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return (ofPlugin.exec(stack) ?? ofPlugin.exec(file))?.[1] ?? null;
}

/**
 * An error outside of rendering (in an event or an unawaited promise) breaks no page: a toast names the plugin, and the
 * console has the error.
 */
export function reportCrashes(registry: PluginRegistry): void {
  const report = (error: unknown, file?: string) => {
    const id = blame(error, file);
    const name = id && registry.find(id)?.name;
    // A session that ended has a page of its own.
    if (error instanceof Problem && error.status === 401) return;
    if (error instanceof Problem) toast(error.message, { tone: "danger" });
    else if (name)
      toast(`Something went wrong in ${name}. The page still works.`, { tone: "danger" });
  };
  addEventListener("error", (event) => report(event.error, event.filename));
  addEventListener("unhandledrejection", (event) => {
    if ((event.reason as Error | undefined)?.name !== "AbortError") report(event.reason);
  });
}
