import { diffArrays } from "diff";

/** Lines `from` up to, but without, `to` of a text were replaced by `lines`. An insertion has `from` = `to`. */
export interface LineChange {
  from: number;
  to: number;
  lines: readonly string[];
}

/** With more changed lines than this, two texts count as changed in one piece: the search for less takes too long. */
export const maxChangedLines = 1_000;

/** The changes that make `after` out of `before`, in order. Between two of them is at least one equal line. */
export function changedLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  if (a.length === 0 && b.length === 0) return [];

  const parts = diffArrays(a, b, { maxEditLength: maxChangedLines });
  if (!parts) return [{ from: start, to: start + a.length, lines: b }];
  const changes: LineChange[] = [];
  let at = start;
  let open: { from: number; to: number; lines: string[] } | null = null;
  for (const { value, added, removed } of parts) {
    if (!added && !removed) {
      open = null;
      at += value.length;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      changes.push(open);
    }
    if (added) open.lines.push(...value);
    else {
      at += value.length;
      open.to = at;
    }
  }
  return changes;
}
