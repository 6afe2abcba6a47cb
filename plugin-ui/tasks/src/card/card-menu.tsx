import { useRecordActions } from "@tenon/host";
import { IconButton, Menu, MenuItem } from "@tenon/ui";
import { Ellipsis } from "lucide-react";
import type { Card } from "../tables.gen.ts";

/** The actions of other plugins on a card. */
export function CardMenu({ card }: { card: Card }) {
  const actions = useRecordActions("tasks.card.actions", card);
  if (actions.length === 0) return null;
  return (
    <Menu
      label="Actions of the card"
      align="end"
      trigger={<IconButton icon={Ellipsis} label="More" />}
    >
      {actions.map(({ id, title, icon, run }) => (
        <MenuItem key={id} icon={icon} onSelect={run}>
          {title}
        </MenuItem>
      ))}
    </Menu>
  );
}
