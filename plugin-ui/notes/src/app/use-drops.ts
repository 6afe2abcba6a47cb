import { useEffect } from "react";
import { pathText } from "../model/notebook-tree.ts";
import { useNotebooks } from "../model/queries.ts";
import { dropped } from "./use-drag.ts";
import { useMoveNotebook } from "./use-move-notebook.ts";
import { useNoteActions } from "./use-note-actions.ts";

/** Does what a drop on a notebook or on the trash means. */
export function useDrops(): void {
  const { items } = useNotebooks();
  const { move, trash } = useNoteActions();
  const moveNotebook = useMoveNotebook();
  useEffect(() => {
    dropped.handle = (what, target) => {
      if (what.kind === "notebook") {
        if (target.kind === "notebook" && target.id) void moveNotebook(what.notebook, target.id);
      } else if (target.kind === "trash") void trash(what.note);
      else {
        const id = target.id ?? null;
        void move(what.note, id, id === null ? "no notebook" : pathText(items, id));
      }
    };
    return () => {
      dropped.handle = null;
    };
  });
}
