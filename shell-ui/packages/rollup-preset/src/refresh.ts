import { relative, sep } from "node:path";
import type { OutputOptions, Plugin, PreRenderedChunk } from "rollup";

/** React Fast Refresh: shared by the page of `tenon dev` only. */
export const refreshModule = "react-refresh/runtime";

const inPackages = /[\\/]node_modules[\\/]/;

/**
 * Builds for React Fast Refresh. Each module of the plugin is a file whose name changes with the module and with what it
 * imports, so that an open page evaluates again only what changed and its importers. One object for all builds of a
 * plugin.
 */
export class RefreshBuild {
  readonly #root: string;
  readonly #modules = new Map<string, { code: string | null; version: string }>();

  /** `root` is the folder of the plugin's UI. */
  constructor(root: string) {
    this.#root = root + sep;
  }

  #isOwn(id: string): boolean {
    return id.startsWith(this.#root) && !inPackages.test(id);
  }

  /** Registers components, with the hooks that each uses, by file and name. */
  plugin(): Plugin {
    const isOwn = (id: string) => this.#isOwn(id);
    const modules = this.#modules;
    const root = this.#root;
    return {
      name: "tenon:refresh",
      resolveId: {
        order: "pre",
        handler: (source) => (source === refreshModule ? { id: source, external: true } : null),
      },
      async transform(code, id) {
        if (!isOwn(id) || id.endsWith(".css")) return null;
        // A build for a package does not load it.
        const { transformSync } = await import("oxc-transform");
        const result = transformSync(id, code, {
          lang: "js",
          sourceType: "module",
          sourcemap: true,
          jsx: { refresh: true },
        });
        if (!/\$Refresh(Reg|Sig)\$\(/.test(result.code)) return null;
        const file = JSON.stringify(`${relative(root, id)} `);
        // On the first line, so that the lines of the map remain right.
        const register =
          `import * as $refresh$ from "${refreshModule}"; ` +
          `const $RefreshReg$ = (type, name) => $refresh$.register(type, ${file} + name), ` +
          `$RefreshSig$ = $refresh$.createSignatureFunctionForTransform; `;
        return { code: register + result.code, map: result.map ?? null };
      },
      renderStart() {
        for (const id of this.getModuleIds()) {
          const code = this.getModuleInfo(id)?.code ?? null;
          if (modules.get(id)?.code !== code)
            modules.set(id, { code, version: Date.now().toString(36) });
        }
      },
    };
  }

  /** A module that is as it was before the last change is a new one all the same: the page has to evaluate it again. */
  #nameOf = ({ name, moduleIds }: PreRenderedChunk): string => {
    const versions = moduleIds
      .filter((id) => this.#isOwn(id))
      .map((id) => this.#modules.get(id)?.version ?? "");
    const version = versions.sort().at(-1);
    return version ? `${name}.${version}.[hash].js` : "[name].[hash].js";
  };

  output(): OutputOptions {
    return {
      entryFileNames: this.#nameOf,
      chunkFileNames: this.#nameOf,
      hoistTransitiveImports: false,
      manualChunks: (id, { getModuleInfo }) => {
        if (getModuleInfo(id)?.isEntry || id.endsWith(".css")) return null;
        if (this.#isOwn(id))
          return relative(this.#root, id)
            .replace(/\.\w+$/, "")
            .replace(/[^\w-]+/g, "-");
        // An icon is often added, and no other package is to be evaluated again for it.
        return id.startsWith("\0lucide:") ? "icons" : "packages";
      },
    };
  }
}
