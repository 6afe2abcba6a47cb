import { Dialog } from "@tenon/ui";
import { useMoveNotebook } from "../app/use-move-notebook.ts";
import { titleOf, useNoteActions } from "../app/use-note-actions.ts";
import { isInside, pathText } from "../model/notebook-tree.ts";
import { useNotebooks } from "../model/queries.ts";
import type { Notebook, NoteRow } from "../model/types.ts";
import type { DialogProps } from "./dialogs.tsx";
import { NotebookPicker } from "./notebook-picker.tsx";

export function MoveNote({ note, ...props }: DialogProps & { note: NoteRow }) {
  const { items } = useNotebooks();
  const { move } = useNoteActions();
  return (
    <Dialog {...props} title={`Move “${titleOf(note)}”`}>
      <NotebookPicker
        notebooks={items}
        top="No notebook"
        current={note.notebook}
        onChoose={(id) => {
          props.onClose();
          void move(note, id, id === null ? "no notebook" : pathText(items, id));
        }}
      />
    </Dialog>
  );
}

export function MoveNotebook({ notebook, ...props }: DialogProps & { notebook: Notebook }) {
  const { items } = useNotebooks();
  const move = useMoveNotebook();
  return (
    <Dialog {...props} title={`Move the notebook “${notebook.name}”`}>
      <NotebookPicker
        notebooks={items.filter(({ id }) => !isInside(items, id, notebook.id))}
        all={items}
        top="Top level"
        current={notebook.parent}
        onChoose={(id) => {
          props.onClose();
          void move(notebook, id);
        }}
      />
    </Dialog>
  );
}
