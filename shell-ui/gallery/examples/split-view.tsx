import { SplitView, VirtualList } from "@tenon/ui";
import { useState } from "react";

const notes = Array.from({ length: 500 }, (_, index) => `Note ${index + 1}`);

export default function Example() {
  const [open, setOpen] = useState("Note 2");
  return (
    <div className="g-tall">
      <SplitView
        listLabel="Notes"
        listWidth="12rem"
        showDetail={false}
        list={
          <VirtualList
            label="Notes"
            items={notes}
            itemKey={(note) => note}
            rowHeight={36}
            selectedKey={open}
            onOpen={(note) => setOpen(note)}
            renderItem={(note) => <div className="g-item">{note}</div>}
          />
        }
        detail={<p className="g-item">{open} is open. Move with arrow keys.</p>}
      />
    </div>
  );
}
