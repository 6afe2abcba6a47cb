import { FileUp } from "lucide-react";
import { useId, useRef, useState, type DragEvent } from "react";
import { Button } from "../kit/button.tsx";
import { Select } from "../kit/form.tsx";
import { StatTile, StatTiles } from "../kit/stat-tile.tsx";
import { isNeeded, type Fields } from "../records/fields.ts";
import type { ImportState, RowError } from "./import-job.ts";
import { labelOf, writable, type Mapping } from "./mapping.ts";
import type { Source } from "./source.ts";

export type Labels = Readonly<Record<string, string>> | undefined;

export const count = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** Takes a file from the disk, dropped or chosen. */
export function DropZone({ busy, onFile }: { busy: boolean; onFile(file: File): void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isDragOver, setDragOver] = useState(false);
  const hint = useId();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDragOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };
  return (
    <div
      className="t-drop"
      data-over={isDragOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setDragOver(true);
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={drop}
    >
      <FileUp size={24} />
      <p id={hint}>Drop a CSV or JSON file here, or</p>
      <Button
        variant="primary"
        data-autofocus
        busy={busy}
        aria-describedby={hint}
        onClick={() => input.current?.click()}
      >
        Choose a file
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json"
        aria-label="File"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) onFile(file);
        }}
      />
    </div>
  );
}

interface MappingTableProps {
  source: Source;
  fields: Fields;
  labels: Labels;
  mapping: Mapping;
  onChange(mapping: Mapping): void;
}

/** Which column is which field. */
export function MappingTable({ source, fields, labels, mapping, onChange }: MappingTableProps) {
  return (
    <div className="t-import-scroll">
      <table className="t-table t-mapping">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Field</th>
          </tr>
        </thead>
        <tbody>
          {source.columns.map((column) => (
            <tr key={column}>
              <td>
                <div className="t-ellipsis">{column}</div>
                <div className="t-muted t-ellipsis">
                  {source.samples
                    .map((row) => row[column])
                    .filter(Boolean)
                    .join(", ") || "Empty"}
                </div>
              </td>
              <td>
                <Select
                  aria-label={`Field for ${column}`}
                  value={mapping[column] ?? ""}
                  onChange={({ target }) =>
                    onChange({ ...mapping, [column]: target.value || null })
                  }
                >
                  <option value="">Skip</option>
                  <option value="id">{labelOf("id", labels)}</option>
                  {writable(fields).map(([name, facts]) => (
                    <option key={name} value={name}>
                      {labelOf(name, labels)}
                      {isNeeded(facts) ? " *" : ""}
                    </option>
                  ))}
                </Select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const maxShown = 100;

/** Rows that are refused, with what is wrong. */
export function ErrorTable({ errors, wrong, labels }: ErrorTableProps) {
  const shown = errors.slice(0, maxShown);
  return (
    <>
      <div className="t-import-scroll" tabIndex={0} role="region" aria-label="Rejected rows">
        <table className="t-table t-import-errors">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Field</th>
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ line, field, message }, at) => (
              <tr key={at}>
                <td>{line}</td>
                <td>{field && labelOf(field, labels)}</td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {wrong > shown.length && (
        <p className="t-muted">Showing the first {count(shown.length, "error")}.</p>
      )}
    </>
  );
}

interface ErrorTableProps {
  errors: readonly RowError[];
  wrong: number;
  labels: Labels;
}

/** What an import does, or did. */
export function Figures({ state }: { state: ImportState }) {
  const figures = [
    { name: state.dry_run ? "New" : "Added", value: state.created },
    { name: state.dry_run ? "Updates" : "Updated", value: state.changed },
    {
      name: "Rejected",
      value: state.wrong,
      tone: state.wrong > 0 ? ("danger" as const) : undefined,
    },
  ];
  return (
    <StatTiles>
      {figures.map(({ name, value, tone }) => (
        <StatTile key={name} label={name} value={value.toLocaleString()} tone={tone} />
      ))}
    </StatTiles>
  );
}
