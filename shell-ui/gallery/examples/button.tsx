import { Button, IconButton, LinkButton, Spinner } from "@tenon/ui";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";

export default function Example() {
  const [busy, setBusy] = useState(false);
  return (
    <div className="g-row">
      <Button variant="primary" icon={Plus}>
        New note
      </Button>
      <Button busy={busy} onClick={() => setBusy(!busy)}>
        Save
      </Button>
      <Button variant="danger">Delete</Button>
      <Button variant="ghost">Cancel</Button>
      <Button size="small">Small</Button>
      <Button disabled>Disabled</Button>
      <LinkButton to="/app/notes">Open notes</LinkButton>
      <IconButton icon={Pencil} label="Rename" shortcut="mod+e" />
      <IconButton icon={Trash2} label="Delete note" variant="ghost" />
      <Spinner />
    </div>
  );
}
