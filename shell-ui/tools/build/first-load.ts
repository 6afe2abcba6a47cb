import type { OutputChunk } from "rollup";
import type { ImportMap } from "./index-page.ts";

/** URLs of the chunks and shared modules that an entry needs at once. `chunks` have their URLs as keys. */
export function firstLoad(
  entry: string,
  chunks: ReadonlyMap<string, OutputChunk>,
  imports: ImportMap["imports"],
): string[] {
  const seen = new Set<string>();
  const visit = (href: string) => {
    const folder = href.slice(0, href.lastIndexOf("/") + 1);
    for (const name of chunks.get(href)?.imports ?? []) {
      const next = imports[name] ?? (name.startsWith("/") ? name : folder + name);
      if (seen.has(next)) continue;
      seen.add(next);
      visit(next);
    }
  };
  visit(entry);
  return [...seen];
}
