import { buildPlugin, type PluginBuildOptions } from "@tenon/rollup-preset";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The folder of the plugin UIs in this tree. */
export const pluginFolder = fileURLToPath(new URL("../../../plugin-ui", import.meta.url));
const configName = "tenon-ui.config.ts";

/** Ids of the plugins in `plugin-ui`. */
export async function findPlugins(): Promise<string[]> {
  const entries = await readdir(pluginFolder, { withFileTypes: true });
  return entries
    .filter(
      (entry) => entry.isDirectory() && existsSync(join(pluginFolder, entry.name, configName)),
    )
    .map((entry) => entry.name)
    .sort();
}

/** Builds a plugin's UI into `out/<id>/ui`. */
export async function buildPluginUi(id: string, out: string): Promise<void> {
  const root = join(pluginFolder, id);
  const config = (await import(pathToFileURL(join(root, configName)).href)) as {
    default: Partial<PluginBuildOptions>;
  };
  if (config.default.id !== id) throw new Error(`${root}/${configName} must have the id "${id}"`);
  await buildPlugin({ ...config.default, id, root, out: join(out, id, "ui") });
}
