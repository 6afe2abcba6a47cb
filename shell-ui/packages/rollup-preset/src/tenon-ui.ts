#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { buildPlugin, Rebuilder, type PluginBuildOptions } from "./plugin-build.ts";
import { writeSettings } from "./settings.ts";
import { writeTables } from "./tables.ts";

// tenon-ui build | rebuild [--refresh] | tables, in the folder of a plugin's UI.
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

/** Where an error of Rollup or esbuild is: `src/index.tsx:3:14: message`. */
function describe(error: unknown, root: string): string {
  if (!(error instanceof Error)) return String(error);
  const { loc, id } = error as {
    loc?: { file?: string; line: number; column: number };
    id?: string;
  };
  const file = loc?.file ?? id;
  if (!file || error.message.includes(file)) return error.message.replaceAll(`${root}/`, "");
  const location = loc ? `:${loc.line}:${loc.column + 1}` : "";
  // Rollup begins with the place, too.
  const message = error.message.replace(/^\S+ \(\d+:\d+\): /, "");
  return `${relative(root, file)}${location}: ${message}`;
}

/** Prints one line of JSON for each build: its folder, or its error. */
async function rebuildOnRequest(rebuilder: Rebuilder): Promise<void> {
  for await (const _ of createInterface({ input: process.stdin })) {
    let result: { built: string } | { error: string };
    try {
      result = { built: await rebuilder.build() };
    } catch (error) {
      result = { error: describe(error, process.cwd()) };
    }
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}

async function run(command: string | undefined, option: string | undefined): Promise<number> {
  const root = process.cwd();
  switch (command) {
    case "build":
      console.log(await buildPlugin(await readConfig(root)));
      return 0;
    case "rebuild":
      await rebuildOnRequest(
        new Rebuilder(await readConfig(root), { refresh: option === "--refresh" }),
      );
      return 0;
    case "tables": {
      const { id, tables } = await readConfig(root);
      await writeTables(root, id, tables);
      await writeSettings(root, id);
      return 0;
    }
    default:
      console.error(
        "Usage: tenon-ui build     builds the UI, with the types of its tables\n" +
          "       tenon-ui rebuild   builds for development, once for each line on standard input\n" +
          "                          (--refresh: for a page with React Fast Refresh)\n" +
          "       tenon-ui tables    writes src/tables.gen.ts and src/settings.gen.ts only",
      );
      return 2;
  }
}

try {
  process.exitCode = await run(process.argv[2], process.argv[3]);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
