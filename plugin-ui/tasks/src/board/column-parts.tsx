import { Button, EmptyState, IconButton, Menu, MenuItem, MenuSeparator, toast } from "@tenon/ui";
import {
  ArrowLeft,
  ArrowRight,
  CircleCheck,
  Columns3,
  Ellipsis,
  Gauge,
  Pencil,
  Plus,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import { keyAtEnd } from "../model/order.ts";
import type { BoardData } from "../model/types.ts";
import { useCreateColumn, useUpdateColumn, type Column } from "../tables.gen.ts";
import { ask } from "./ask.ts";

export function ColumnMenu({
  column,
  index,
  data,
  onMove,
}: {
  column: Column;
  index: number;
  data: BoardData;
  onMove(id: string, index: number): void;
}) {
  const { mutate } = useUpdateColumn();
  const shift = (step: number) => onMove(column.id, index + step);
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
        WIP limit
      </MenuItem>
      <MenuItem
        icon={CircleCheck}
        onSelect={() => {
          mutate({ id: column.id, patch: { done: !column.done } });
          toast(
            column.done
              ? `${column.title} is no longer marked as done`
              : `${column.title} marked as done`,
          );
        }}
      >
        {column.done ? "Unmark column as done" : "Mark column as done"}
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

export function AddColumn({ data }: { data: BoardData }) {
  const { mutate } = useCreateColumn();
  const [isOpen, setIsOpen] = useState(false);
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
        aria-label="New column name"
        placeholder="Column name"
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

const usual = ["To do", "Doing", "Done"];

/** A board without columns: those that most begin with, or one of a name of one's own. */
export function NoColumns({ data, onBegin }: { data: BoardData; onBegin(): void }) {
  const { mutate } = useCreateColumn();
  if (!data.isWriter)
    return (
      <EmptyState icon={Columns3} title="No columns yet">
        People who can edit this board can add columns.
      </EmptyState>
    );
  const begin = () => {
    onBegin();
    let columns: readonly { id: string; position: string }[] = [];
    for (const [at, title] of usual.entries()) {
      const position = keyAtEnd(columns);
      columns = [...columns, { id: String(at), position }];
      mutate({ board: data.board, title, position, done: at === usual.length - 1 });
    }
  };
  return (
    <EmptyState
      icon={Columns3}
      title="No columns yet"
      action={
        <Button variant="primary" onClick={begin}>
          {usual.join(", ")}
        </Button>
      }
    >
      Columns are the steps that cards move through. You can rename and move them at any time.
    </EmptyState>
  );
}
