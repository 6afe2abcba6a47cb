import { TreeView } from "@tenon/ui/data";
import { useState } from "react";

const notebooks = [
  {
    id: "work",
    title: "Work",
    children: [
      { id: "plans", title: "Plans" },
      { id: "minutes", title: "Minutes" },
    ],
  },
  { id: "home", title: "Home", children: [{ id: "recipes", title: "Recipes" }] },
  { id: "archive", title: "Archive" },
];

export default function Example() {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set(["work"]));
  const [selected, setSelected] = useState("plans");
  return (
    <TreeView
      label="Notebooks"
      nodes={notebooks}
      expanded={expanded}
      onExpand={setExpanded}
      selected={selected}
      onOpen={setSelected}
    />
  );
}
