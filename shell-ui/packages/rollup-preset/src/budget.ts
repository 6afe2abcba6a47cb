import type { OutputBundle, Plugin } from "rollup";
import { chunksOf, staticClosure } from "./chunk-graph.ts";
import { gzipSize } from "./compress.ts";

/** Kilobytes (1,024), gzipped. */
export const defaultBudget = { entry: 50, chunk: 200, styles: 20 } as const;

export interface BudgetOptions {
  /** Larger limits in gzipped kilobytes, with the reason for them. */
  budget?: { entry?: number; chunk?: number; styles?: number; reason: string };
}

function sizeOf(bundle: OutputBundle, files: Iterable<string>): number {
  let bytes = 0;
  for (const file of files) {
    const output = bundle[file];
    if (output) bytes += gzipSize(output.type === "chunk" ? output.code : output.source);
  }
  return bytes / 1024;
}

/** What is in the page by the time that any chunk asks for this one: what all that import it need themselves. */
function loadedBefore(bundle: OutputBundle, fileName: string): Set<string> {
  const [first, ...others] = chunksOf(bundle)
    .filter(({ dynamicImports }) => dynamicImports.includes(fileName))
    .map((importer) => staticClosure(bundle, importer.fileName));
  return new Set([...(first ?? [])].filter((file) => others.every((closure) => closure.has(file))));
}

/** Refuses an entry, a chunk loaded later, or a stylesheet above its limit. */
export function budget({ budget: given }: BudgetOptions): Plugin {
  const limits = { ...defaultBudget, ...given };
  return {
    name: "tenon:budget",
    generateBundle(_options, bundle) {
      if (given && !given.reason.trim()) this.error("A larger budget needs a reason.");
      const check = (what: string, size: number, limit: number) => {
        if (size <= limit) return;
        this.error(
          `${what} is ${size.toFixed(1)} KB gzipped, over its budget of ${limit} KB. ` +
            "Load what the first page does not need with import(), or give `budget` with a reason.",
        );
      };
      const atOnce = new Set<string>();
      for (const chunk of chunksOf(bundle))
        if (chunk.isEntry) staticClosure(bundle, chunk.fileName, atOnce);
      check("The entry with its static imports", sizeOf(bundle, atOnce), limits.entry);
      for (const chunk of chunksOf(bundle)) {
        if (!chunk.isDynamicEntry) continue;
        const there = new Set([...atOnce, ...loadedBefore(bundle, chunk.fileName)]);
        const own = [...staticClosure(bundle, chunk.fileName)].filter((file) => !there.has(file));
        check(`Chunk ${chunk.name} with its static imports`, sizeOf(bundle, own), limits.chunk);
      }
      const sheets = Object.keys(bundle).filter((file) => file.endsWith(".css"));
      check("The stylesheet", sizeOf(bundle, sheets), limits.styles);
    },
  };
}
