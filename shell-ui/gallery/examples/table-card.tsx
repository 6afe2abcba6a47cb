import { Badge, TableCard } from "@tenon/ui";

const plugins = [
  { name: "Notes", version: "2.4.0", state: "Active" },
  { name: "Tasks", version: "1.9.1", state: "Active" },
  { name: "Mail", version: "0.3.0", state: "Disabled" },
];

export default function Example() {
  return (
    <TableCard label="Plugins" columns={["Name", "Version", "State"]}>
      {plugins.map(({ name, version, state }) => (
        <tr key={name}>
          <td>{name}</td>
          <td>{version}</td>
          <td>
            <Badge tone={state === "Active" ? "success" : "neutral"}>{state}</Badge>
          </td>
        </tr>
      ))}
    </TableCard>
  );
}
