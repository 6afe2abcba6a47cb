import {
  DndContext,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
  type DragMoveEvent,
} from "@dnd-kit/core";
import { useRef, type ReactNode } from "react";
import type { Spot } from "./use-moves.ts";

export interface DragAreaProps {
  onLift(id: string): void;
  onMove(spot: Spot): void;
  onDrop(): void;
  onCancel(): void;
  /** What follows the pointer. */
  overlay: ReactNode;
  children: ReactNode;
}

const still = { accessibility: { restoreFocus: false } };

/** Where the middle of what is dragged lies among the cards that are drawn. */
function spotAt({ active, over, activatorEvent, delta }: DragMoveEvent): Spot | null {
  const rect = active.rect.current.translated;
  if (!over || !rect) return null;
  const column = String(over.id);
  const list = document.querySelector(`[data-plugin="tasks"] [data-cards="${CSS.escape(column)}"]`);
  const point = "clientY" in activatorEvent ? Number(activatorEvent.clientY) + delta.y : null;
  const middle = point ?? rect.top + rect.height / 2;
  for (const card of list?.querySelectorAll<HTMLElement>("[data-card]") ?? []) {
    const { card: id = "" } = card.dataset;
    if (id === active.id) continue;
    const { top, height } = card.getBoundingClientRect();
    if (middle < top + height / 2) return { column, before: id };
  }
  return { column, before: null };
}

const silent = {
  onDragStart: () => undefined,
  onDragMove: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
};

/** Drag by mouse and by touch (held for a moment, so that a swipe still scrolls). */
export function DragArea({ onLift, onMove, onDrop, onCancel, overlay, children }: DragAreaProps) {
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
        collisionDetection={pointerWithin}
        // What happens is said by the board itself, for the keyboard's way too.
        accessibility={{
          ...still.accessibility,
          announcements: silent,
          screenReaderInstructions: { draggable: "" },
        }}
        onDragStart={({ active }) => {
          dragged.current = true;
          onLift(String(active.id));
        }}
        onDragMove={(event) => {
          const spot = spotAt(event);
          if (spot) onMove(spot);
        }}
        onDragEnd={({ over }) => {
          setTimeout(() => (dragged.current = false));
          if (over) onDrop();
          else onCancel();
        }}
        onDragCancel={() => {
          dragged.current = false;
          onCancel();
        }}
      >
        {children}
        <DragOverlay dropAnimation={null}>{overlay}</DragOverlay>
      </DndContext>
    </div>
  );
}
