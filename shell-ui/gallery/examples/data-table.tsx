import { Card } from "@tenon/ui";
import { DataTable, type Sort } from "@tenon/ui/data";
import { useState } from "react";

const books = [
  { id: "1", title: "Middlemarch", year: 1871 },
  { id: "2", title: "Dracula", year: 1897 },
  { id: "3", title: "Emma", year: 1815 },
];

export default function Example() {
  const [sort, setSort] = useState<Sort>({ column: "year", descending: false });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(["2"]));
  const key = sort.column === "year" ? "year" : "title";
  const items = books.toSorted(
    (one, other) => (one[key] < other[key] ? -1 : 1) * (sort.descending ? -1 : 1),
  );
  return (
    <Card>
      <DataTable
        label="Books"
        items={items}
        itemKey={({ id }) => id}
        columns={[
          {
            id: "title",
            title: "Title",
            render: ({ title }) => title,
            isRowHeader: true,
            sortable: true,
          },
          { id: "year", title: "Year", render: ({ year }) => year, sortable: true },
        ]}
        sort={sort}
        onSort={setSort}
        selected={selected}
        onSelect={setSelected}
      />
    </Card>
  );
}
