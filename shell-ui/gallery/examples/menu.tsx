import { Button, Menu, MenuHeading, MenuItem, MenuLink, MenuSeparator, toast } from "@tenon/ui";
import { Copy, Download, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";

export default function Example() {
  const [wide, setWide] = useState(true);
  return (
    <Menu trigger={<Button>Actions</Button>} label="Actions of the note">
      <MenuItem icon={Pencil} shortcut="mod+e" onSelect={() => toast("Renamed")}>
        Rename
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => toast("Duplicated")}>
        Duplicate
      </MenuItem>
      <MenuLink icon={Download} to="/app/notes/export">
        Export
      </MenuLink>
      <MenuSeparator />
      <MenuHeading>View</MenuHeading>
      <MenuItem checked={wide} onSelect={() => setWide(!wide)}>
        Wide page
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} danger onSelect={() => toast("Moved to the trash")}>
        Delete
      </MenuItem>
    </Menu>
  );
}
