import { useDraggable, useDroppable } from "@dnd-kit/core";
import { Button, IconButton, Menu, MenuItem, MenuSeparator, toast } from "@tenon/ui";
import {
  ArrowLeft,
  ArrowRight,
  CircleCheck,
  Ellipsis,
  Gauge,
  Pencil,
  Plus,
  Trash2,
} from "lucide-react";
import { memo, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { Link, useLocation } from "react-router";
import { byPosition, keyAtEnd, place } from "../model/order.ts";
import { cardPath } from "../model/place.ts";
import type { BoardData, CardRow } from "../model/types.ts";
import { useCreateColumn, useUpdateColumn, type Column } from "../tables.gen.ts";
import { AddCard } from "./add-card.tsx";
import { ask } from "./ask.ts";
import { CardFace } from "./card-face.tsx";
import { DragArea } from "./drag-area.tsx";
import { drawnCards, isWay, useLift, type Lifted } from "./use-lift.ts";
import { useArchiveCard, useMoves } from "./use-moves.ts";

const cardOf = (target: EventTarget) =>
  target instanceof HTMLElement
    ? (target.closest<HTMLElement>("[data-card]")?.dataset.card ?? null)
    : null;

function focusCard(root: HTMLElement | null, id: string | undefined): void {
  if (id === undefined) return;
  root?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"] > a`)?.focus();
}

/** Columns side by side, with cards that go through them. */
export function BoardColumns({ data }: { data: BoardData }) {
  const root = useRef<HTMLDivElement>(null);
  const move = useMoves(data);
  const archive = useArchiveCard();
  const { lifted, said, lift, moveTo, step, drop, cancel } = useLift(data, move);
  // A card that is drawn in another column is another element: it keeps the keyboard.
  const focused = useRef<string | null>(null);
  useEffect(() => {
    if (focused.current && document.activeElement === document.body)
      focusCard(root.current, focused.current);
  });
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

  const onKeyDown = (event: KeyboardEvent) => {
    const id = cardOf(event.target);
    if (id === null || event.ctrlKey || event.metaKey || event.altKey) return;
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
      onLift={(id) => lift(id, "pointer")}
      onMove={moveTo}
      onDrop={drop}
      onCancel={cancel}
      overlay={
        held &&
        lifted.by === "pointer" && (
          <div className="tasks-card tasks-card-held">
            <CardFace card={held} data={data} isDone={false} />
          </div>
        )
      }
    >
      <div
        ref={root}
        className="tasks-columns"
        data-held={lifted?.by}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => (focused.current = cardOf(target))}
        onPointerDown={() => (focused.current = null)}
      >
        {data.columns.map((column, index) => (
          <ColumnView key={column.id} column={column} index={index} data={data} lifted={lifted} />
        ))}
        {data.isWriter && <AddColumn data={data} />}
      </div>
      <p id="tasks-card-keys" hidden>
        Space lifts the card, arrows go to others, Delete archives it.
      </p>
      <div className="t-visually-hidden" role="status" aria-live="assertive">
        {said}
      </div>
    </DragArea>
  );
}

function ColumnView({
  column,
  index,
  data,
  lifted,
}: {
  column: Column;
  index: number;
  data: BoardData;
  lifted: Lifted | null;
}) {
  const { setNodeRef } = useDroppable({ id: column.id });
  const cards = drawnCards(data, column.id, lifted);
  const all = data.isFiltered
    ? data.cards.filter((card) => card.column === column.id).length
    : cards.length;
  const isOver = column.most !== null && all > column.most;
  const count =
    (data.isFiltered ? `${cards.length} of ${all}` : String(all)) +
    (column.most === null ? "" : ` / ${column.most}`);
  return (
    <section
      ref={setNodeRef}
      className="tasks-column"
      aria-labelledby={`tasks-column-${column.id}`}
    >
      <header>
        <h2 id={`tasks-column-${column.id}`} title={column.title}>
          {column.title}
        </h2>
        <span
          className="tasks-column-count"
          data-over={isOver || undefined}
          title={isOver ? "More cards than this column should hold" : undefined}
        >
          {count}
        </span>
        {column.done && <CircleCheck size={14} aria-label="Cards here are done" role="img" />}
        {data.isWriter && <ColumnMenu column={column} index={index} data={data} />}
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

function ColumnMenu({ column, index, data }: { column: Column; index: number; data: BoardData }) {
  const { mutate } = useUpdateColumn();
  const shift = (step: number) => {
    const others = data.columns.filter((one) => one.id !== column.id);
    for (const { id, position } of place(others, index + step, column.id))
      mutate({ id, patch: { position } });
  };
  return (
    <Menu
      label={`Column ${column.title}`}
      align="end"
      trigger={<IconButton icon={Ellipsis} size="small" label={`Column ${column.title}: more`} />}
    >
      <MenuItem icon={Pencil} onSelect={() => ask({ kind: "rename-column", column })}>
        Rename
      </MenuItem>
      <MenuItem icon={Gauge} onSelect={() => ask({ kind: "limit-column", column })}>
        Limit of cards
      </MenuItem>
      <MenuItem
        icon={CircleCheck}
        onSelect={() => {
          mutate({ id: column.id, patch: { done: !column.done } });
          toast(
            column.done
              ? `Cards in ${column.title} can be late again`
              : `Cards in ${column.title} are done`,
          );
        }}
      >
        {column.done ? "Cards here are not done" : "Cards here are done"}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={ArrowLeft} disabled={index === 0} onSelect={() => shift(-1)}>
        Move left
      </MenuItem>
      <MenuItem
        icon={ArrowRight}
        disabled={index === data.columns.length - 1}
        onSelect={() => shift(1)}
      >
        Move right
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} danger onSelect={() => ask({ kind: "delete-column", column })}>
        Delete
      </MenuItem>
    </Menu>
  );
}

function AddColumn({ data }: { data: BoardData }) {
  const { mutate } = useCreateColumn();
  const [isOpen, setIsOpen] = useState(data.columns.length === 0);
  const [title, setTitle] = useState("");
  const add = () => {
    if (title.trim())
      mutate({ board: data.board, title: title.trim(), position: keyAtEnd(data.columns) });
    setTitle("");
  };
  if (!isOpen)
    return (
      <div className="tasks-add-column">
        <Button variant="ghost" icon={Plus} onClick={() => setIsOpen(true)}>
          Column
        </Button>
      </div>
    );
  return (
    <form
      className="tasks-add-column"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <input
        className="t-input"
        aria-label="Name of the new column"
        placeholder="Name of the column"
        autoFocus
        maxLength={100}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={() => title.trim() === "" && setIsOpen(false)}
        onKeyDown={(event) => event.key === "Escape" && setIsOpen(false)}
      />
    </form>
  );
}
