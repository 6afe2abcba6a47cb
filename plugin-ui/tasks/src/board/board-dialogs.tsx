import { useStore } from "@tenon/host";
import {
  Button,
  Checkbox,
  ConfirmDialog,
  Dialog,
  EmptyState,
  errorMessage,
  Field,
  IconButton,
  Input,
  Problem,
  RelativeTime,
  SkeletonRows,
  TextArea,
  toast,
} from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { Archive, ArchiveRestore, Plus, Trash2 } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useNavigate } from "react-router";
import { lazyComponent } from "../app/lazy.tsx";
import { home } from "../model/location.ts";
import type { BoardData } from "../model/types.ts";
import {
  useCreateLabel,
  useCreateView,
  useInfiniteCards,
  useRemoveBoard,
  useRemoveCard,
  useRemoveColumn,
  useRemoveLabel,
  useUpdateBoard,
  useUpdateCard,
  useUpdateColumn,
  useUpdateLabel,
  type Board,
  type Column,
  type Label,
} from "../tables.gen.ts";
import { question } from "./ask.ts";
import { ColorChoice } from "./color-choice.tsx";

const ShareDialog = lazyComponent(() =>
  import("./share-dialog.tsx").then(({ ShareDialog }) => ShareDialog),
);
const CsvDialog = lazyComponent(() =>
  import("../transfer/csv-dialog.tsx").then(({ CsvDialog }) => CsvDialog),
);

export interface BoardDialogsProps {
  board: Board;
  data: BoardData;
  search: string;
}

const close = () => question.set(null);

/** Shows the dialogs of a board; each exists while it is requested. */
export function BoardDialogs({ board, data, search }: BoardDialogsProps) {
  const asked = useStore(question);
  switch (asked?.kind) {
    case "rename-board":
      return <RenameBoard board={board} />;
    case "share":
      return <ShareDialog board={board} onClose={close} />;
    case "labels":
      return <LabelsDialog data={data} />;
    case "archived-cards":
      return <ArchivedCards data={data} />;
    case "import":
      return <CsvDialog data={data} onClose={close} />;
    case "delete-board":
      return <DeleteBoard board={board} data={data} />;
    case "save-view":
      return <SaveView data={data} search={search} />;
    case "rename-column":
      return <RenameColumn column={asked.column} />;
    case "limit-column":
      return <LimitColumn column={asked.column} />;
    case "delete-column":
      return <DeleteColumn column={asked.column} data={data} />;
    default:
      return null;
  }
}

/** A dialog that changes something; what is refused is said in it. */
function FormDialog({
  title,
  action,
  onSave,
  children,
}: {
  title: string;
  action: string;
  onSave(): Promise<unknown>;
  children(error: string | null): ReactNode;
}) {
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async () => {
    setIsBusy(true);
    try {
      await onSave();
      close();
    } catch (problem) {
      const [field] = problem instanceof Problem ? Object.values(problem.fields) : [];
      setError(field ?? errorMessage(problem));
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={close}
      title={title}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" busy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <div className="t-form">{children(error)}</div>
    </Dialog>
  );
}

function RenameBoard({ board }: { board: Board }) {
  const { mutateAsync } = useUpdateBoard({ quiet: true });
  const [title, setTitle] = useState(board.title);
  const [description, setDescription] = useState(board.description ?? "");
  const save = () =>
    mutateAsync({
      id: board.id,
      patch: { title: title.trim(), description: description.trim() || null },
    });
  return (
    <FormDialog title="Name and description" action="Save" onSave={save}>
      {(error) => (
        <>
          <Field label="Name" error={error} required>
            <Input
              value={title}
              maxLength={200}
              onChange={(event) => setTitle(event.target.value)}
            />
          </Field>
          <Field label="Description">
            <TextArea
              value={description}
              maxLength={2000}
              onChange={(event) => setDescription(event.target.value)}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

function RenameColumn({ column }: { column: Column }) {
  const { mutateAsync } = useUpdateColumn({ quiet: true });
  const [title, setTitle] = useState(column.title);
  return (
    <FormDialog
      title={`Rename “${column.title}”`}
      action="Rename"
      onSave={() => mutateAsync({ id: column.id, patch: { title: title.trim() } })}
    >
      {(error) => (
        <Field label="Name" error={error} required>
          <Input
            value={title}
            maxLength={100}
            onChange={(event) => setTitle(event.target.value)}
            onFocus={(event) => event.target.select()}
          />
        </Field>
      )}
    </FormDialog>
  );
}

function LimitColumn({ column }: { column: Column }) {
  const { mutateAsync } = useUpdateColumn({ quiet: true });
  const [limit, setLimit] = useState(column.most === null ? "" : String(column.most));
  return (
    <FormDialog
      title={`WIP limit of “${column.title}”`}
      action="Save"
      onSave={() =>
        mutateAsync({ id: column.id, patch: { most: limit === "" ? null : Number(limit) } })
      }
    >
      {(error) => (
        <Field
          label="Maximum number of cards"
          error={error}
          hint="Leave empty for no limit. A column over its limit is highlighted."
        >
          <Input
            type="number"
            min={1}
            max={999}
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}

function DeleteColumn({ column, data }: { column: Column; data: BoardData }) {
  const remove = useRemoveColumn();
  const cards = data.cards.filter((card) => card.column === column.id).length;
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={`Delete the column “${column.title}” permanently?`}
      action="Delete column"
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ id: column.id }, { onSettled: close })}
    >
      {cards > 0
        ? `This also deletes its ${cards === 1 ? "card" : `${cards} cards`} and its archived cards. To keep them, move them to another column first.`
        : "This also deletes the archived cards of this column."}
    </ConfirmDialog>
  );
}

function DeleteBoard({ board, data }: { board: Board; data: BoardData }) {
  const navigate = useNavigate();
  const remove = useRemoveBoard();
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={`Delete “${board.title}” permanently?`}
      action="Delete board"
      danger
      busy={remove.isPending}
      onConfirm={() =>
        remove.mutate(
          { id: board.id },
          {
            onSuccess: () => {
              close();
              toast(`“${board.title}” deleted`);
              void navigate(home);
            },
            onError: close,
          },
        )
      }
    >
      This deletes the board and its{" "}
      {data.cards.length === 1 ? "card" : `${data.cards.length} cards`} for everyone. It cannot be
      undone. To keep the board, archive it instead.
    </ConfirmDialog>
  );
}

function SaveView({ data, search }: { data: BoardData; search: string }) {
  const { mutateAsync } = useCreateView({ quiet: true });
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  return (
    <FormDialog
      title="Save this view"
      action="Save view"
      onSave={() => mutateAsync({ board: data.board, name: name.trim(), shared, query: search })}
    >
      {(error) => (
        <>
          <Field label="Name" error={error} required hint="Saves the current layout and filters.">
            <Input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
          </Field>
          {data.isWriter && (
            <Checkbox checked={shared} onChange={(event) => setShared(event.target.checked)}>
              Show to everyone on this board
            </Checkbox>
          )}
        </>
      )}
    </FormDialog>
  );
}

function LabelsDialog({ data }: { data: BoardData }) {
  const create = useCreateLabel();
  const [name, setName] = useState("");
  const [color, setColor] = useState<Label["color"]>("blue");
  const add = () => {
    if (name.trim()) create.mutate({ board: data.board, name: name.trim(), color });
    setName("");
  };
  return (
    <Dialog open onClose={close} title="Labels">
      <ul className="tasks-rows">
        {[...data.labels.values()].map((label) => (
          <LabelRow key={label.id} label={label} />
        ))}
      </ul>
      <form
        className="tasks-row-form"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <ColorChoice label="Color of the new label" value={color} onChange={setColor} />
        <Input
          aria-label="Name of the new label"
          placeholder="New label"
          value={name}
          maxLength={50}
          data-autofocus
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" icon={Plus}>
          Add
        </Button>
      </form>
    </Dialog>
  );
}

function LabelRow({ label }: { label: Label }) {
  const update = useUpdateLabel();
  const remove = useRemoveLabel();
  const [name, setName] = useState(label.name);
  const [isSure, setIsSure] = useState(false);
  const rename = () => {
    if (name.trim() && name.trim() !== label.name)
      update.mutate({ id: label.id, patch: { name: name.trim() } });
    else setName(label.name);
  };
  return (
    <li className="tasks-row-form">
      <ColorChoice
        label={`Color of ${label.name}`}
        value={label.color}
        onChange={(color) => update.mutate({ id: label.id, patch: { color } })}
      />
      <Input
        aria-label={`Name of ${label.name}`}
        value={name}
        maxLength={50}
        onChange={(event) => setName(event.target.value)}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === "Enter") rename();
        }}
      />
      {isSure ? (
        <Button variant="danger" onClick={() => remove.mutate({ id: label.id })}>
          Delete from all cards
        </Button>
      ) : (
        <IconButton icon={Trash2} label={`Delete ${label.name}`} onClick={() => setIsSure(true)} />
      )}
    </li>
  );
}

function ArchivedCards({ data }: { data: BoardData }) {
  const options = useMemo(
    () => ({
      filter: filter`board = ${data.board} and archived != null`,
      sort: ["-archived"] as const,
      fields: ["title", "archived", "column"] as const,
      limit: 100,
    }),
    [data.board],
  );
  const {
    items,
    data: pages,
    hasNextPage,
    fetchNextPage,
  } = useInfiniteCards<"title" | "archived" | "column">(options);
  const update = useUpdateCard();
  const remove = useRemoveCard();
  const [sure, setSure] = useState<string | null>(null);
  return (
    <Dialog open onClose={close} title="Archived cards" size="large">
      {!pages ? (
        <SkeletonRows />
      ) : items.length === 0 ? (
        <EmptyState icon={Archive} title="No archived cards">
          Archived cards are kept here with all their content.
        </EmptyState>
      ) : (
        <ul className="tasks-rows">
          {items.map(({ id, title, archived }) => (
            <li key={id} className="tasks-row-form">
              <span className="tasks-row-text">
                <span className="t-ellipsis">{title}</span>
                {archived && (
                  <small className="t-muted">
                    archived <RelativeTime value={archived} />
                  </small>
                )}
              </span>
              {data.isWriter && (
                <>
                  <Button
                    size="small"
                    icon={ArchiveRestore}
                    onClick={() => update.mutate({ id, patch: { archived: null } })}
                  >
                    Restore
                  </Button>
                  {sure === id ? (
                    <Button size="small" variant="danger" onClick={() => remove.mutate({ id })}>
                      Delete permanently
                    </Button>
                  ) : (
                    <IconButton
                      size="small"
                      icon={Trash2}
                      label={`Delete ${title} permanently`}
                      onClick={() => setSure(id)}
                    />
                  )}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="ghost" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </Dialog>
  );
}
