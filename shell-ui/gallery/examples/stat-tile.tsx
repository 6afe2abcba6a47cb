import { StatTile, StatTiles } from "@tenon/ui";

export default function Example() {
  return (
    <StatTiles>
      <StatTile label="Open cards" value="128" change="12 more than last week" trend="up" />
      <StatTile
        label="Done this week"
        value="37"
        change="9 more than last week"
        trend="up"
        tone="success"
        to="/app/tasks?done"
      />
      <StatTile label="Overdue" value="6" change="2 more than last week" trend="up" tone="danger" />
      <StatTile label="Members" value="14" />
    </StatTiles>
  );
}
