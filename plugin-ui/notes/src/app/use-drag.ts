import { useEffect, useRef, useState, type RefObject } from "react";
import type { Notebook, NoteRow } from "../model/types.ts";
import type { Dragging } from "./drag.ts";

/** A target where something dragged can be dropped. */
export type Target = { kind: "notebook"; id: string | null | undefined } | { kind: "trash" };

export type Dragged = { kind: "note"; note: NoteRow } | { kind: "notebook"; notebook: Notebook };

/** The action for a drop; the page sets it. */
export const dropped: { handle: ((what: Dragged, target: Target) => void) | null } = {
  handle: null,
};

let library: Promise<Dragging> | null = null;

/** Comes after the page is shown; until then nothing can be dragged. */
function loadDragging(): Promise<Dragging> {
  library ??= import("./drag.ts").then(({ dragging }) => dragging);
  library.catch(() => (library = null));
  return library;
}

function useRegistration(
  element: RefObject<HTMLElement | null>,
  register: ((library: Dragging, element: HTMLElement) => () => void) | null,
  key: unknown,
): void {
  const latest = useRef(register);
  useEffect(() => {
    latest.current = register;
  });
  const active = register !== null;
  useEffect(() => {
    if (!active) return;
    let stop: (() => void) | undefined;
    let ended = false;
    const begin = setTimeout(() => {
      loadDragging()
        .then((library) => {
          if (!ended && element.current) stop = latest.current?.(library, element.current);
        })
        .catch(() => undefined);
    }, 300);
    return () => {
      ended = true;
      clearTimeout(begin);
      stop?.();
    };
  }, [element, active, key]);
}

/** Lets a person drag an element. The keyboard's way is the move dialog. */
export function useDraggable(element: RefObject<HTMLElement | null>, what: Dragged | null): void {
  const latest = useRef(what);
  useEffect(() => {
    latest.current = what;
  });
  useRegistration(
    element,
    what && ((library, target) => library.draggable(target, () => latest.current ?? what)),
    null,
  );
}

/** Whether something that may be dropped here is over the element. */
export function useDropTarget(
  element: RefObject<HTMLElement | null>,
  target: Target | null,
): boolean {
  const [over, setOver] = useState(false);
  useRegistration(
    element,
    target && ((library, at) => library.dropTarget(at, target, setOver, dropped)),
    target && JSON.stringify(target),
  );
  return over;
}
