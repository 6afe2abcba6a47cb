#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildPlugin, type PluginBuildOptions } from "./plugin-build.ts";
import { writeTables } from "./tables.ts";

// tenon-ui build | tables, in the folder of a plugin's UI.
const configName = "tenon-ui.config.ts";

async function readConfig(root: string): Promise<PluginBuildOptions> {
  const path = join(root, configName);
  if (!existsSync(path)) throw new Error(`${path} is not there: run this in a plugin's ui folder`);
  const module = (await import(pathToFileURL(path).href)) as {
    default?: Partial<PluginBuildOptions>;
  };
  const { id } = module.default ?? {};
  if (!id) throw new Error(`${path} must export { id: "…" } as its default`);
  return { ...module.default, id, root };
}

async function run(command: string | undefined): Promise<number> {
  const root = process.cwd();
  switch (command) {
    case "build":
      console.log(await buildPlugin(await readConfig(root)));
      return 0;
    case "tables": {
      const { id, tables } = await readConfig(root);
      await writeTables(root, id, tables);
      return 0;
    }
    default:
      console.error(
        "Usage: tenon-ui build    makes the UI, with the types of its tables\n" +
          "       tenon-ui tables   makes src/tables.gen.ts alone",
      );
      return 2;
  }
}

try {
  process.exitCode = await run(process.argv[2]);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
