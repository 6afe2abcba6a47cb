import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import {
  Cell,
  Column,
  Row,
  Table,
  TableBody,
  TableHeader,
  type Selection,
} from "react-aria-components/Table";
import "../styles/aria.css";

export interface DataColumn<T> {
  id: string;
  title: string;
  render(item: T): ReactNode;
  /** Names the row for screen readers; one column has it. */
  isRowHeader?: boolean;
  sortable?: boolean;
}

export interface Sort {
  column: string;
  descending: boolean;
}

export interface DataTableProps<T> {
  label: string;
  columns: readonly DataColumn<T>[];
  items: readonly T[];
  itemKey(item: T): string;
  sort?: Sort;
  onSort?(sort: Sort): void;
  selected?: ReadonlySet<string>;
  onSelect?(selected: ReadonlySet<string>): void;
  /** Enter, or a click where nothing is selected. */
  onOpen?(item: T): void;
  empty?: ReactNode;
}

/** A table that is walked by arrows, sorted by its heads, and where rows are selected. */
export function DataTable<T extends object>({
  label,
  columns,
  items,
  itemKey,
  sort,
  onSort,
  selected,
  onSelect,
  onOpen,
  empty,
}: DataTableProps<T>) {
  const keys = (selection: Selection) =>
    new Set(selection === "all" ? items.map(itemKey) : [...selection].map(String));
  return (
    <Table
      className="t-aria-table"
      aria-label={label}
      selectionMode={onSelect ? "multiple" : "none"}
      selectedKeys={selected}
      onSelectionChange={onSelect && ((selection) => onSelect(keys(selection)))}
      onRowAction={
        onOpen &&
        ((key) => {
          const item = items.find((other) => itemKey(other) === key);
          if (item) onOpen(item);
        })
      }
      sortDescriptor={
        sort && { column: sort.column, direction: sort.descending ? "descending" : "ascending" }
      }
      onSortChange={({ column, direction }) =>
        onSort?.({ column: String(column), descending: direction === "descending" })
      }
    >
      <TableHeader>
        {columns.map((column) => (
          <Column
            key={column.id}
            id={column.id}
            isRowHeader={column.isRowHeader}
            allowsSorting={column.sortable}
          >
            {({ sortDirection }) => (
              <div>
                {column.title}
                {sortDirection === "ascending" && <ArrowUp size={14} />}
                {sortDirection === "descending" && <ArrowDown size={14} />}
              </div>
            )}
          </Column>
        ))}
      </TableHeader>
      <TableBody renderEmptyState={() => empty ?? "No items"}>
        {items.map((item) => (
          <Row key={itemKey(item)} id={itemKey(item)}>
            {columns.map((column) => (
              <Cell key={column.id}>{column.render(item)}</Cell>
            ))}
          </Row>
        ))}
      </TableBody>
    </Table>
  );
}
