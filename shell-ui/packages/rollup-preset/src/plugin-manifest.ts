import type { OutputBundle, Plugin } from "rollup";
import type { BudgetOptions } from "./budget.ts";
import { chunksOf, staticClosure } from "./chunk-graph.ts";
import { contentHash, integrityOf } from "./integrity.ts";
import { sharedModules } from "./shared-modules.ts";

export interface ManifestAsset {
  href: string;
  integrity: string;
}

/** `manifest.json` of a plugin's UI; hrefs are relative to its folder. */
export interface PluginUiManifest {
  entry: string;
  integrity: string;
  styles: ManifestAsset[];
  /** The chunks that the entry imports statically. */
  preload: ManifestAsset[];
  /** Limits that replace those of the preset, for the author of the plugin. */
  budget?: BudgetOptions["budget"];
}

function asset(bundle: OutputBundle, href: string): ManifestAsset {
  const file = bundle[href];
  if (!file) throw new Error(`${href} is not in the bundle`);
  return { href, integrity: integrityOf(file.type === "chunk" ? file.code : file.source) };
}

/**
 * Writes `manifest.json`. The page runs no script without integrity, and a chunk that is loaded
 * later is in no import map: `import()` becomes the host's `importChunk`, and the entry, which
 * is written when all other files are final, contains the table of their integrity.
 */
export function pluginManifest({ budget }: BudgetOptions = {}): Plugin {
  return {
    name: "tenon:plugin-manifest",
    renderDynamicImport({ targetModuleId }) {
      // A shared module is in the page's import map, which has its integrity.
      if (!targetModuleId || targetModuleId in sharedModules) return null;
      return { left: "__tenon_import(", right: ", import.meta.url)" };
    },
    renderChunk: {
      order: "pre",
      handler(code) {
        if (!code.includes("__tenon_import(")) return null;
        return {
          code: `import { importChunk as __tenon_import } from "@tenon/host";\n${code}`,
          map: null,
        };
      },
    },
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const main = chunksOf(bundle).find((chunk) => chunk.isEntry);
        if (!main) return this.error("a plugin has one entry");
        if (!main.exports.includes("default")) {
          this.error("The entry must export definePlugin({…}) as its default.");
        }
        const preload = [...staticClosure(bundle, main.fileName)].map((file) =>
          asset(bundle, file),
        );
        const lazy = chunksOf(bundle).filter((chunk) => chunk.isDynamicEntry);
        const code = entryCode(
          bundle,
          main.fileName,
          lazy.map((chunk) => chunk.fileName),
        );
        const entry = `entry.${contentHash(code)}.js`;
        this.emitFile({ type: "asset", fileName: entry, source: code });
        const manifest: PluginUiManifest = {
          entry,
          integrity: integrityOf(code),
          styles: Object.keys(bundle)
            .filter((file) => file.endsWith(".css"))
            .map((file) => asset(bundle, file)),
          preload,
          ...(budget && { budget }),
        };
        this.emitFile({
          type: "asset",
          fileName: "manifest.json",
          source: `${JSON.stringify(manifest, null, 2)}\n`,
        });
      },
    },
  };
}

function entryCode(bundle: OutputBundle, main: string, lazy: readonly string[]): string {
  const code = `export{default}from"./${main}";`;
  if (lazy.length === 0) return code;
  const table = Object.fromEntries(
    lazy.map((file) => [
      `./${file}`,
      [...staticClosure(bundle, file)].reverse().map((needed) => {
        const { href, integrity } = asset(bundle, needed);
        return [`./${href}`, integrity];
      }),
    ]),
  );
  return `${code}import{registerChunks as r}from"@tenon/host";r(import.meta.url,${JSON.stringify(table)});`;
}
