import { SegmentedControl } from "@tenon/ui";
import { BarChart } from "@tenon/ui/charts";
import { useState } from "react";

const quarters = ["Spring", "Summer", "Autumn", "Winter"];
const series = [
  { name: "Notes", values: [320, 410, 380, 505] },
  { name: "Tasks", values: [210, 260, 335, 290] },
  { name: "Mail", values: [120, 180, 170, 240] },
];

export default function Example() {
  const [layout, setLayout] = useState("grouped");
  return (
    <div className="t-form">
      <SegmentedControl
        label="Bars"
        value={layout}
        onChange={setLayout}
        options={[
          { value: "grouped", label: "Grouped" },
          { value: "stacked", label: "Stacked" },
        ]}
      />
      <BarChart
        label="Records by season"
        points={quarters}
        series={series}
        stacked={layout === "stacked"}
      />
    </div>
  );
}
