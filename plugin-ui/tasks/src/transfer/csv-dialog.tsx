import { useQueryClient } from "@tanstack/react-query";
import { Button, Dialog, errorMessage, Field, Notice, Progress, Select, toast } from "@tenon/ui";
import { generateNKeysBetween } from "fractional-indexing";
import { CircleAlert, FileSpreadsheet } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { BoardData } from "../model/types.ts";
import { cards, columns, labels } from "../tables.gen.ts";
import {
  guessMapping,
  maxRows,
  plan,
  readSheet,
  targets,
  withKeys,
  type Mapping,
  type Planned,
  type Sheet,
  type Target,
} from "./csv.ts";

const titles: Record<Target, string> = {
  title: "Title",
  description: "Description",
  column: "Column",
  labels: "Labels",
  due: "Due",
};

const batch = 100;

/** Makes what is missing, then the cards, a hundred at a time. Returns how to take them away again. */
async function make(planned: Planned, data: BoardData, onDone: (count: number) => void) {
  const lastColumn = data.columns.at(-1)?.position ?? null;
  const keys = generateNKeysBetween(lastColumn, null, planned.newColumns.length);
  const columnIds = new Map(data.columns.map(({ id, title }) => [title, id]));
  const labelIds = new Map([...data.labels.values()].map(({ id, name }) => [name, id]));
  if (planned.newColumns.length > 0) {
    const create = planned.newColumns.map((title, at) => ({
      board: data.board,
      title,
      position: keys[at] ?? "",
    }));
    for (const { id, title } of (await columns.batch({ create })).create) columnIds.set(title, id);
  }
  if (planned.newLabels.length > 0) {
    const create = planned.newLabels.map((name) => ({ board: data.board, name }));
    for (const { id, name } of (await labels.batch({ create })).create) labelIds.set(name, id);
  }
  const wanted = withKeys(planned, columnIds, labelIds, data);
  const made: string[] = [];
  for (let at = 0; at < wanted.length; at += batch) {
    const response = await cards.batch({ create: wanted.slice(at, at + batch) });
    made.push(...response.create.map(({ id }) => id));
    onDone(made.length);
  }
  return async () => {
    for (let at = 0; at < made.length; at += batch)
      await cards.batch({ delete: made.slice(at, at + batch) });
  };
}

/** Cards of a CSV file, from this board, another one or another program. */
export function CsvDialog({ data, onClose }: { data: BoardData; onClose(): void }) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [mapping, setMapping] = useState<Mapping>({});
  const [error, setError] = useState<string | null>(null);
  const [done, setDone] = useState<number | null>(null);
  const planned = useMemo(() => sheet && plan(sheet, mapping, data), [sheet, mapping, data]);

  const take = async (file: File) => {
    setError(null);
    const read = readSheet(await file.text());
    if (read.rows.length === 0) setError("The file has no rows after the header.");
    else if (read.rows.length > maxRows)
      setError(
        `The file has ${read.rows.length.toLocaleString()} rows; the maximum is ${maxRows.toLocaleString()}. Split the file.`,
      );
    else {
      setSheet(read);
      setMapping(guessMapping(read.head));
    }
  };
  const run = async () => {
    if (!planned) return;
    setDone(0);
    try {
      const undo = await make(planned, data, setDone);
      const again = () => queries.invalidateQueries({ queryKey: ["tasks"] });
      await again();
      const count = planned.cards.length;
      toast(count === 1 ? "1 card imported" : `${count.toLocaleString()} cards imported`, {
        action: { label: "Undo", run: () => void undo().finally(again) },
      });
      onClose();
    } catch (problem) {
      setError(errorMessage(problem));
      setDone(null);
      await queries.invalidateQueries({ queryKey: ["tasks"] });
    }
  };

  return (
    <Dialog
      open
      onClose={onClose}
      size="large"
      title="Import cards from CSV"
      description={
        sheet ? undefined : "The first line must contain the column names, as in a board export."
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {planned ? (
            <Button
              variant="primary"
              busy={done !== null}
              disabled={planned.cards.length === 0}
              onClick={() => void run()}
            >
              {planned.cards.length === 1
                ? "Import 1 card"
                : `Import ${planned.cards.length.toLocaleString()} cards`}
            </Button>
          ) : (
            <Button variant="primary" icon={FileSpreadsheet} onClick={() => input.current?.click()}>
              Choose file
            </Button>
          )}
        </>
      }
    >
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,text/csv"
        data-testid="csv-file"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) void take(file);
        }}
      />
      {error && (
        <Notice tone="danger" icon={CircleAlert}>
          {error}
        </Notice>
      )}
      {sheet && planned && (
        <div className="t-form">
          <div className="tasks-mapping">
            {targets.map((target) => (
              <Field key={target} label={titles[target]}>
                <Select
                  value={mapping[target] ?? ""}
                  onChange={({ target: { value } }) =>
                    setMapping({
                      ...mapping,
                      [target]: value === "" ? undefined : Number(value),
                    })
                  }
                >
                  <option value="">Not in the file</option>
                  {sheet.head.map((name, index) => (
                    <option key={index} value={index}>
                      {name || `Column ${index + 1}`}
                    </option>
                  ))}
                </Select>
              </Field>
            ))}
          </div>
          <Preview planned={planned} />
          {done !== null && <Progress label="Import" value={done} max={planned.cards.length} />}
        </div>
      )}
    </Dialog>
  );
}

const maxShown = 5;

function Preview({
  planned: { cards: found, newColumns, newLabels, wrong },
}: {
  planned: Planned;
}) {
  return (
    <>
      {newColumns.length > 0 && <p className="t-muted">New columns: {newColumns.join(", ")}</p>}
      {newLabels.length > 0 && <p className="t-muted">New labels: {newLabels.join(", ")}</p>}
      {wrong.length > 0 && (
        <Notice tone="warning" icon={CircleAlert}>
          {wrong.length === 1 ? "1 row" : `${wrong.length.toLocaleString()} rows`} will be skipped.{" "}
          {wrong
            .slice(0, maxShown)
            .map(({ line, message }) => `Line ${line}: ${message}`)
            .join(" ")}
        </Notice>
      )}
      {found.length > 0 && (
        <table className="t-table">
          <thead>
            <tr>
              <th scope="col">Title</th>
              <th scope="col">Column</th>
              <th scope="col">Due</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, maxShown).map(({ title, column, due }, index) => (
              <tr key={index}>
                <td>{title}</td>
                <td>{column}</td>
                <td>{due}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
