import type { EditorView } from "@codemirror/view";

/** A place in a text: a line from 0, and how far into it, 0 to 1. 0 alone: the very top. */
export type ScrollLine = number;

interface Mark {
  line: number;
  top: number;
}

/** Where the rendered blocks begin, top down, in pixels of the window. */
function marksOf(preview: HTMLElement): Mark[] {
  const marks: Mark[] = [];
  for (const element of preview.querySelectorAll("[data-line]")) {
    const line = Number(element.getAttribute("data-line"));
    const last = marks.at(-1);
    if (!Number.isFinite(line) || (last && line <= last.line)) continue;
    marks.push({ line, top: element.getBoundingClientRect().top });
  }
  return marks;
}

/** The line of the text at the top of the scroller, by the rendered blocks. */
export function previewLine(scroller: HTMLElement, preview: HTMLElement): ScrollLine {
  if (scroller.scrollTop <= 0) return 0;
  const edge = scroller.getBoundingClientRect().top;
  const marks = marksOf(preview);
  const next = marks.findIndex(({ top }) => top > edge);
  const before = marks[(next < 0 ? marks.length : next) - 1];
  const after = next < 0 ? undefined : marks[next];
  if (!before) return 0;
  const bottom = after?.top ?? preview.getBoundingClientRect().bottom;
  const share = bottom > before.top ? (edge - before.top) / (bottom - before.top) : 0;
  return before.line + Math.min(1, share) * ((after?.line ?? before.line + 1) - before.line);
}

/** Scrolls a line of the text to the top of the scroller. */
export function scrollPreview(scroller: HTMLElement, preview: HTMLElement, line: ScrollLine): void {
  if (line <= 0) {
    scroller.scrollTop = 0;
    return;
  }
  const marks = marksOf(preview);
  const next = marks.findIndex((mark) => mark.line > line);
  const before = marks[(next < 0 ? marks.length : next) - 1];
  if (!before) return;
  const after =
    next < 0 ? { line: before.line + 1, top: preview.getBoundingClientRect().bottom } : marks[next];
  if (!after) return;
  const share = (line - before.line) / Math.max(1, after.line - before.line);
  const top = before.top + Math.min(1, share) * (after.top - before.top);
  scroller.scrollTop += top - scroller.getBoundingClientRect().top;
}

/** The line at the top of the scroller, by the editor. */
export function editorLine(scroller: HTMLElement, view: EditorView): ScrollLine {
  if (scroller.scrollTop <= 0) return 0;
  const height = scroller.getBoundingClientRect().top - view.documentTop;
  if (height <= 0) return 0;
  const block = view.lineBlockAtHeight(height);
  const share =
    block.height > 0 ? Math.min(1, Math.max(0, (height - block.top) / block.height)) : 0;
  return view.state.doc.lineAt(block.from).number - 1 + share;
}

/** Scrolls a line to the top of the scroller. */
export function scrollEditor(scroller: HTMLElement, view: EditorView, line: ScrollLine): void {
  if (line <= 0) {
    scroller.scrollTop = 0;
    return;
  }
  const { doc } = view.state;
  const at = doc.line(Math.max(1, Math.min(doc.lines, Math.floor(line) + 1)));
  const block = view.lineBlockAt(at.from);
  const top = view.documentTop + block.top + (line - Math.floor(line)) * block.height;
  scroller.scrollTop += top - scroller.getBoundingClientRect().top;
  // An editor that is new does not listen to its scroller yet, and would draw nothing here.
  view.requestMeasure();
}

/** Scrolls a heading into sight. Returns whether there is one. */
export function scrollToHeading(root: HTMLElement | null, slug: string): boolean {
  const wanted = slug.toLowerCase();
  const found = [...(root?.querySelectorAll<HTMLElement>("[data-slug]") ?? [])].find(
    ({ dataset }) => dataset.slug === wanted,
  );
  found?.scrollIntoView({ block: "start" });
  return found !== undefined;
}
