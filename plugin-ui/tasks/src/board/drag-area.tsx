import {
  DndContext,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  TraversalOrder,
  useSensor,
  useSensors,
  type CollisionDetection,
  type DragMoveEvent,
} from "@dnd-kit/core";
import { useRef, type ReactNode } from "react";
import type { Spot } from "./use-moves.ts";

/** Receives what a pointer does. */
export interface Hand<Where> {
  onLift(id: string): void;
  onMove(where: Where): void;
  onDrop(): void;
  onCancel(): void;
}

export interface DragAreaProps {
  cards: Hand<Spot>;
  /** `onMove` receives the number of columns before the place. */
  columns: Hand<number>;
  /** The element that follows the pointer. */
  overlay: ReactNode;
  children: ReactNode;
}

const still = { accessibility: { restoreFocus: false } };

/**
 * Returns the position of the pointer in the window; without one, the middle of the dragged element.
 * The `delta` of the event includes scrolling.
 */
function pointOf({ active, activatorEvent }: DragMoveEvent): { x: number; y: number } | null {
  const { initial, translated } = active.rect.current;
  if (!initial || !translated) return null;
  const { left, top, width, height } = translated;
  if (!(activatorEvent instanceof MouseEvent)) return { x: left + width / 2, y: top + height / 2 };
  return {
    x: activatorEvent.clientX + left - initial.left,
    y: activatorEvent.clientY + top - initial.top,
  };
}

/**
 * Returns the id of the element that represents a column while a card hovers there. The element is within the list
 * of cards, because a drop target scrolls the element around it, and not itself.
 */
export const listEnd = (column: string): string => `cards ${column}`;

/** The column under the pointer, for cards as the end of its list. */
const underPointer: CollisionDetection = (all) => {
  const columns = all.droppableContainers.filter(({ id }) => !String(id).includes(" "));
  const found = pointerWithin({ ...all, droppableContainers: columns });
  if (columnOf(all) !== null) return found;
  return found.map((collision) => ({ ...collision, id: listEnd(String(collision.id)) }));
};

/** Where a point lies among the cards that are drawn. */
function spotAt(event: DragMoveEvent): Spot | null {
  const { active, over } = event;
  const point = pointOf(event);
  if (!over || !point) return null;
  const column = String(over.id).slice(listEnd("").length);
  const list = document.querySelector(`[data-plugin="tasks"] [data-cards="${CSS.escape(column)}"]`);
  for (const card of list?.querySelectorAll<HTMLElement>("[data-card]") ?? []) {
    const { card: id = "" } = card.dataset;
    if (id === active.id) continue;
    const { top, height } = card.getBoundingClientRect();
    if (point.y < top + height / 2) return { column, before: id };
  }
  return { column, before: null };
}

/** The column that is dragged; null for a card. */
const columnOf = ({ active }: Pick<DragMoveEvent, "active">): string | null => {
  const { column } = (active.data.current ?? {}) as { column?: string };
  return column ?? null;
};

/** How many other columns have their middle before what is dragged, in the direction of the text. */
function indexAt(event: DragMoveEvent, held: string): number | null {
  const point = pointOf(event);
  if (!point) return null;
  const all = [
    ...document.querySelectorAll<HTMLElement>(`[data-plugin="tasks"] .tasks-column[data-column]`),
  ].filter(({ dataset }) => dataset.column !== held);
  const isRightToLeft = all[0] && getComputedStyle(all[0]).direction === "rtl";
  return all.filter((column) => {
    const { left, width } = column.getBoundingClientRect();
    const middle = left + width / 2;
    return isRightToLeft ? point.x < middle : point.x > middle;
  }).length;
}

const silent = {
  onDragStart: () => undefined,
  onDragMove: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
};

/** Drag by mouse and by touch (held for a moment, so that a swipe still scrolls). */
export function DragArea({ cards, columns, overlay, children }: DragAreaProps) {
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 5 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
  );
  // A click that ends a drag opens nothing.
  const dragged = useRef(false);
  return (
    <div
      className="tasks-drag-area"
      onClickCapture={(event) => {
        if (!dragged.current) return;
        dragged.current = false;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <DndContext
        sensors={sensors}
        collisionDetection={underPointer}
        // The list of cards before the board, and the board before the page.
        autoScroll={{ order: TraversalOrder.ReversedTreeOrder }}
        // The board announces changes itself, also those by keyboard.
        accessibility={{
          ...still.accessibility,
          announcements: silent,
          screenReaderInstructions: { draggable: "" },
        }}
        onDragStart={(event) => {
          dragged.current = true;
          const column = columnOf(event);
          if (column === null) cards.onLift(String(event.active.id));
          else columns.onLift(column);
        }}
        onDragMove={(event) => {
          const column = columnOf(event);
          const index = column === null ? null : indexAt(event, column);
          const spot = column === null ? spotAt(event) : null;
          if (index !== null) columns.onMove(index);
          if (spot) cards.onMove(spot);
        }}
        onDragEnd={(event) => {
          setTimeout(() => (dragged.current = false));
          // A column has a place wherever it is dropped.
          if (columnOf(event) !== null) columns.onDrop();
          else if (event.over) cards.onDrop();
          else cards.onCancel();
        }}
        onDragCancel={(event) => {
          dragged.current = false;
          (columnOf(event) === null ? cards : columns).onCancel();
        }}
      >
        {children}
        <DragOverlay dropAnimation={null}>{overlay}</DragOverlay>
      </DndContext>
    </div>
  );
}
