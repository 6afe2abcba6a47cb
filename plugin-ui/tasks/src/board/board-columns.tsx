import { useDraggable, useDroppable } from "@dnd-kit/core";
import { CircleCheck } from "lucide-react";
import { memo, useEffect, useRef, type KeyboardEvent } from "react";
import { Link, useLocation } from "react-router";
import { byPosition } from "../model/order.ts";
import { cardPath } from "../model/location.ts";
import type { BoardData, CardRow } from "../model/types.ts";
import type { Column } from "../tables.gen.ts";
import { AddCard } from "./add-card.tsx";
import { ask } from "./ask.ts";
import { CardFace } from "./card-face.tsx";
import { AddColumn, ColumnMenu, NoColumns } from "./column-parts.tsx";
import { DragArea, listEnd } from "./drag-area.tsx";
import {
  drawnColumns,
  isColumnWay,
  useColumnLift,
  useColumnMoves,
  type LiftedColumn,
} from "./use-column-lift.ts";
import { drawnCards, isWay, useLift, type Lifted } from "./use-lift.ts";
import { useArchiveCard, useMoves } from "./use-moves.ts";

/** Returns the id of the object around a target: of a card, or of a column by its handle. */
function idOf(kind: "card" | "handle", target: EventTarget): string | null {
  if (!(target instanceof HTMLElement)) return null;
  return target.closest<HTMLElement>(`[data-${kind}]`)?.dataset[kind] ?? null;
}

const linkOf = (card: string) => `[data-card="${CSS.escape(card)}"] > a`;
const handleOf = (column: string) => `[data-handle="${CSS.escape(column)}"]`;

function focusCard(root: HTMLElement | null, id: string | undefined): void {
  if (id !== undefined) root?.querySelector<HTMLElement>(linkOf(id))?.focus();
}

/** Columns side by side, with cards that go through them. */
export function BoardColumns({ data }: { data: BoardData }) {
  const root = useRef<HTMLDivElement>(null);
  const move = useMoves(data);
  const archive = useArchiveCard();
  const { lifted, said, lift, moveTo, step, drop, cancel } = useLift(data, move);
  const moveColumn = useColumnMoves(data.columns);
  const columns = useColumnLift(data.columns, moveColumn);
  // A card that is drawn in another column is another element, and a column that moves may lose it: it keeps the keyboard.
  const focused = useRef<string | null>(null);
  useEffect(() => {
    if (focused.current && document.activeElement === document.body)
      root.current?.querySelector<HTMLElement>(focused.current)?.focus();
  });
  const heldColumn = data.columns.find(({ id }) => id === columns.lifted?.id);
  const held = lifted && data.cards.find(({ id }) => id === lifted.id);

  const goTo = (id: string, key: string) => {
    const card = data.shown.find((one) => one.id === id);
    if (!card) return;
    const inColumn = (column: string | undefined) =>
      data.shown.filter((one) => one.column === column).toSorted(byPosition);
    const mine = inColumn(card.column);
    const at = mine.indexOf(card);
    const columnIndex = data.columns.findIndex((column) => column.id === card.column);
    if (key === "ArrowDown") focusCard(root.current, mine[at + 1]?.id);
    else if (key === "ArrowUp") focusCard(root.current, mine[at - 1]?.id);
    else if (key === "Home") focusCard(root.current, mine[0]?.id);
    else if (key === "End") focusCard(root.current, mine.at(-1)?.id);
    else {
      const way = key === "ArrowRight" ? 1 : -1;
      for (let next = columnIndex + way; data.columns[next]; next += way) {
        const cards = inColumn(data.columns[next]?.id);
        if (cards.length === 0) continue;
        focusCard(root.current, cards[Math.min(at, cards.length - 1)]?.id);
        break;
      }
    }
  };

  const onHandleKey = (id: string, event: KeyboardEvent) => {
    if (columns.lifted) {
      if (isColumnWay(event.key))
        columns.step(event.key, getComputedStyle(event.currentTarget).direction === "rtl");
      else if (event.key === " " || event.key === "Enter") columns.drop();
      else if (event.key === "Escape" || event.key === "Tab") columns.cancel();
      else return;
    } else if (event.key === " ") columns.lift(id, "keyboard");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const handle = idOf("handle", event.target);
    if (handle !== null) return onHandleKey(handle, event);
    const id = idOf("card", event.target);
    if (id === null) return;
    const card = data.cards.find((one) => one.id === id);
    if (lifted) {
      if (isWay(event.key)) step(event.key);
      else if (event.key === " " || event.key === "Enter") drop();
      else if (event.key === "Escape" || event.key === "Tab") cancel();
      else return;
    } else if (isWay(event.key)) goTo(id, event.key);
    else if (event.key === " " && data.isWriter) lift(id, "keyboard");
    else if (event.key === "Delete" && data.isWriter && card) {
      const at = data.shown.filter(({ column }) => column === card.column).toSorted(byPosition);
      const next = at[at.indexOf(card) + 1] ?? at[at.indexOf(card) - 1];
      archive(card);
      focusCard(root.current, next?.id);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <DragArea
      cards={{
        onLift: (id) => lift(id, "pointer"),
        onMove: moveTo,
        onDrop: drop,
        onCancel: cancel,
      }}
      columns={{
        onLift: (id) => columns.lift(id, "pointer"),
        onMove: columns.moveTo,
        onDrop: columns.drop,
        onCancel: columns.cancel,
      }}
      overlay={
        heldColumn && columns.lifted?.by === "pointer" ? (
          <div className="tasks-column-held">{heldColumn.title}</div>
        ) : (
          held &&
          lifted.by === "pointer" && (
            <div className="tasks-card tasks-card-held">
              <CardFace card={held} data={data} isDone={false} />
            </div>
          )
        )
      }
    >
      <div
        ref={root}
        className="tasks-columns"
        data-held={lifted?.by ?? columns.lifted?.by}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => {
          const card = idOf("card", target);
          const handle = idOf("handle", target);
          focused.current =
            card !== null ? linkOf(card) : handle !== null ? handleOf(handle) : null;
        }}
        onPointerDown={() => (focused.current = null)}
      >
        {drawnColumns(data.columns, columns.lifted).map((column, index) => (
          <ColumnView
            key={column.id}
            column={column}
            index={index}
            data={data}
            lifted={lifted}
            held={columns.lifted?.id === column.id ? columns.lifted.by : undefined}
            onMove={moveColumn}
          />
        ))}
        {data.columns.length === 0 && (
          <NoColumns data={data} onBegin={() => (focused.current = "[data-handle]")} />
        )}
        {/* The same one after the first column: it keeps the keyboard. */}
        {data.isWriter && <AddColumn data={data} />}
      </div>
      <p id="tasks-column-keys" hidden>
        Press Space to move the column, Enter to rename it.
      </p>
      <p id="tasks-card-keys" hidden>
        Press Space to move the card, arrow keys to go to other cards, Delete to archive it.
      </p>
      {[said, columns.said].map((words, index) => (
        <div key={index} className="t-visually-hidden" role="status" aria-live="assertive">
          {words}
        </div>
      ))}
    </DragArea>
  );
}

function ColumnView({
  column,
  index,
  data,
  lifted,
  held,
  onMove,
}: {
  column: Column;
  index: number;
  data: BoardData;
  lifted: Lifted | null;
  held: LiftedColumn["by"] | undefined;
  onMove(id: string, index: number): void;
}) {
  const { setNodeRef } = useDroppable({ id: column.id });
  const { setNodeRef: setEndRef } = useDroppable({ id: listEnd(column.id) });
  const handle = useDraggable({
    id: `column ${column.id}`,
    data: { column: column.id },
    disabled: !data.isWriter,
  });
  const cards = drawnCards(data, column.id, lifted);
  const all = data.isFiltered
    ? data.cards.filter((card) => card.column === column.id).length
    : cards.length;
  const exceedsLimit = column.most !== null && all > column.most;
  const count =
    (data.isFiltered ? `${cards.length} of ${all}` : String(all)) +
    (column.most === null ? "" : ` / ${column.most}`);
  return (
    <section
      ref={setNodeRef}
      className="tasks-column"
      data-column={column.id}
      data-held={held}
      aria-labelledby={`tasks-column-${column.id}`}
    >
      <header ref={handle.setNodeRef} {...handle.listeners}>
        <h2 id={`tasks-column-${column.id}`} title={column.title}>
          {data.isWriter ? (
            <button
              type="button"
              className="tasks-column-handle"
              data-handle={column.id}
              aria-describedby="tasks-column-keys"
              onClick={() => ask({ kind: "rename-column", column })}
              // The keyboard's own click comes with it.
              onKeyUp={(event) => event.key === " " && event.preventDefault()}
            >
              {column.title}
            </button>
          ) : (
            column.title
          )}
        </h2>
        <span
          className="tasks-column-count"
          data-over={exceedsLimit || undefined}
          title={exceedsLimit ? "Over the WIP limit" : undefined}
        >
          {count}
        </span>
        {column.done && <CircleCheck size={14} aria-label="Done column" role="img" />}
        {data.isWriter && (
          // A press in the menu drags nothing.
          <span
            className="tasks-column-menu"
            onMouseDown={(event) => event.stopPropagation()}
            onTouchStart={(event) => event.stopPropagation()}
          >
            <ColumnMenu column={column} index={index} data={data} onMove={onMove} />
          </span>
        )}
      </header>
      <ul data-cards={column.id}>
        {cards.map((card) => (
          <CardItem
            key={card.id}
            card={card}
            data={data}
            isDone={column.done}
            held={lifted?.id === card.id ? lifted.by : undefined}
          />
        ))}
        <template ref={setEndRef} />
      </ul>
      {data.isWriter && <AddCard column={column} data={data} />}
    </section>
  );
}

function CardItem({
  card,
  data,
  isDone,
  held,
}: {
  card: CardRow;
  data: BoardData;
  isDone: boolean;
  held: Lifted["by"] | undefined;
}) {
  const { setNodeRef, listeners } = useDraggable({ id: card.id, disabled: !data.isWriter });
  return (
    <li ref={setNodeRef} data-card={card.id} data-held={held} {...listeners}>
      <CardLink card={card} data={data} isDone={isDone} />
    </li>
  );
}

interface CardLinkProps {
  card: CardRow;
  data: BoardData;
  isDone: boolean;
}

/** Drawn again only when something changes that it shows: a board may have thousands, and each drag touches all. */
const CardLink = memo(
  function CardLink({ card, data, isDone }: CardLinkProps) {
    const { search } = useLocation();
    return (
      <Link
        className="tasks-card"
        to={cardPath(data.board, card.id) + search}
        draggable={false}
        aria-describedby="tasks-card-keys"
      >
        <CardFace card={card} data={data} isDone={isDone} />
      </Link>
    );
  },
  (before, now) =>
    before.card === now.card &&
    before.isDone === now.isDone &&
    before.data.labels === now.data.labels &&
    before.data.names === now.data.names &&
    before.data.counts.get(now.card.id) === now.data.counts.get(now.card.id),
);
