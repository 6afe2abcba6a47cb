import DOMPurify from "dompurify";
import { attributes, elements } from "./allowed.ts";
import { own } from "./markdown.ts";

/** Addresses a link may have: web, mail, telephone, and places in the notes. */
const addresses = /^(?:(?:https?|mailto|tel):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

/** Pictures embedded in the text; all others would reveal to a server that the note is read. */
const inlinePicture = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i;

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}

let ready = false;

function prepare(): void {
  if (ready) return;
  ready = true;
  DOMPurify.addHook("uponSanitizeElement", (element) => {
    if (!isElement(element)) return;
    // The only boxes are those that the renderer made of tasks.
    if (
      element.localName === "input" &&
      !element.getAttribute("data-task")?.startsWith(`${own} `)
    ) {
      element.remove();
    }
  });
  DOMPurify.addHook("beforeSanitizeAttributes", (element) => {
    if (!isElement(element)) return;
    // Names would shadow properties of the page; links in the note find them all the same.
    const name = element.getAttribute("id") ?? element.getAttribute("name");
    element.removeAttribute("data-slug");
    element.removeAttribute("data-blocked");
    if (name) element.setAttribute("data-slug", name.toLowerCase());
    if (!element.getAttribute("data-wiki")?.startsWith(`${own} `))
      element.removeAttribute("data-wiki");
    if (element.localName === "img") {
      const source = element.getAttribute("src")?.trim() ?? "";
      if (inlinePicture.test(source)) return;
      element.removeAttribute("src");
      element.setAttribute("data-blocked", source);
    }
  });
}

/** What of a note's HTML may be shown, as nodes. Nothing in it runs, loads, or reaches out of its place. */
export function sanitize(html: string): DocumentFragment {
  prepare();
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: elements,
    ALLOWED_ATTR: attributes,
    ALLOWED_URI_REGEXP: addresses,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOW_UNKNOWN_PROTOCOLS: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
