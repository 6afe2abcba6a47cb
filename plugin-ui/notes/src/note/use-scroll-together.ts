import { useEffect, type RefObject } from "react";
import type { NoteEditor } from "../editor/note-editor.ts";
import { editorLine, previewLine, scrollEditor, scrollPreview } from "../preview/scroll-line.ts";

export interface ScrollTogether {
  enabled: boolean;
  scroller: RefObject<HTMLElement | null>;
  editor: RefObject<NoteEditor | null>;
  reading: RefObject<HTMLElement | null>;
  prose: RefObject<HTMLElement | null>;
}

/** After this without scrolling, the other side may lead, milliseconds. */
const quiet = 150;

/** Text and preview show the same place: the one that is scrolled leads. */
export function useScrollTogether({
  enabled,
  scroller,
  editor,
  reading,
  prose,
}: ScrollTogether): void {
  useEffect(() => {
    const [left, right] = [scroller.current, reading.current];
    if (!enabled || !left || !right) return;
    let leader: HTMLElement | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const follow = () => {
      const view = editor.current?.view;
      const rendered = prose.current;
      if (!view || !rendered) return;
      if (leader === left) scrollPreview(right, rendered, editorLine(left, view));
      else scrollEditor(left, view, previewLine(right, rendered));
    };
    const onScroll = (event: Event) => {
      if (leader !== null && leader !== event.currentTarget) return;
      leader = event.currentTarget as HTMLElement;
      clearTimeout(timer);
      timer = setTimeout(() => (leader = null), quiet);
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(follow);
    };
    for (const side of [left, right]) side.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      for (const side of [left, right]) side.removeEventListener("scroll", onScroll);
    };
  }, [enabled, scroller, editor, reading, prose]);
}
