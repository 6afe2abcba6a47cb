import { Button, Dialog, errorMessage, Field, Input, Problem, Select } from "@tenon/ui";
import { generateNKeysBetween } from "fractional-indexing";
import { useState } from "react";
import { useNavigate } from "react-router";
import { boardPath } from "../model/location.ts";
import { columns, useCreateBoard } from "../tables.gen.ts";

interface Template {
  title: string;
  columns: readonly string[];
  /** How many of the last ones are for what is done. */
  done: number;
}

const templates: readonly Template[] = [
  { title: "To do, Doing, Done", columns: ["To do", "Doing", "Done"], done: 1 },
  {
    title: "Backlog, Next, In progress, Review, Done",
    columns: ["Backlog", "Next", "In progress", "Review", "Done"],
    done: 1,
  },
  { title: "No columns", columns: [], done: 0 },
];

export function NewBoardDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const create = useCreateBoard({ quiet: true });
  const [title, setTitle] = useState("");
  const [template, setTemplate] = useState(0);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  const submit = async () => {
    if (title.trim() === "") {
      setError("Enter a name");
      return;
    }
    setIsBusy(true);
    try {
      const { record: board } = await create.mutateAsync({ title: title.trim() });
      const { columns: titles = [], done = 0 } = templates[template] ?? {};
      const keys = generateNKeysBetween(null, null, titles.length);
      if (titles.length > 0)
        await columns.batch({
          create: titles.map((name, at) => ({
            board: board.id,
            title: name,
            position: keys[at] ?? "",
            done: at >= titles.length - done,
          })),
        });
      await navigate(boardPath(board.id));
    } catch (problem) {
      setError((problem instanceof Problem && problem.fields.title) || errorMessage(problem));
      setIsBusy(false);
    }
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title="New board"
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" busy={isBusy}>
            Create board
          </Button>
        </>
      }
    >
      <div className="t-form">
        <Field label="Name" error={error}>
          <Input
            value={title}
            maxLength={200}
            autoComplete="off"
            onChange={(event) => {
              setTitle(event.target.value);
              setError(null);
            }}
          />
        </Field>
        <Field label="Columns" hint="You can change them at any time.">
          <Select value={template} onChange={(event) => setTemplate(Number(event.target.value))}>
            {templates.map((one, index) => (
              <option key={one.title} value={index}>
                {one.title}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Dialog>
  );
}
