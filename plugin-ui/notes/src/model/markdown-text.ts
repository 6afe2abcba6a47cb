/** Facts about a Markdown text that its lines alone give. */

const fence = /^---[ \t]*$/;
const maxFrontMatterLines = 200;

/** Number of lines of the front matter, with both fences; 0 without one. */
export function frontMatterLines(lineAt: (index: number) => string | null): number {
  if (!fence.test((lineAt(0) ?? "").replace(/^\uFEFF/, ""))) return 0;
  for (let index = 1; index < maxFrontMatterLines; index++) {
    const line = lineAt(index);
    if (line === null) return 0;
    if (fence.test(line)) return index + 1;
  }
  return 0;
}

const heading = /^#[ \t]+(.*?)[ \t]*#*[ \t]*$/;

/** The line of a text's own title: a first-level heading before anything else. Index and title. */
export function leadingHeading(
  lineAt: (index: number) => string | null,
): { index: number; title: string } | null {
  let index = frontMatterLines(lineAt);
  for (let line = lineAt(index); line !== null; line = lineAt(++index)) {
    if (line.trim() === "") continue;
    const match = heading.exec(line.replace(/^\uFEFF/, ""));
    return match?.[1] ? { index, title: match[1] } : null;
  }
  return null;
}

/** The text of a note that is renamed: a first heading that says the same is renamed with it. */
export function retitle(text: string, before: string, after: string): string {
  const lineAt = linesOf(text);
  const found = leadingHeading(lineAt);
  if (after.trim() === "" || found?.title !== before) return text;
  let start = 0;
  for (let line = 0; line < found.index; line++) start = text.indexOf("\n", start) + 1;
  const from = text.indexOf(before, start + 1);
  return text.slice(0, from) + after.trim() + text.slice(from + before.length);
}

/** Checks or unchecks the task in a line, from 0. */
export function toggleTaskLine(text: string, line: number): string {
  let start = 0;
  for (let at = 0; at < line; at++) {
    start = text.indexOf("\n", start) + 1;
    if (start === 0) return text;
  }
  const end = text.indexOf("\n", start);
  const whole = text.slice(start, end < 0 ? undefined : end);
  const match = /^(?:[\s>]*(?:[-*+]|\d+[.)])[ \t]+)+\[([ xX])\]/.exec(whole);
  if (!match) return text;
  const at = start + match[0].length - 2;
  return `${text.slice(0, at)}${match[1] === " " ? "x" : " "}${text.slice(at + 1)}`;
}

/** Reads lines of a string, as the functions above want it. */
export function linesOf(text: string): (index: number) => string | null {
  const starts = [0];
  return (index) => {
    while (starts.length <= index) {
      const end = text.indexOf("\n", starts.at(-1));
      if (end < 0) return null;
      starts.push(end + 1);
    }
    const start = starts[index] ?? 0;
    const end = text.indexOf("\n", start);
    return text.slice(start, end < 0 ? undefined : end).replace(/\r$/, "");
  };
}

/** Words, where a text without spaces counts each run of letters as one. */
export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;
}

/** The content of `[[…]]`. */
export interface WikiLink {
  /** As the server knows it. */
  target: string;
  heading: string;
  shown: string;
}

export function parseWikiLink(inside: string): WikiLink {
  const bar = inside.indexOf("|");
  const whole = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const hash = whole.indexOf("#");
  const target = hash < 0 ? whole : whole.slice(0, hash).trim();
  const shown = bar < 0 ? "" : inside.slice(bar + 1).trim();
  return { target, heading: hash < 0 ? "" : whole.slice(hash + 1).trim(), shown: shown || whole };
}

export const wikiLinkPattern = /\[\[([^[\]\n]{1,400})\]\]/;

/** The `id` that a heading has in links, as GitHub makes it. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}
