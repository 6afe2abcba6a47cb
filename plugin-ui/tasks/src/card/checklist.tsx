import { Checkbox, IconButton, Input, toast } from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { byPosition, keyAtEnd, reorder } from "../model/order.ts";
import {
  useChecklistItems,
  useCreateChecklistItem,
  useRemoveChecklistItem,
  useUpdateChecklistItem,
  type ChecklistItem,
} from "../tables.gen.ts";
import type { CardPartProps } from "./part.ts";

export function Checklist({ card, data }: CardPartProps) {
  const options = useMemo(
    () => ({ filter: filter`card = ${card.id}`, sort: ["position"] as const, limit: 200 }),
    [card.id],
  );
  const { data: page } = useChecklistItems(options);
  const items = useMemo(() => (page?.items ?? []).toSorted(byPosition), [page]);
  const create = useCreateChecklistItem();
  const update = useUpdateChecklistItem();
  const remove = useRemoveChecklistItem();
  const [title, setTitle] = useState("");
  const last = useRef("");
  const done = items.filter((item) => item.done).length;

  const make = (name: string) => {
    const others: { id: string; position: string }[] = [...items];
    if (last.current > (items.at(-1)?.position ?? ""))
      others.push({ id: "", position: last.current });
    last.current = keyAtEnd(others);
    create.mutate({ board: card.board, card: card.id, title: name, position: last.current });
  };
  const add = () => {
    for (const line of title.split("\n")) if (line.trim()) make(line.trim().slice(0, 500));
    setTitle("");
  };
  const shift = (item: ChecklistItem, step: number) => {
    const others = items.filter(({ id }) => id !== item.id);
    for (const { id, position } of reorder(others, items.indexOf(item) + step, item.id))
      update.mutate({ id, patch: { position } });
  };
  const drop = (item: ChecklistItem) => {
    const { board, title: name, position, done: wasDone } = item;
    remove.mutate({ id: item.id });
    toast(`“${name}” removed`, {
      action: {
        label: "Undo",
        run: () => create.mutate({ board, card: card.id, title: name, position, done: wasDone }),
      },
    });
  };

  if (items.length === 0 && !data.isWriter) return null;
  return (
    <section className="tasks-part" aria-labelledby="tasks-checklist">
      <h3 id="tasks-checklist">
        Checklist
        {items.length > 0 && (
          <span className="t-muted">
            {done} of {items.length}
          </span>
        )}
      </h3>
      {items.length > 0 && (
        <>
          <progress className="t-progress" aria-label="Checklist" value={done} max={items.length} />
          <ul className="tasks-items">
            {items.map((item, index) => (
              <li key={item.id} data-done={item.done || undefined}>
                <Checkbox
                  checked={item.done}
                  disabled={!data.isWriter}
                  onChange={(event) =>
                    update.mutate({ id: item.id, patch: { done: event.target.checked } })
                  }
                >
                  {item.title}
                </Checkbox>
                {data.isWriter && (
                  <span className="tasks-item-actions">
                    <IconButton
                      size="small"
                      icon={ArrowUp}
                      label={`Move ${item.title} up`}
                      disabled={index === 0}
                      onClick={() => shift(item, -1)}
                    />
                    <IconButton
                      size="small"
                      icon={ArrowDown}
                      label={`Move ${item.title} down`}
                      disabled={index === items.length - 1}
                      onClick={() => shift(item, 1)}
                    />
                    <IconButton
                      size="small"
                      icon={X}
                      label={`Remove ${item.title}`}
                      onClick={() => drop(item)}
                    />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {data.isWriter && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <Input
            aria-label="New checklist item"
            placeholder="Add an item"
            maxLength={500}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </form>
      )}
    </section>
  );
}
