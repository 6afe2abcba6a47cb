import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  rollup,
  type LoggingFunction,
  type Plugin,
  type RollupCache,
  type RollupLog,
  type RollupOptions,
} from "rollup";
import { budget, type BudgetOptions } from "./budget.ts";
import { compressFolder } from "./compress.ts";
import { licenses } from "./licenses.ts";
import { lucide } from "./lucide.ts";
import { pluginManifest } from "./plugin-manifest.ts";
import { pluginStyles } from "./plugin-styles.ts";
import { writeSettings } from "./settings.ts";
import { RefreshBuild, refreshModule } from "./refresh.ts";
import { sharedImports } from "./shared-imports.ts";
import { writeTables } from "./tables.ts";
import { environment, minify, typescript } from "./typescript.ts";

export interface PluginBuildOptions extends BudgetOptions {
  /** The plugin's id: its folder, manifest, URL prefix and CSS scope. */
  id: string;
  /** Folder of the package, with `package.json`; default: the current one. */
  root?: string;
  /** Entry, relative to `root`. */
  entry?: string;
  /** The plugin's tables.json; default: `../../plugins/<id>/tables.json` or `../tables.json`. */
  tables?: string;
  /** The folder for the files; default: `$TENON_PLUGINS_OUT/<id>/ui`, else `dist`. */
  out?: string;
}

interface PackageFile {
  dependencies?: Record<string, string>;
}

interface BuildMode {
  /** Without minifying, compression and budgets. */
  development?: boolean;
  /** For a page with React Fast Refresh. */
  refresh?: RefreshBuild;
}

/**
 * Rollup options for a plugin's UI. The `dependencies` of `package.json` are bundled;
 * shared modules come from the page.
 */
export function pluginBuild(
  options: PluginBuildOptions,
  { development = false, refresh }: BuildMode = {},
): RollupOptions & { output: { dir: string } } {
  const { id, root = process.cwd(), entry = "src/index.tsx" } = options;
  const fromEnvironment = process.env.TENON_PLUGINS_OUT;
  const dir = resolve(
    root,
    options.out ?? (fromEnvironment ? join(fromEnvironment, id, "ui") : "dist"),
  );
  const { dependencies = {} } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as PackageFile;
  return {
    input: { main: resolve(root, entry) },
    preserveEntrySignatures: "allow-extension",
    plugins: [
      emptyFolder(dir),
      refresh?.plugin(),
      sharedImports(new Set(Object.keys(dependencies)), refresh ? [refreshModule] : []),
      typescript(),
      lucide(),
      pluginStyles(id),
      nodeResolve({
        browser: true,
        extensions: [".ts", ".tsx", ".mjs", ".js"],
        // Otherwise NODE_ENV decides.
        exportConditions: ["production"],
      }),
      commonjs(),
      environment({ development }),
      !development && minify(),
      !development && budget(options),
      !development && licenses(root, dir),
      pluginManifest(options),
      !development && compressed(dir),
    ],
    output: {
      dir,
      format: "es",
      entryFileNames: "[name].[hash].js",
      chunkFileNames: "[name].[hash].js",
      hashCharacters: "base36",
      generatedCode: { preset: "es2015", constBindings: true },
      ...refresh?.output(),
    },
  };
}

/** Rebuilds a plugin's UI quickly: without minifying, compression and budgets, and with a warm cache. */
export class Rebuilder {
  readonly #options: PluginBuildOptions;
  readonly #refresh: RefreshBuild | undefined;
  #cache: RollupCache | undefined;

  /** `refresh`: the page of the server has React Fast Refresh. */
  constructor(options: PluginBuildOptions, { refresh = false } = {}) {
    this.#options = options;
    if (refresh) this.#refresh = new RefreshBuild(resolve(options.root ?? process.cwd()));
  }

  /** Builds, and returns the folder. */
  async build(): Promise<string> {
    const { output, plugins, ...input } = pluginBuild(this.#options, {
      development: true,
      refresh: this.#refresh,
    });
    await writeTypes(this.#options);
    const bundle = await rollup({ ...input, plugins, onwarn, cache: this.#cache ?? true });
    try {
      this.#cache = bundle.cache;
      await bundle.write(output);
    } finally {
      await bundle.close();
    }
    return output.dir;
  }
}

/** Builds once, and returns the folder. `src/tables.gen.ts` is written first, where tables are published. */
export async function buildPlugin(options: PluginBuildOptions): Promise<string> {
  await writeTypes(options);
  const { output, ...input } = pluginBuild(options);
  const bundle = await rollup({ ...input, onwarn });
  try {
    await bundle.write(output);
  } finally {
    await bundle.close();
  }
  return output.dir;
}

async function writeTypes({ root = process.cwd(), id, tables }: PluginBuildOptions): Promise<void> {
  await writeTables(root, id, tables);
  await writeSettings(root, id);
}

function onwarn(warning: RollupLog, warn: LoggingFunction): void {
  // A module that only exports what others have is empty as a file of its own.
  const isUsual = ["MODULE_LEVEL_DIRECTIVE", "EMPTY_BUNDLE"].includes(warning.code ?? "");
  if (!isUsual) warn(warning);
}

function emptyFolder(dir: string): Plugin {
  return {
    name: "tenon:empty-folder",
    async generateBundle() {
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function compressed(dir: string): Plugin {
  return { name: "tenon:compressed", writeBundle: () => compressFolder(dir) };
}
