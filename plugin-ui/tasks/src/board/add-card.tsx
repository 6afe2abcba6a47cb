import { Button } from "@tenon/ui";
import { Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { createStore, useStore } from "@tenon/host";
import { keyAtEnd } from "../model/order.ts";
import type { BoardData } from "../model/types.ts";
import { useCreateCard, type Column } from "../tables.gen.ts";
import { othersOf } from "./use-moves.ts";

/** The column to which cards are being added: the command and the buttons share it. */
export const adding = createStore<string | null>(null);

/** Adds cards one after the other: Enter adds and continues, Escape ends. Several lines are several cards. */
export function AddCard({ column, data }: { column: Column; data: BoardData }) {
  const { mutate } = useCreateCard();
  const isOpen = useStore(adding, (id) => id === column.id);
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  // Of cards that are on their way the last key.
  const last = useRef("");
  useEffect(() => {
    if (isOpen) field.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen, data.cards.length]);

  const add = () => {
    const titles = text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    const others: { id: string; position: string }[] = othersOf(data.cards, column.id, "");
    if (last.current > (others.at(-1)?.position ?? ""))
      others.push({ id: "", position: last.current });
    for (const title of titles) {
      last.current = keyAtEnd(others);
      others.push({ id: "", position: last.current });
      mutate({
        board: data.board,
        column: column.id,
        title: title.slice(0, 500),
        position: last.current,
      });
    }
    setText("");
  };

  if (!isOpen)
    return (
      <Button
        className="tasks-add-card"
        variant="ghost"
        icon={Plus}
        onClick={() => adding.set(column.id)}
      >
        Card
      </Button>
    );
  return (
    <div className="tasks-add-card-form">
      <textarea
        ref={field}
        className="t-input"
        aria-label={`New card in ${column.title}`}
        placeholder="What needs to be done?"
        rows={2}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => text.trim() === "" && adding.set(null)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            add();
          } else if (event.key === "Escape") {
            event.stopPropagation();
            setText("");
            adding.set(null);
          }
        }}
      />
      <Button
        size="small"
        variant="primary"
        onMouseDown={(event) => event.preventDefault()}
        onClick={add}
      >
        Add card
      </Button>
    </div>
  );
}
