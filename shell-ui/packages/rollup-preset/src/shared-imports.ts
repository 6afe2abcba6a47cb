import { init, parse } from "es-module-lexer";
import type { Plugin } from "rollup";
import { packageName, sharedModules, singletonPackages } from "./shared-modules.ts";

const inPackages = /[\\/]node_modules[\\/]/;

/** Package of a file below `node_modules`, by its innermost folder. */
function packageOf(id: string): string | null {
  const inside = id.split(/[\\/]node_modules[\\/]/).at(-1);
  return inPackages.test(id) && inside ? packageName(inside.replaceAll("\\", "/")) : null;
}

function isBare(source: string): boolean {
  return !/^(\.|\/|\0|[a-z]+:)/.test(source);
}

/**
 * Leaves shared modules to the page's import map and refuses what could not work there: a bare
 * name that is neither shared nor among `bundled`, a name that a shared module does not offer,
 * and a second copy of a shared package. `alsoShared` are further names of the import map.
 */
export function sharedImports(
  bundled: ReadonlySet<string>,
  alsoShared: readonly string[] = [],
): Plugin {
  return {
    name: "tenon:shared-imports",
    resolveId: {
      order: "pre",
      handler(source, importer) {
        if (!importer || !isBare(source)) return null;
        if (source in sharedModules) return { id: source, external: true };
        const name = packageName(source);
        if (singletonPackages.has(name)) {
          return this.error(
            `"${source}" is not shared, and a second ${name} must not be bundled. ` +
              `Shared are: ${Object.keys(sharedModules).join(", ")}. (imported by ${importer})`,
          );
        }
        if (!bundled.has(name) && !inPackages.test(importer)) {
          return this.error(
            `"${source}" is not shared by the page. To bundle it, list "${name}" under ` +
              `"dependencies" in the plugin's package.json. (imported by ${importer})`,
          );
        }
        return null;
      },
    },
    async generateBundle(_options, bundle) {
      await init;
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of Object.keys(chunk.modules)) {
          const name = packageOf(id);
          if (name && singletonPackages.has(name)) {
            this.error(
              `${id} would be a second ${name} in the page. Import it by its shared name.`,
            );
          }
        }
        for (const [specifier, names] of Object.entries(chunk.importedBindings)) {
          const offered = sharedModules[specifier]?.exports;
          const missing =
            offered && names.filter((name) => name !== "*" && !offered.includes(name));
          if (missing && missing.length > 0) {
            this.error(`"${specifier}" is shared without ${missing.join(", ")}.`);
          }
        }
        const [imports] = parse(chunk.code);
        for (const { n: specifier } of imports) {
          if (!specifier || !isBare(specifier) || alsoShared.includes(specifier)) continue;
          if (!(specifier in sharedModules)) {
            this.error(
              `${chunk.fileName} would import "${specifier}", which the page does not have.`,
            );
          }
        }
      }
    },
  };
}
