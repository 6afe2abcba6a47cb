import MarkdownIt, { type Token } from "markdown-it";
import {
  frontMatterLines,
  leadingHeading,
  linesOf,
  parseWikiLink,
  wikiLinkPattern,
} from "../model/markdown-text.ts";
import { rewriteHtml } from "./raw-html.ts";

/** Marks what this renderer made itself, so that nothing in a note can pass for it. */
export const own = Math.random().toString(36).slice(2);

type Parser = InstanceType<typeof MarkdownIt>;

function parser(): Parser {
  // Raw HTML goes through the sanitizer like everything else.
  const markdown = new MarkdownIt({ html: true, linkify: true });
  markdown.inline.ruler.before("link", "wiki_link", (state, silent) => {
    if (!state.src.startsWith("[[", state.pos)) return false;
    const match = wikiLinkPattern.exec(state.src.slice(state.pos, state.pos + 410));
    if (match?.index !== 0) return false;
    if (!silent) {
      const { target, heading, shown } = parseWikiLink(match[1] ?? "");
      const open = state.push("link_open", "a", 1);
      open.attrs = [
        ["href", "#"],
        ["data-wiki", `${own} ${target}`],
        ["data-heading", heading],
      ];
      state.push("text", "", 0).content = shown;
      state.push("link_close", "a", -1);
    }
    state.pos += match[0].length;
    return true;
  });
  markdown.core.ruler.push("lines_and_tasks", (state) => {
    const offset = Number(state.env.offset ?? 0);
    state.tokens.forEach((token, index) => {
      if (token.map && token.nesting >= 0)
        token.attrSet("data-line", String(token.map[0] + offset));
      // The page takes no styles from attributes.
      const align = /text-align:\s*(left|center|right)/.exec(
        String(token.attrGet("style") ?? ""),
      )?.[1];
      if (align)
        token.attrs = [
          ...(token.attrs ?? []).filter(([name]) => name !== "style"),
          ["align", align],
        ];
      if (token.type === "list_item_open") makeTask(state.tokens, index, offset, state.Token);
    });
  });
  const rewritten = (tokens: Token[], index: number) => rewriteHtml(tokens[index]?.content ?? "");
  markdown.renderer.rules.html_block = rewritten;
  markdown.renderer.rules.html_inline = rewritten;
  markdown.renderer.rules.task_box = (tokens, index) => tokens[index]?.content ?? "";
  markdown.renderer.rules.fence = (tokens, index) => {
    const token = tokens[index];
    if (!token) return "";
    const language = token.info.trim().split(/\s+/)[0] ?? "";
    const escape = markdown.utils.escapeHtml;
    const line = String(token.attrGet("data-line") ?? "");
    return `<pre data-line="${escape(line)}" data-language="${escape(language)}"><code>${escape(token.content)}</code></pre>\n`;
  };
  return markdown;
}

const taskMark = /^\[([ xX])\](?=\s|$)[ \t]?/;

function makeTask(tokens: Token[], index: number, offset: number, Make: typeof Token): void {
  const item = tokens[index];
  const inline = tokens[index + 2];
  if (!item?.map || tokens[index + 1]?.type !== "paragraph_open" || inline?.type !== "inline")
    return;
  const first = inline.children?.[0];
  const match = taskMark.exec(first?.type === "text" ? first.content : "");
  if (!first || !match) return;
  first.content = first.content.slice(match[0].length);
  const box = new Make("task_box", "", 0);
  const checked = match[1] === " " ? "" : " checked";
  box.content = `<input type="checkbox"${checked} data-task="${own} ${item.map[0] + offset}">`;
  inline.children?.unshift(box);
  item.attrSet("data-is-task", checked ? "done" : "open");
}

let shared: Parser | null = null;

export interface RenderOptions {
  /** A first heading that says the same is left out. */
  title?: string;
}

/** HTML of a note's text, **not** safe to show: it goes to `sanitize`. Front matter is left out. */
export function markdownToHtml(text: string, { title }: RenderOptions = {}): string {
  const markdown = (shared ??= parser());
  const lineAt = linesOf(text);
  let skipped = frontMatterLines(lineAt);
  const heading = title ? leadingHeading(lineAt) : null;
  if (heading && heading.title === title) skipped = heading.index + 1;
  let body = text.replace(/^\uFEFF/, "");
  for (let line = 0; line < skipped; line++) {
    const end = body.indexOf("\n");
    body = end < 0 ? "" : body.slice(end + 1);
  }
  return markdown.render(body, { offset: skipped });
}
