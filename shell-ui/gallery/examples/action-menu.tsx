import { toast } from "@tenon/ui";
import { ActionMenu, PopoverButton, PressButton } from "@tenon/ui/overlays";
import { Archive, FolderInput, ListFilter, Trash2 } from "lucide-react";

export default function Example() {
  return (
    <div className="g-row">
      <ActionMenu
        label="Actions of the card"
        trigger={<PressButton className="t-button">Card</PressButton>}
        actions={[
          { id: "archive", title: "Archive", icon: Archive, run: () => toast("Archived") },
          {
            id: "move",
            title: "Move to",
            icon: FolderInput,
            actions: ["Ideas", "Doing", "Done"].map((title) => ({
              id: title,
              title,
              run: () => toast(`Moved to ${title}`),
            })),
          },
          "separator",
          { id: "delete", title: "Delete", icon: Trash2, run: () => toast("Deleted") },
        ]}
      />
      <PopoverButton label="Filter" icon={ListFilter}>
        {(close) => (
          <div className="t-form">
            <p>Only cards that are due this week.</p>
            <PressButton className="t-button" onPress={close}>
              Apply
            </PressButton>
          </div>
        )}
      </PopoverButton>
    </div>
  );
}
