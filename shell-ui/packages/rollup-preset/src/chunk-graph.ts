import type { OutputBundle, OutputChunk } from "rollup";

export function chunksOf(bundle: OutputBundle): OutputChunk[] {
  return Object.values(bundle).filter((file) => file.type === "chunk");
}

/** Own chunks that come with this one: itself, and what it imports statically. */
export function staticClosure(
  bundle: OutputBundle,
  fileName: string,
  seen = new Set<string>(),
): Set<string> {
  const chunk = bundle[fileName];
  if (chunk?.type !== "chunk" || seen.has(fileName)) return seen;
  seen.add(fileName);
  for (const next of chunk.imports) staticClosure(bundle, next, seen);
  return seen;
}
