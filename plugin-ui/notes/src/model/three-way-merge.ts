import { changedLines, type LineChange } from "./changed-lines.ts";
import { lineEndOf, linesOf } from "./line-ends.ts";

export interface ThreeWayMerge {
  /** Both people's changes; where they overlap, mine. */
  mine: string;
  /** Both people's changes; where they overlap, theirs. Equal to `mine` without an overlap. */
  theirs: string;
  /** Places in which both changed the same lines differently. */
  overlaps: number;
}

interface Region {
  from: number;
  to: number;
  mine: LineChange[];
  theirs: LineChange[];
}

/**
 * Merges two changes of the same text by lines.
 *
 * 1. Changes in different lines are both taken, also in neighbouring lines.
 * 2. The same change on both sides is taken once.
 * 3. Changes of the same lines overlap, and so do insertions at the same place. Changes that touch overlap when they
 *    add the same line, which would be there twice.
 *
 * The result has the line ends of `theirs`.
 */
export function mergeTexts(base: string, mine: string, theirs: string): ThreeWayMerge {
  const lines = linesOf(base);
  const [mineLines, theirLines] = [linesOf(mine), linesOf(theirs)];
  const merged: { mine: string[]; theirs: string[] } = { mine: [], theirs: [] };
  let overlaps = 0;
  let at = 0;
  const take = (some: readonly string[], other = some) => {
    for (const line of some) merged.mine.push(line);
    for (const line of other) merged.theirs.push(line);
  };
  for (const region of regionsOf(changedLines(lines, mineLines), changedLines(lines, theirLines))) {
    take(lines.slice(at, region.from));
    at = region.to;
    const here = applied(lines, region, region.mine);
    const there = applied(lines, region, region.theirs);
    if (region.theirs.length === 0) take(here);
    else if (region.mine.length === 0) take(there);
    else {
      if (!isEqual(here, there)) overlaps += 1;
      take(here, there);
    }
  }
  take(lines.slice(at));
  const lineEnd = lineEndOf(theirs);
  return { mine: merged.mine.join(lineEnd), theirs: merged.theirs.join(lineEnd), overlaps };
}

/** Puts changes that overlap into one region each; all others get a region of their own. */
function regionsOf(mine: readonly LineChange[], theirs: readonly LineChange[]): Region[] {
  const all = [
    ...mine.map((change) => ({ change, side: "mine" as const })),
    ...theirs.map((change) => ({ change, side: "theirs" as const })),
  ].sort((a, b) => a.change.from - b.change.from || a.change.to - b.change.to);
  const regions: Region[] = [];
  for (const { change, side } of all) {
    let region = regions.at(-1);
    if (!region || !overlaps(region, change)) {
      region = { from: change.from, to: change.to, mine: [], theirs: [] };
      regions.push(region);
    }
    region[side].push(change);
    region.to = Math.max(region.to, change.to);
  }
  return regions;
}

/** `change` begins at or after the region's start. */
function overlaps(region: Region, change: LineChange): boolean {
  if (change.from < region.to) return true;
  if (change.from > region.to) return false;
  const isSameInsertion = region.from === region.to && change.from === change.to;
  const added = [...region.mine, ...region.theirs].flatMap(({ lines }) => lines);
  return isSameInsertion || change.lines.some((line) => line.trim() !== "" && added.includes(line));
}

/** The lines of a region after one side's changes. */
function applied(lines: readonly string[], { from, to }: Region, changes: readonly LineChange[]) {
  const result: string[] = [];
  let at = from;
  for (const change of changes) {
    result.push(...lines.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  result.push(...lines.slice(at, to));
  return result;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
