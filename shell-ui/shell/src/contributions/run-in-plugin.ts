import type { PluginContext, ShellPlugin } from "@tenon/host";
import { toast } from "@tenon/ui/frame";
import type { Services } from "../services.ts";

type Code = (...args: unknown[]) => unknown;

/** Loads the plugin, and runs a command or an action of it with `args` and its context. Shows a failure as a message. */
export async function runInPlugin(
  { runtime }: Services,
  plugin: ShellPlugin,
  point: "commands" | `${string}.actions`,
  { id, title }: { id: string; title: string },
  ...args: unknown[]
): Promise<void> {
  try {
    const { definition, context } = await runtime.start(plugin.id);
    const code = definition.contributions?.[point]?.[id] as Code | undefined;
    if (!code) throw new Error(`${plugin.id} declares "${id}" of ${point} but has no code for it`);
    await code(...args, context satisfies PluginContext);
  } catch (error) {
    console.error(error);
    toast(`Could not run “${title}” in ${plugin.name}`, { tone: "danger" });
  }
}
