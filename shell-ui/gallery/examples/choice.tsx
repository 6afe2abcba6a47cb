import { Checkbox, SearchInput, SegmentedControl, Switch } from "@tenon/ui";
import { Columns3, List } from "lucide-react";
import { useState } from "react";

export default function Example() {
  const [view, setView] = useState("board");
  const [open, setOpen] = useState(false);
  return (
    <div className="t-form g-narrow">
      <SegmentedControl
        label="View"
        value={view}
        onChange={setView}
        options={[
          { value: "board", label: "Board", icon: Columns3 },
          { value: "list", label: "List", icon: List },
        ]}
      />
      <SearchInput label="Search cards" />
      <Checkbox defaultChecked>Only my cards</Checkbox>
      <Switch label="Show archived cards" checked={open} onChange={setOpen} />
    </div>
  );
}
