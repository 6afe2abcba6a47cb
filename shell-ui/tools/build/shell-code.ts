import { fileURLToPath } from "node:url";
import type { OutputChunk, Plugin } from "rollup";
import { bundle } from "./bundle.ts";

const main = fileURLToPath(new URL("../../shell/src/main.tsx", import.meta.url));

export interface ShellCodeOptions {
  /** Names of modules that the page has at other URLs: the shell takes its part of `@tenon/ui` from the chunk of it. */
  elsewhere: Readonly<Record<string, string>>;
  /** URL of the folder with the icons' data. */
  icons: string;
  styles: Plugin;
  /** For the page of `tenon dev`. */
  development?: boolean;
}

/** Bundles the shell. */
export async function buildShellCode(options: ShellCodeOptions): Promise<OutputChunk[]> {
  const { elsewhere, icons, styles, development = false } = options;
  return bundle({
    entries: { shell: main },
    elsewhere,
    development,
    plugins: [
      styles,
      constants({
        "import.meta.env.TENON_ICONS": icons,
        "import.meta.env.TENON_DEVELOPMENT": development,
      }),
    ],
  });
}

function constants(values: Readonly<Record<string, string | boolean>>): Plugin {
  return {
    name: "tenon:constants",
    transform(code) {
      let replaced = code;
      for (const [name, value] of Object.entries(values)) {
        replaced = replaced.replaceAll(name, JSON.stringify(value));
      }
      return replaced === code ? null : { code: replaced, map: null };
    },
  };
}
