import { useStore } from "@tenon/host";
import { useEffect, useState } from "react";
import { dialog, type DialogState } from "../app/dialog-state.ts";
import { lazyComponent } from "../app/lazy.tsx";
import {
  DeleteFile,
  DeleteNotebook,
  DeleteNote,
  DeleteTag,
  EmptyTrash,
} from "./delete-dialogs.tsx";
import { MoveNote, MoveNotebook } from "./move-dialogs.tsx";
import { NewNotebook, RenameNotebook, RenameTag } from "./name-dialogs.tsx";
import "../styles/dialogs.css";

const Import = lazyComponent(() =>
  import("../transfer/import-dialog.tsx").then(({ ImportDialog }) => ImportDialog),
);
const Export = lazyComponent(() =>
  import("../transfer/export-dialog.tsx").then(({ ExportDialog }) => ExportDialog),
);

const Share = lazyComponent(() =>
  import("../share/share-dialog.tsx").then(({ ShareDialog }) => ShareDialog),
);

export interface DialogProps {
  open: boolean;
  onClose(): void;
}

/** While a dialog fades, milliseconds. */
const fade = 200;

/** The dialog that is asked for. */
export function Dialogs() {
  const asked = useStore(dialog);
  const [shown, setShown] = useState<DialogState | null>(asked);
  const [open, setOpen] = useState(true);
  if (asked && asked !== shown) {
    setShown(asked);
    setOpen(true);
  }
  useEffect(() => {
    if (open) return;
    const timer = setTimeout(() => dialog.set((now) => (now === shown ? null : now)), fade);
    return () => clearTimeout(timer);
  }, [open, shown]);
  if (!shown) return null;
  const props: DialogProps = { open, onClose: () => setOpen(false) };
  switch (shown.kind) {
    case "move-note":
      return <MoveNote {...props} note={shown.note} />;
    case "move-notebook":
      return <MoveNotebook {...props} notebook={shown.notebook} />;
    case "new-notebook":
      return <NewNotebook {...props} parent={shown.parent} />;
    case "rename-notebook":
      return <RenameNotebook {...props} notebook={shown.notebook} />;
    case "delete-notebook":
      return <DeleteNotebook {...props} notebook={shown.notebook} />;
    case "rename-tag":
      return <RenameTag {...props} tag={shown.tag} />;
    case "delete-tag":
      return <DeleteTag {...props} tag={shown.tag} />;
    case "delete-note":
      return <DeleteNote {...props} note={shown.note} />;
    case "empty-trash":
      return <EmptyTrash {...props} notes={shown.notes} />;
    case "delete-file":
      return <DeleteFile {...props} note={shown.note} file={shown.file} />;
    case "share":
      return <Share {...props} what={shown.what} id={shown.id} name={shown.name} />;
    case "import":
      return <Import {...props} dropped={shown.dropped} notebook={shown.notebook} />;
    case "export":
      return <Export {...props} notebook={shown.notebook} />;
  }
}
