import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

// Raw HTML stays text; pictures are named, not fetched.
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
markdown.renderer.rules.image = (tokens, index) =>
  `<em>${markdown.utils.escapeHtml(tokens[index]?.content ?? "")}</em>`;

const allowed = [
  ...["a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"],
  ...["li", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"],
];

/** Markdown as nodes in which nothing runs. `@Name` of a named person is highlighted. */
export function renderMarkdown(text: string, names: readonly string[] = []): DocumentFragment {
  const fragment = DOMPurify.sanitize(markdown.render(text), {
    ALLOWED_TAGS: allowed,
    ALLOWED_ATTR: ["href", "start", "title"],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll("a")) {
    if (link.origin === location.origin) continue;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  if (names.length > 0) markNames(fragment, names);
  return fragment;
}

function markNames(fragment: DocumentFragment, names: readonly string[]): void {
  const byLength = names.toSorted((a, b) => b.length - a.length).map((name) => `@${name}`);
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const node of texts) {
    if (node.parentElement?.closest("code, pre, a")) continue;
    let rest: Text | null = node;
    while (rest) {
      const data: string = rest.data;
      const found = byLength
        .map((name) => ({ name, at: data.indexOf(name) }))
        .filter(({ at }) => at >= 0)
        .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length)[0];
      if (!found) break;
      const name: Text = rest.splitText(found.at);
      rest = name.data.length > found.name.length ? name.splitText(found.name.length) : null;
      const mark = document.createElement("mark");
      name.replaceWith(mark);
      mark.append(name);
    }
  }
}
