import "./packages.css";
import { IconButton, Menu, MenuItem, MenuSeparator } from "@tenon/ui";
import { Ellipsis, History, Trash2 } from "lucide-react";
import { useState } from "react";
import type { PluginRecord } from "../console-api.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { RollbackDialog } from "./rollback-dialog.tsx";

/** The actions for a plugin that was installed from a package; none for one in a plugin directory. */
export function PluginActions({ plugin }: { plugin: PluginRecord }) {
  const [dialog, setDialog] = useState<"rollback" | "remove" | null>(null);
  const { name, previous, signer } = plugin;
  if (!previous && !signer) return null;
  const label = `Actions for ${name}`;
  const close = () => setDialog(null);
  return (
    <>
      <Menu label={label} align="end" trigger={<IconButton icon={Ellipsis} label={label} />}>
        {previous && (
          <MenuItem icon={History} onSelect={() => setDialog("rollback")}>
            Roll back to {previous}…
          </MenuItem>
        )}
        {previous && signer && <MenuSeparator />}
        {signer && (
          <MenuItem danger icon={Trash2} onSelect={() => setDialog("remove")}>
            Remove…
          </MenuItem>
        )}
      </Menu>
      <RollbackDialog plugin={plugin} open={dialog === "rollback"} onClose={close} />
      <RemoveDialog plugin={plugin} open={dialog === "remove"} onClose={close} />
    </>
  );
}
