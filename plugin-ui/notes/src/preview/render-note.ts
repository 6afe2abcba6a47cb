import { slugOf } from "../model/markdown-text.ts";
import { pictureElement } from "../editor/live-files.ts";
import { bytesText } from "../model/bytes.ts";
import { fileKey, type FileTable } from "../model/files.ts";
import { notesApi } from "../model/notes-api.ts";
import { notePath } from "../model/location.ts";
import type { Attachment, NoteLink } from "../model/types.ts";
import { markdownToHtml, own } from "./markdown.ts";
import { sanitize } from "./sanitize.ts";

export interface RenderInput {
  text: string;
  title: string;
  /** The notes that links lead to, by kind and target. */
  links: ReadonlyMap<string, NoteLink>;
  files?: FileTable;
  /** Boxes cannot be checked. */
  readOnly?: boolean;
}

const noFiles: FileTable = new Map();

/** A note's text as nodes to show. */
export function renderNote({
  text,
  title,
  links,
  files = noFiles,
  readOnly = false,
}: RenderInput): DocumentFragment {
  const fragment = sanitize(markdownToHtml(text, { title }));
  nameHeadings(fragment);
  for (const anchor of fragment.querySelectorAll("a")) finishLink(anchor, links, files);
  for (const image of fragment.querySelectorAll("img")) finishPicture(image, files);
  for (const box of fragment.querySelectorAll("input")) finishTask(box, readOnly);
  for (const table of fragment.querySelectorAll("table")) frame(table, "md-table");
  for (const code of fragment.querySelectorAll("pre")) code.tabIndex = 0;
  return fragment;
}

function nameHeadings(fragment: DocumentFragment): void {
  const taken = new Map<string, number>();
  for (const heading of fragment.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const slug = slugOf(heading.textContent);
    const count = taken.get(slug) ?? 0;
    taken.set(slug, count + 1);
    if (!heading.hasAttribute("data-slug")) {
      heading.setAttribute("data-slug", count === 0 ? slug : `${slug}-${count}`);
    }
  }
}

function hostOf(address: string): string {
  try {
    return new URL(address, "https://note.invalid").host.replace("note.invalid", "");
  } catch {
    return "";
  }
}

/** A picture from elsewhere is named, not fetched. */
function finishPicture(image: HTMLImageElement, files: FileTable): void {
  const address = image.getAttribute("data-blocked");
  if (address === null) {
    image.loading = "lazy";
    image.decoding = "async";
    if (!image.hasAttribute("alt")) image.alt = "";
    return;
  }
  const file = files.get(fileKey(address));
  if (file?.type) {
    image.removeAttribute("data-blocked");
    image.replaceWith(pictureElement(file, image.alt));
    return;
  }
  if (file && !image.closest("a")) {
    const link = document.createElement("a");
    link.textContent = image.alt.trim() || file.name;
    leadToFile(link, file);
    image.replaceWith(link);
    return;
  }
  const host = hostOf(address);
  const label = document.createElement("span");
  label.className = "md-picture";
  label.textContent = image.alt.trim() || address.split("/").at(-1)?.split("?")[0] || "Picture";
  label.title = host
    ? `Picture from ${host}. Pictures from other sites are not loaded.`
    : `Picture not attached to this note: ${address}`;
  image.replaceWith(label);
}

const web = /^https?:/i;
const reach = /^(?:mailto|tel):/i;

/** A file is saved, never opened here. */
function leadToFile(anchor: HTMLAnchorElement, file: Attachment): void {
  anchor.classList.add("md-file");
  anchor.setAttribute("href", notesApi.fileUrl(file.id, true));
  anchor.setAttribute("download", file.name);
  anchor.title = file.name;
  const size = document.createElement("span");
  size.className = "md-file-size";
  size.textContent = bytesText(file.bytes);
  anchor.append(" ", size);
}

function finishLink(
  anchor: HTMLAnchorElement,
  links: RenderInput["links"],
  files: FileTable,
): void {
  const wiki = anchor.getAttribute("data-wiki");
  if (wiki !== null) {
    const target = wiki.slice(own.length + 1);
    const link = links.get(`title ${target}`);
    anchor.setAttribute("data-target", target);
    anchor.removeAttribute("data-wiki");
    leadToNote(anchor, link, link !== undefined && link.note === null);
    if (!link?.note) anchor.setAttribute("data-unresolved", "");
    return;
  }
  const href = anchor.getAttribute("href")?.trim() ?? "";
  const file = files.get(fileKey(href));
  if (file) {
    leadToFile(anchor, file);
  } else if (web.test(href)) {
    anchor.target = "_blank";
    anchor.rel = "noopener noreferrer nofollow";
  } else if (href.startsWith("#")) {
    anchor.setAttribute("data-heading", decode(href.slice(1)));
  } else if (!reach.test(href)) {
    const [target = "", heading = ""] = href.split("#", 2);
    const link = links.get(`path ${target}`);
    if (heading) anchor.setAttribute("data-heading", decode(heading));
    leadToNote(anchor, link, true);
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function leadToNote(anchor: HTMLAnchorElement, link: NoteLink | undefined, isDead: boolean): void {
  if (link?.note) {
    anchor.setAttribute("href", notePath(link.note.id));
    anchor.setAttribute("data-note", link.note.id);
    if (link.note.deleted) {
      anchor.classList.add("md-unresolved");
      anchor.title = `“${link.note.title}” is in the trash`;
    }
    return;
  }
  if (!isDead) return;
  anchor.classList.add("md-unresolved");
  if (anchor.hasAttribute("data-target")) {
    anchor.title = "This note does not exist yet. Create it";
    return;
  }
  anchor.title = "This link does not lead to a note";
  anchor.removeAttribute("href");
}

function finishTask(box: HTMLInputElement, readOnly: boolean): void {
  const line = box.getAttribute("data-task")?.slice(own.length + 1) ?? "";
  box.setAttribute("data-task", line);
  box.disabled = readOnly;
  const text = box.closest("li")?.firstElementChild === box ? box.closest("li") : box.parentElement;
  box.setAttribute("aria-label", text?.textContent.trim().split("\n")[0]?.slice(0, 200) || "Task");
}

/** Wide things scroll by themselves. */
function frame(element: HTMLElement, className: string): void {
  const around = document.createElement("div");
  around.className = className;
  around.tabIndex = 0;
  element.replaceWith(around);
  around.append(element);
}

/** Replaces only the blocks that have changed, so that nothing jumps and pictures stay. */
export function patchChildren(container: HTMLElement, next: DocumentFragment): void {
  const fresh = [...next.childNodes];
  const shown = [...container.childNodes];
  const limit = Math.min(fresh.length, shown.length);
  let start = 0;
  while (start < limit && sameBlock(shown[start], fresh[start])) start += 1;
  let end = 0;
  while (
    end < limit - start &&
    sameBlock(shown[shown.length - 1 - end], fresh[fresh.length - 1 - end])
  ) {
    end += 1;
  }
  const after = shown[shown.length - end] ?? null;
  for (const node of shown.slice(start, shown.length - end)) node.remove();
  for (const node of fresh.slice(start, fresh.length - end)) container.insertBefore(node, after);
}

/** Equal but for the numbers of its lines, which are then those of the new one. */
function sameBlock(shown: ChildNode | undefined, fresh: ChildNode | undefined): boolean {
  if (!shown || !fresh) return false;
  if (shown.isEqualNode(fresh)) return true;
  if (!(shown instanceof Element) || !(fresh instanceof Element)) return false;
  if (shown.textContent !== fresh.textContent) return false;
  const [mine, theirs] = [numbered(shown), numbered(fresh)];
  if (mine.length !== theirs.length) return false;
  const before = mine.map((element) => linesIn(element));
  const after = theirs.map((element) => linesIn(element));
  mine.forEach((element, index) => setLines(element, after[index]));
  if (shown.isEqualNode(fresh)) return true;
  mine.forEach((element, index) => setLines(element, before[index]));
  return false;
}

const lineAttributes = ["data-line", "data-task"] as const;
type Lines = readonly (string | null)[];

function numbered(element: Element): Element[] {
  return [element, ...element.querySelectorAll("[data-line], [data-task]")];
}

function linesIn(element: Element): Lines {
  return lineAttributes.map((name) => element.getAttribute(name));
}

function setLines(element: Element, values: Lines | undefined): void {
  lineAttributes.forEach((name, index) => {
    const value = values?.[index];
    if (value != null) element.setAttribute(name, value);
  });
}
