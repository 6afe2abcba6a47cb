import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { environment, lucide, minify, sharedNames, typescript } from "@tenon/rollup-preset";
import { rollup, type ManualChunksOption, type OutputChunk, type Plugin } from "rollup";

const virtualPrefix = "\0entry:";

/** Entries given as source, under their name. */
function virtualEntries(sources: Readonly<Record<string, string>>): Plugin {
  return {
    name: "tenon:virtual-entries",
    resolveId: (source) => (source.startsWith(virtualPrefix) ? source : null),
    load: (id) =>
      id.startsWith(virtualPrefix) ? (sources[id.slice(virtualPrefix.length)] ?? null) : null,
  };
}

/** Leaves shared names to the import map, but for those that this build is to make. */
function sharedFromPage(
  own: ReadonlySet<string>,
  elsewhere: Readonly<Record<string, string>>,
): Plugin {
  return {
    name: "tenon:shared-from-page",
    resolveId: {
      order: "pre",
      handler(source) {
        const url = elsewhere[source];
        if (url) return { id: url, external: "absolute" };
        return sharedNames.includes(source) && !own.has(source)
          ? { id: source, external: true }
          : null;
      },
    },
  };
}

export interface BundleOptions {
  /** Name to path, or to source where `virtual`. */
  entries: Readonly<Record<string, string>>;
  virtual?: boolean;
  /** Shared names that are bundled here. */
  own?: readonly string[];
  plugins?: readonly Plugin[];
  /** Entry whose chunk holds all that it shares with others. */
  base?: string;
  /** The module from which icons import `createIcon`. */
  createIconFrom?: string;
  /** Names of further modules, and the URL where the page has them. */
  elsewhere?: Readonly<Record<string, string>>;
  /** The development builds of packages, not minified. */
  development?: boolean;
}

/** Removes React Aria's texts in other languages: the shell is in English only. */
function englishOnly(): Plugin {
  return {
    name: "tenon:english-only",
    load(id) {
      const isOther =
        /react-aria.*[\\/]intl[\\/].*[\\/][a-z]{2}-[A-Z]{2}\.mjs$/.test(id) &&
        !id.endsWith("en-US.mjs");
      return isOther ? "export default {};" : null;
    },
  };
}

/** Removes React Router's framework mode, which the shell does not use: prefetching links and documents. */
function withoutFrameworkMode(): Plugin {
  return {
    name: "tenon:without-framework-mode",
    load: (id) =>
      /[\\/]react-router[\\/].*[\\/]dom[\\/]ssr[\\/]components\.m?js$/.test(id)
        ? {
            code: `import { createContext } from "react";
              export const FrameworkContext = createContext(undefined);
              export const PrefetchPageLinks = () => null;
              export const usePrefetchBehavior = () => [false, null, {}];
              export const mergeRefs = (ref) => ref;
              export const others = {};`,
            syntheticNamedExports: "others",
          }
        : null,
  };
}

/** Puts an entry and all it imports in one chunk. */
function inChunkOf(entry: string): ManualChunksOption {
  let modules: Set<string> | undefined;
  return (id, { getModuleInfo }) => {
    if (!modules) {
      modules = new Set();
      const visit = (next: string) => {
        if (modules?.has(next) || getModuleInfo(next)?.isExternal) return;
        modules?.add(next);
        getModuleInfo(next)?.importedIds.forEach(visit);
      };
      visit(virtualPrefix + entry);
    }
    return modules.has(id) ? entry : null;
  };
}

/** Bundles for the page; the chunks are final. */
export async function bundle(options: BundleOptions): Promise<OutputChunk[]> {
  const { entries, virtual = false, own = [], plugins = [] } = options;
  const { createIconFrom = "@tenon/ui/frame", elsewhere = {}, base, development } = options;
  const names = Object.keys(entries);
  const build = await rollup({
    input: virtual
      ? Object.fromEntries(names.map((name) => [name, virtualPrefix + name]))
      : entries,
    preserveEntrySignatures: "allow-extension",
    plugins: [
      ...plugins,
      virtual && virtualEntries(entries),
      sharedFromPage(new Set(own), elsewhere),
      typescript(),
      lucide(createIconFrom),
      nodeResolve({
        browser: true,
        extensions: [".ts", ".tsx", ".mjs", ".js"],
        // Otherwise NODE_ENV decides.
        exportConditions: ["production"],
      }),
      // Before commonjs(), which then leaves the other build of a package out.
      development && environment({ development }),
      commonjs(),
      englishOnly(),
      withoutFrameworkMode(),
      !development && environment(),
      !development && minify(),
    ],
    onwarn(warning, warn) {
      // "use client" means nothing here.
      const inPackage = warning.ids?.every((id) => id.includes("node_modules")) ?? false;
      if (warning.code === "CIRCULAR_DEPENDENCY" && inPackage) return;
      if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
    },
  });
  try {
    const { output } = await build.generate({
      format: "es",
      entryFileNames: "[name].[hash].js",
      chunkFileNames: "[name].[hash].js",
      hashCharacters: "base36",
      manualChunks: base ? inChunkOf(base) : undefined,
      generatedCode: { preset: "es2015", constBindings: true },
    });
    return output.filter((file) => file.type === "chunk");
  } finally {
    await build.close();
  }
}
