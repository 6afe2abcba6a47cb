import { markdownLanguage } from "@codemirror/lang-markdown";
import { Language, syntaxHighlighting } from "@codemirror/language";
import { tagHighlighter, tags } from "@lezer/highlight";
import type { MarkdownConfig, MarkdownParser } from "@lezer/markdown";

const open = 91;
const close = 93;
const maxLength = 400;

/** `[[Title]]` as a node of its own, before it is taken for a link in brackets. */
const wikiLinks: MarkdownConfig = {
  defineNodes: [
    { name: "WikiLink", style: tags.link },
    { name: "WikiLinkMark", style: tags.processingInstruction },
    { name: "WikiLinkTarget", style: tags.labelName },
  ],
  parseInline: [
    {
      name: "WikiLink",
      before: "Link",
      parse(context, next, position) {
        if (next !== open || context.char(position + 1) !== open) return -1;
        for (let at = position + 2; at < Math.min(context.end, position + maxLength); at++) {
          const char = context.char(at);
          if (char === open || char === 10) return -1;
          if (char !== close) continue;
          if (context.char(at + 1) !== close || at === position + 2) return -1;
          const inside = context.slice(position + 2, at);
          const bar = inside.indexOf("|");
          return context.addElement(
            context.elt("WikiLink", position, at + 2, [
              context.elt("WikiLinkMark", position, position + 2),
              // The target is hidden where other words are shown for it.
              ...(bar >= 0
                ? [context.elt("WikiLinkTarget", position + 2, position + 3 + bar)]
                : []),
              context.elt("WikiLinkMark", at, at + 2),
            ]),
          );
        }
        return -1;
      },
    },
  ],
};

const parser = (markdownLanguage.parser as MarkdownParser).configure([
  { remove: ["Subscript", "Superscript", "Emoji"] },
  wikiLinks,
]);

/** GitHub's Markdown with links between notes. */
export const notesLanguage = new Language(markdownLanguage.data, parser, [], "markdown");

/** Classes for `editor.css`. */
export const notesHighlighting = syntaxHighlighting(
  tagHighlighter([
    { tag: tags.strong, class: "md-strong" },
    { tag: tags.emphasis, class: "md-emphasis" },
    { tag: tags.strikethrough, class: "md-strike" },
    { tag: tags.monospace, class: "md-code" },
    { tag: tags.link, class: "md-link" },
    { tag: tags.url, class: "md-url" },
    { tag: tags.labelName, class: "md-label" },
    { tag: tags.processingInstruction, class: "md-mark" },
    { tag: tags.contentSeparator, class: "md-mark" },
    { tag: tags.comment, class: "md-faint" },
    { tag: tags.tagName, class: "md-faint" },
    { tag: tags.escape, class: "md-faint" },
    { tag: tags.character, class: "md-faint" },
  ]),
);
