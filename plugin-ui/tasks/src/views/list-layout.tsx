import { EmptyState, RelativeTime } from "@tenon/ui";
import { ArrowDown, ArrowUp, SearchX } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation } from "react-router";
import { DueBadge, Faces, LabelChip } from "../board/card-face.tsx";
import { byPosition } from "../model/order.ts";
import { cardPath } from "../model/location.ts";
import type { BoardData, CardRow } from "../model/types.ts";
import "../styles/list.css";

type SortBy = "board" | "title" | "due" | "updated";

interface Order {
  by: SortBy;
  down: boolean;
}

/** Rows in an order; what has no due day is last in either. */
export function sorted(data: BoardData, { by, down }: Order): CardRow[] {
  const position = new Map(data.columns.map(({ id }, index) => [id, index]));
  const inBoard = (a: CardRow, b: CardRow) =>
    (position.get(a.column) ?? 0) - (position.get(b.column) ?? 0) || byPosition(a, b);
  const sign = down ? -1 : 1;
  const compare = (a: CardRow, b: CardRow): number => {
    if (by === "title") return sign * a.title.localeCompare(b.title) || inBoard(a, b);
    if (by === "updated") return sign * a.updated.localeCompare(b.updated) || inBoard(a, b);
    if (by === "due") {
      if (a.due === null || b.due === null)
        return Number(a.due === null) - Number(b.due === null) || inBoard(a, b);
      return sign * a.due.localeCompare(b.due) || inBoard(a, b);
    }
    return sign * inBoard(a, b);
  };
  return data.shown.toSorted(compare);
}

const heads: readonly { by: SortBy | null; title: string; name: string }[] = [
  { by: "title", title: "Title", name: "title" },
  { by: "board", title: "Column", name: "column" },
  { by: null, title: "Labels", name: "labels" },
  { by: null, title: "Assigned", name: "people" },
  { by: "due", title: "Due", name: "due" },
  { by: "updated", title: "Changed", name: "updated" },
];

/** All cards as a table. */
export function ListLayout({ data }: { data: BoardData }) {
  const { search } = useLocation();
  const [order, setOrder] = useState<Order>({ by: "board", down: false });
  const rows = useMemo(() => sorted(data, order), [data, order]);
  const columns = new Map(data.columns.map((column) => [column.id, column]));
  if (rows.length === 0)
    return (
      <EmptyState
        icon={SearchX}
        title={data.isFiltered ? "No cards match the filters" : "No cards yet"}
      />
    );
  return (
    <div className="tasks-list" tabIndex={0} role="region" aria-label="Cards">
      <table className="t-table">
        <thead>
          <tr>
            {heads.map(({ by, title, name }) => (
              <th
                key={name}
                scope="col"
                data-cell={name}
                aria-sort={by === order.by ? (order.down ? "descending" : "ascending") : undefined}
              >
                {by === null ? (
                  title
                ) : (
                  <button
                    type="button"
                    onClick={() => setOrder({ by, down: order.by === by && !order.down })}
                  >
                    {title}
                    {by === order.by &&
                      (order.down ? <ArrowDown size={14} /> : <ArrowUp size={14} />)}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((card) => {
            const column = columns.get(card.column);
            return (
              <tr key={card.id}>
                <td data-cell="title">
                  <Link className="t-ellipsis" to={cardPath(data.board, card.id) + search}>
                    {card.title}
                  </Link>
                </td>
                <td data-cell="column">{column?.title}</td>
                <td data-cell="labels">
                  <span className="tasks-labels">
                    {card.labels.map((id) => {
                      const label = data.labels.get(id);
                      return label && <LabelChip key={id} label={label} />;
                    })}
                  </span>
                </td>
                <td data-cell="people">
                  <Faces people={card.assignees} names={data.names} />
                </td>
                <td data-cell="due">
                  {card.due !== null && <DueBadge due={card.due} isDone={column?.done ?? false} />}
                </td>
                <td data-cell="updated" className="t-muted">
                  <RelativeTime value={card.updated} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
