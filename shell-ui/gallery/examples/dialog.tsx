import { Button, ConfirmDialog, Dialog, Field, Input } from "@tenon/ui";
import { useState } from "react";

export default function Example() {
  const [open, setOpen] = useState<"rename" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="g-row">
      <Button onClick={() => setOpen("rename")}>Rename</Button>
      <Button variant="danger" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      <Dialog
        open={open === "rename"}
        onClose={close}
        title="Rename notebook"
        onSubmit={close}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit">
              Rename
            </Button>
          </>
        }
      >
        <Field label="Name">
          <Input defaultValue="Recipes" />
        </Field>
      </Dialog>
      <ConfirmDialog
        open={open === "delete"}
        onClose={close}
        onConfirm={close}
        title="Delete “Recipes” for good?"
        action="Delete"
        danger
      >
        Its 12 notes cannot be restored.
      </ConfirmDialog>
    </div>
  );
}
