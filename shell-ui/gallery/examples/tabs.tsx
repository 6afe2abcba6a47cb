import { Tabs } from "@tenon/ui";
import { useState } from "react";

export default function Example() {
  const [tab, setTab] = useState("open");
  return (
    <Tabs
      label="Cards"
      value={tab}
      onChange={setTab}
      items={[
        { id: "open", title: "Open", content: <p className="g-item">Three open cards.</p> },
        { id: "done", title: "Done", content: <p className="g-item">Twelve cards are done.</p> },
      ]}
    />
  );
}
