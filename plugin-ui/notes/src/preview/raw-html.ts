import { attributes, elements } from "./allowed.ts";

/** Elements whose inside is no text: they go with all they hold. */
const unreadable =
  /<(script|style|iframe|noscript|noembed|noframes|object|svg|math|template|textarea|title|xmp|select)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
/** Comments, declarations, processing instructions, character data. */
const unspoken =
  /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<![a-z][^>]*(?:>|$)/gi;
/** A tag as CommonMark 6.6 writes it. */
const tag =
  /<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*)\s*\/?>/gi;
const attribute = /([a-z_:][\w.:-]*)(?:\s*=\s*(?:([^\s"'=<>`]+)|'([^']*)'|"([^"]*)"))?/gi;

const known = new Set<string>(elements);
const kept = new Set<string>([...attributes, "id", "name"]);

const asText = (text: string) => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const asValue = (value: string) => value.replaceAll('"', "&quot;").replaceAll("<", "&lt;");

function attributesOf(source: string): string {
  let written = "";
  for (const [, name = "", bare, single, double] of source.matchAll(attribute)) {
    const lower = name.toLowerCase();
    if (!kept.has(lower) || lower.startsWith("data-")) continue;
    written += ` ${lower}="${asValue(bare ?? single ?? double ?? "")}"`;
  }
  return written;
}

/**
 * Rewrites the HTML of a note with what may be in it. The sanitizer that comes after it decides; this only keeps
 * from the browser's parser what the page's policy would report.
 */
export function rewriteHtml(html: string): string {
  const source = html.replace(unreadable, "").replace(unspoken, "");
  let written = "";
  let at = 0;
  for (const match of source.matchAll(tag)) {
    const [whole, slash = "", name = "", inside = ""] = match;
    written += asText(source.slice(at, match.index));
    at = match.index + whole.length;
    const lower = name.toLowerCase();
    if (!known.has(lower) || lower === "input") continue;
    written += slash ? `</${lower}>` : `<${lower}${attributesOf(inside)}>`;
  }
  return written + asText(source.slice(at));
}
