import { cssTargets } from "@tenon/rollup-preset";
import { bundleAsync } from "lightningcss";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** One minified stylesheet of a file and what it imports; package names resolve as in JavaScript. */
export async function bundleStyles(filename: string): Promise<string> {
  const { code } = await bundleAsync({
    filename,
    minify: true,
    targets: cssTargets,
    resolver: {
      read: (path) => readFile(path, "utf8"),
      resolve: (specifier, from) =>
        specifier.startsWith(".")
          ? fileURLToPath(new URL(specifier, `file://${from}`))
          : fileURLToPath(import.meta.resolve(specifier)),
    },
  });
  return code.toString();
}
