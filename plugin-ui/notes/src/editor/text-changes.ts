import { changedLines } from "../model/changed-lines.ts";

/** A change of a document, as the editor takes it. */
export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

/** The changes that make `after` out of `before`, each as small as whole characters allow. Line ends are `\n`. */
export function textChanges(before: string, after: string): TextChange[] {
  const lines = before.split("\n");
  /** The offset of each line; one more for a line after the last one. */
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return changedLines(lines, after.split("\n")).map(({ from, to, lines: inserted }) => {
    const start = starts[from] ?? 0;
    const end = starts[to] ?? 0;
    const insert = inserted.map((line) => `${line}\n`).join("");
    if (to < lines.length) return trimmed(before, { from: start, to: end, insert });
    // The last line has no line end: the one before the change goes or comes with it.
    if (from === 0)
      return trimmed(before, { from: 0, to: before.length, insert: insert.slice(0, -1) });
    const separated = inserted.map((line) => `\n${line}`).join("");
    return trimmed(before, { from: start - 1, to: before.length, insert: separated });
  });
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00;
const isLowSurrogate = (code: number) => code >= 0xdc00 && code < 0xe000;

/** Without what is equal at both ends of a change. */
function trimmed(text: string, { from, to, insert }: TextChange): TextChange {
  const shortest = Math.min(to - from, insert.length);
  let start = 0;
  while (start < shortest && text.charCodeAt(from + start) === insert.charCodeAt(start)) start += 1;
  if (start > 0 && isHighSurrogate(insert.charCodeAt(start - 1))) start -= 1;
  let end = 0;
  while (
    end < shortest - start &&
    text.charCodeAt(to - 1 - end) === insert.charCodeAt(insert.length - 1 - end)
  ) {
    end += 1;
  }
  if (end > 0 && isLowSurrogate(insert.charCodeAt(insert.length - end))) end -= 1;
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}
