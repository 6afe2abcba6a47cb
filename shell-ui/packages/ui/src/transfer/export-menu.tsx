import { Download } from "lucide-react";
import { clientFor } from "../client/use-api.ts";
import { Button } from "../kit/button.tsx";
import { Menu, MenuItem } from "../kit/menu.tsx";
import type { TableModule } from "../records/index.ts";
import type { ListOptions, TableTypes } from "../records/table.ts";

export interface ExportMenuProps<T extends TableTypes> {
  table: TableModule<T>;
  /** The filter, order and fields of the page; default: all records. */
  options?: Pick<ListOptions<T, keyof T["record"]>, "filter" | "sort" | "fields">;
}

const files = [
  { name: "CSV", query: { format: "csv" } },
  { name: "CSV for Excel", query: { format: "csv", bom: true } },
  { name: "JSON", query: { format: "json" } },
  { name: "JSON lines", query: { format: "jsonl" } },
] as const;

/** Saves the records of a table as a file: those that the person may see. */
export function ExportMenu<T extends TableTypes>({ table, options = {} }: ExportMenuProps<T>) {
  const { filter, sort, fields } = options;
  const save = (query: (typeof files)[number]["query"]) => {
    const link = document.createElement("a");
    link.href = clientFor(`/api/${table.plugin}`).url(`${table.table}/export`, {
      ...query,
      filter: filter?.toString(),
      sort: sort?.join(",") || undefined,
      fields: fields?.join(",") || undefined,
    });
    link.download = "";
    link.click();
  };
  return (
    <Menu trigger={<Button icon={Download}>Export</Button>} label="Export as" align="end">
      {files.map(({ name, query }) => (
        <MenuItem key={name} onSelect={() => save(query)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
