import { Chunk, type Change } from "@codemirror/merge";
import { Text } from "@codemirror/state";

export interface DiffSegment {
  text: string;
  changed: boolean;
}

/** A line of a difference, or lines left out that are the same on both sides. */
export type DiffRow =
  | { kind: "same" | "removed" | "added"; line: number; segments: readonly DiffSegment[] }
  | { kind: "gap"; lines: number };

export interface Difference {
  rows: readonly DiffRow[];
  added: number;
  removed: number;
}

/** Lines shown around a change. */
const context = 3;
/** A gap below this is shown instead. */
const smallestGap = 3;
const config = { scanLimit: 2_000, timeout: 300 };

const textOf = (source: string) => Text.of(source.split(/\r\n?|\n/));

/** Computes the changes from one text to another, by lines, and by words within them. */
export function difference(before: string, after: string): Difference {
  const [a, b] = [textOf(before), textOf(after)];
  const rows: DiffRow[] = [];
  let [added, removed] = [0, 0];
  // Lines, from 1, that are not dealt with yet.
  let lineB = 1;
  const chunks = Chunk.build(a, b, config);
  const pushSame = (until: number, isFirst: boolean, isLast: boolean) => {
    const count = until - lineB;
    const head = isFirst ? 0 : context;
    const tail = isLast ? 0 : context;
    const hidden = count - head - tail;
    for (let line = lineB; line < until; line++) {
      const at = line - lineB;
      if (hidden >= smallestGap && at === head) rows.push({ kind: "gap", lines: hidden });
      if (hidden >= smallestGap && at >= head && at < head + hidden) continue;
      rows.push({ kind: "same", line, segments: [{ text: b.line(line).text, changed: false }] });
    }
    lineB = until;
  };
  chunks.forEach((chunk, index) => {
    const gone = before === "" ? [] : linesIn(a, chunk.fromA, chunk.toA);
    const come = after === "" ? [] : linesIn(b, chunk.fromB, chunk.toB);
    let start = chunk.fromB > b.length ? b.lines + 1 : b.lineAt(chunk.fromB).number;
    // A line that only got a neighbour has not changed.
    const same = (ofA = 0, ofB = 0) => ofA > 0 && ofB > 0 && a.line(ofA).text === b.line(ofB).text;
    for (; same(gone[0], come[0]); start++) {
      gone.shift();
      come.shift();
    }
    while (same(gone.at(-1), come.at(-1))) {
      gone.pop();
      come.pop();
    }
    pushSame(start, index === 0, false);
    // Words are only worth marking where a line has a counterpart.
    const hasText = (text: Text, lines: number[]) =>
      lines.some((line) => text.line(line).text.trim() !== "");
    const marks = hasText(a, gone) && hasText(b, come);
    for (const line of gone) {
      rows.push({
        kind: "removed",
        line,
        segments: segmentsOf(a, line, chunk.fromA, chunk.changes, "A", marks),
      });
    }
    for (const line of come) {
      rows.push({
        kind: "added",
        line,
        segments: segmentsOf(b, line, chunk.fromB, chunk.changes, "B", marks),
      });
    }
    removed += gone.length;
    added += come.length;
    lineB = after === "" ? b.lines + 1 : start + come.length;
  });
  pushSame(b.lines + 1, chunks.length === 0, true);
  return { rows: chunks.length === 0 ? [] : rows, added, removed };
}

function linesIn(text: Text, from: number, to: number): number[] {
  if (from >= to) return [];
  const first = text.lineAt(from).number;
  const last = text.lineAt(Math.min(to - 1, text.length)).number;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function segmentsOf(
  text: Text,
  number: number,
  base: number,
  changes: readonly Change[],
  side: "A" | "B",
  marks: boolean,
): DiffSegment[] {
  const line = text.line(number);
  if (!marks) return [{ text: line.text, changed: false }];
  const segments: DiffSegment[] = [];
  const push = (from: number, to: number, changed: boolean) => {
    if (to > from)
      segments.push({ text: line.text.slice(from - line.from, to - line.from), changed });
  };
  let at = line.from;
  for (const change of changes) {
    const from = Math.max(line.from, base + (side === "A" ? change.fromA : change.fromB));
    const to = Math.min(line.to, base + (side === "A" ? change.toA : change.toB));
    if (to <= from || to <= at) continue;
    push(at, from, false);
    push(from, to, true);
    at = to;
  }
  push(at, line.to, false);
  return segments;
}
