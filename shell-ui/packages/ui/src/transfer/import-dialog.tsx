import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { errorMessage, Notice } from "../kit/feedback.tsx";
import { Field, Select } from "../kit/form.tsx";
import { Progress } from "../kit/progress.tsx";
import { toast } from "../kit/toast.tsx";
import type { TableModule } from "../records/index.ts";
import type { TableTypes } from "../records/table.ts";
import { runImport, stopImport, type ImportState } from "./import-job.ts";
import {
  count,
  DropZone,
  ErrorTable,
  Figures,
  MappingTable,
  type Labels,
} from "./import-parts.tsx";
import { doubled, guess, labelOf, missing, writable, type Mapping } from "./mapping.ts";
import { readSource, SourceError, type Source } from "./source.ts";
import "../styles/transfer.css";

export interface ImportDialogProps<T extends TableTypes> {
  open: boolean;
  onClose(): void;
  table: TableModule<T>;
  /** “Import cards”. */
  title?: string;
  /** Names of fields for people, also those that a file may have. */
  labels?: Labels;
  /** When an import has ended, whatever became of it. */
  onDone?(state: ImportState): void;
}

type Step = "choose" | "map" | "checking" | "checked" | "importing" | "done";

/** A file becomes records: choose it, say what its columns are, see what would be refused, import the rest. */
export function ImportDialog<T extends TableTypes>(props: ImportDialogProps<T>) {
  // Each opening starts over; the content stays while the dialog fades out.
  const [run, setRun] = useState(0);
  const [wasOpen, setWasOpen] = useState(props.open);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    if (props.open) setRun(run + 1);
  }
  return <ImportSteps key={run} {...props} />;
}

function ImportSteps<T extends TableTypes>({
  open,
  onClose,
  table,
  title = `Import ${table.table.replaceAll("_", " ")}`,
  labels,
  onDone,
}: ImportDialogProps<T>) {
  const queries = useQueryClient();
  const [step, setStep] = useState<Step>("choose");
  const [source, setSource] = useState<Source | null>(null);
  const [mapping, setMapping] = useState<Mapping>({});
  const [key, setKey] = useState("");
  const [state, setState] = useState<ImportState | null>(null);
  const [failure, setFailure] = useState("");
  const [isReading, setReading] = useState(false);
  const running = useRef<AbortController | null>(null);
  const job = useRef("");

  const choose = async (file: File) => {
    setFailure("");
    setReading(true);
    try {
      const read = await readSource(file);
      setSource(read);
      setMapping(guess(read.columns, table.fields, labels));
      setKey("");
      setStep("map");
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      setFailure(error.message);
    }
    setReading(false);
  };

  const run = async (dryRun: boolean) => {
    if (!source) return;
    const controller = new AbortController();
    running.current = controller;
    job.current = "";
    setFailure("");
    setState(null);
    setStep(dryRun ? "checking" : "importing");
    try {
      const end = await runImport(
        table.plugin,
        table.table,
        { source, mapping, key: key || undefined, dryRun },
        {
          signal: controller.signal,
          onStart: (path) => (job.current = path),
          onState: setState,
        },
      );
      if (dryRun) {
        setStep(end.state === "cancelled" ? "map" : "checked");
      } else {
        setStep("done");
        onDone?.(end);
        await queries.invalidateQueries({ queryKey: [table.plugin, table.table] });
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      setFailure(errorMessage(error));
      setStep("map");
    }
  };

  // The response of the host ends the step; an import that has not started ends here.
  const stop = () => {
    if (job.current) return void stopImport(job.current).catch(() => undefined);
    running.current?.abort();
    setStep("map");
  };

  const close = () => {
    const path = job.current;
    const isImporting = step === "importing" && path;
    if (step === "checking" || (step === "importing" && !path)) stop();
    if (isImporting) {
      toast("Import continues in the background", {
        action: { label: "Stop", run: () => void stopImport(path).catch(() => undefined) },
      });
    }
    onClose();
  };

  const twice = doubled(mapping);
  const lacking = key ? [] : missing(mapping, table.fields);
  const keys = [
    "id",
    ...writable(table.fields).flatMap(([name, { unique }]) => (unique ? [name] : [])),
  ];
  const usable = keys.filter((name) => Object.values(mapping).includes(name));
  const isMapped = Object.values(mapping).some((name) => name !== null);
  const names = (fields: readonly string[]) =>
    fields.map((name) => labelOf(name, labels)).join(", ");
  const good = state ? state.created + state.changed : 0;
  const isBroken = state?.state === "failed";
  const progress = state?.progress.total ? state.progress : { done: undefined, total: undefined };

  const actions: Partial<Record<Step, React.ReactNode>> = {
    map: (
      <>
        <Button onClick={() => setStep("choose")}>Back</Button>
        <Button
          variant="primary"
          disabled={!isMapped || twice.length > 0 || lacking.length > 0}
          onClick={() => void run(true)}
        >
          Check
        </Button>
      </>
    ),
    checking: <Button onClick={stop}>Cancel</Button>,
    checked: (
      <>
        <Button onClick={() => setStep("map")}>Back</Button>
        <Button variant="primary" disabled={good === 0} onClick={() => void run(false)}>
          {good === 0 ? "Import" : `Import ${count(good, "record")}`}
        </Button>
      </>
    ),
    importing: <Button onClick={stop}>Stop</Button>,
    done: (
      <Button variant="primary" onClick={onClose}>
        Close
      </Button>
    ),
  };

  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      size={step === "choose" ? undefined : "large"}
      actions={actions[step]}
    >
      <div className="t-import" data-step={step}>
        {failure && (
          <Notice tone="danger" icon={CircleAlert}>
            {failure}
          </Notice>
        )}
        {step === "choose" && <DropZone busy={isReading} onFile={(file) => void choose(file)} />}
        {step === "map" && source && (
          <>
            <p className="t-muted t-ellipsis">{source.name}</p>
            <MappingTable
              source={source}
              fields={table.fields}
              labels={labels}
              mapping={mapping}
              onChange={(changed) => {
                setMapping(changed);
                if (key && !Object.values(changed).includes(key)) setKey("");
              }}
            />
            <Field label="Import as">
              <Select value={key} onChange={({ target }) => setKey(target.value)}>
                <option value="">New records</option>
                {usable.map((name) => (
                  <option key={name} value={name}>
                    New records, or updates of records with the same {labelOf(name, labels)}
                  </option>
                ))}
              </Select>
            </Field>
            {twice.length > 0 && (
              <Notice tone="warning" icon={CircleAlert}>
                Two columns map to {names(twice)}. Skip one of them.
              </Notice>
            )}
            {lacking.length > 0 && (
              <Notice tone="warning" icon={CircleAlert}>
                No column maps to {names(lacking)}, which is required.
              </Notice>
            )}
          </>
        )}
        {(step === "checking" || step === "importing") && (
          <div className="t-import-progress">
            <p role="status">
              {step === "checking" ? "Checking" : "Importing"}
              {state && state.rows > 0 ? ` ${count(state.rows, "row")}` : ""}
            </p>
            <Progress
              label={step === "checking" ? "Checking" : "Importing"}
              value={progress.done}
              max={progress.total}
            />
          </div>
        )}
        {(step === "checked" || step === "done") && state && (
          <>
            {isBroken ? (
              <Notice tone="danger" icon={CircleAlert}>
                {state.error}
              </Notice>
            ) : (
              step === "done" && (
                <Notice
                  tone={state.state === "cancelled" ? "warning" : "success"}
                  icon={state.state === "cancelled" ? CircleAlert : CircleCheck}
                >
                  {state.state === "cancelled"
                    ? "Import stopped. Records imported so far are kept."
                    : `${count(good, "record")} imported.`}
                </Notice>
              )
            )}
            <Figures state={state} />
            {state.errors.length > 0 && (
              <ErrorTable errors={state.errors} wrong={state.errors.length} labels={labels} />
            )}
            {state.wrong > 0 && (
              <a href={`${job.current}?errors=csv`} download>
                Download rejected rows
              </a>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}
