import { readFile } from "node:fs/promises";
import type { Plugin } from "rollup";
import { contentHash } from "./integrity.ts";
import { minifyCss, scopeCss } from "./scoped-css.ts";

/** Collects the CSS files that modules import into one scoped stylesheet. */
export function pluginStyles(id: string): Plugin {
  const sheets = new Map<string, string>();
  return {
    name: "tenon:plugin-styles",
    buildStart() {
      sheets.clear();
    },
    async load(file) {
      if (!file.endsWith(".css")) return null;
      this.addWatchFile(file);
      sheets.set(file, scopeCss(id, file, await readFile(file, "utf8")));
      return { code: "export {}", moduleSideEffects: true };
    },
    generateBundle() {
      // In order of import, whatever was read first.
      const order: string[] = [];
      const seen = new Set<string>();
      const visit = (moduleId: string) => {
        if (seen.has(moduleId)) return;
        seen.add(moduleId);
        const info = this.getModuleInfo(moduleId);
        for (const next of [...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? [])])
          visit(next);
        if (sheets.has(moduleId)) order.push(moduleId);
      };
      for (const moduleId of this.getModuleIds())
        if (this.getModuleInfo(moduleId)?.isEntry) visit(moduleId);
      if (order.length === 0) return;
      const source = minifyCss(`${id}.css`, order.map((file) => sheets.get(file)).join(""));
      this.emitFile({ type: "asset", fileName: `entry.${contentHash(source)}.css`, source });
    },
  };
}
