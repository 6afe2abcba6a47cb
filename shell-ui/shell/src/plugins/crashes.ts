import { Problem, toast } from "@tenon/ui/frame";
import type { PluginRegistry } from "./registry.ts";

const ofPlugin = /\/ui\/plugins\/([a-z][a-z0-9-]*)\//;

/** The plugin whose file stands first in a stack. */
export function blame(error: unknown, file = ""): string | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return (ofPlugin.exec(stack) ?? ofPlugin.exec(file))?.[1] ?? null;
}

/**
 * What is thrown outside of rendering (an event, a promise that nobody awaits) breaks no page, so it is said
 * quietly, with the plugin's name. The console has the rest.
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
