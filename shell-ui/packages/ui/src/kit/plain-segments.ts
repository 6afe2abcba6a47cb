/** A part of a text that a search found, and whether it is what was searched for. */
export interface Segment {
  text: string;
  match: boolean;
}

// Noncharacters of Unicode mark the start and the end of a match, and code, in which Markdown has no meaning.
const [begin, end, code] = ["\uFDD0", "\uFDD1", "\uFDD2"];

/** Removes the marks of Markdown from a search result: front matter, emphasis, headings, links, lists, tables. */
export function plainSegments(segments: readonly Segment[]): Segment[] {
  const joined = segments
    .map(({ text, match }) => {
      const own = text.replace(/[\uFDD0-\uFDD2]/g, "");
      return match ? begin + own + end : own;
    })
    .join("");
  let match = false;
  const found: Segment[] = [];
  for (const text of plain(joined).split(/([\uFDD0\uFDD1])/)) {
    if (text === begin || text === end) match = text === begin;
    else if (text !== "") found.push({ text, match });
  }
  return found;
}

/** Removes Markdown marks. They come in pairs, at the edges of words; other such characters stay. */
function plain(text: string): string {
  const codes: string[] = [];
  const words = text
    // A match in front matter is shown there.
    .replace(/^\uFEFF?---\s[^\uFDD0]*?\s---(?=\s|$)/, "")
    // A part of a text may begin inside of its front matter: lines like "key: value", and the fence below them.
    .replace(
      /^…(?:[^\n\uFDD0]*\n)?(?:(?:[\w-]+:|[ \t]+|-[ \t])[^\n\uFDD0]*\n)+---[ \t]*(?=\n|$)/,
      "…",
    )
    .replace(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs, (_, _ticks, inner: string) => {
      codes.push(inner);
      return `${code}${codes.length - 1}${code}`;
    })
    .replace(/`{3,}/g, "")
    .replace(/!?\[([^\][]*)\]\([^)\s]*\)/g, "$1")
    .replace(/(?<![\p{L}\p{N}_]\uFDD1?)!?\[\[([^\][]*)\]\]/gu, "$1")
    .replace(/(?<=(?:^|\s)(?:[-*+]|\d+[.)])\s+)\[[ xX]\](?=\s)/g, "")
    .replace(/(^|\s)#{1,6}(?=\s)/g, "$1")
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, "")
    .replace(/^[ \t]*[-*+][ \t]+(?=\S)/gm, "")
    .replace(/(?<![^\s\p{P}\uFDD0])(\*\*|~~)(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}])/gsu, "$2")
    .replace(/(?<![^\s\p{P}\uFDD0]|\*)\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\p{L}\p{N}*])/gu, "$1")
    // One word is a name: __init__.
    .replace(
      /(?<![^\s\p{P}\uFDD0])__(?![\w\uFDD0\uFDD1]+__)(?=\S)(.+?)(?<=\S)__(?![\p{L}\p{N}])/gsu,
      "$1",
    );
  return cells(words)
    .replace(/(?<=^|\s)-{3,}(?=\s|$)/g, "")
    .replace(/\uFDD2(\d+)\uFDD2/g, (_, at: string) => codes[Number(at)] ?? "")
    .replace(/\s+/g, " ")
    .replace(/^(\uFDD0?) /, "$1");
}

/** A table's cells; pipes without its second row are none. */
function cells(text: string): string {
  if (!/\|\s*:?-{2,}:?\s*\|/.test(text)) return text;
  return text.replace(/(?<=\|\s*):?-+:?(?=\s*\|)/g, "").replace(/(?:\s*\|)+\s*/g, " ");
}
