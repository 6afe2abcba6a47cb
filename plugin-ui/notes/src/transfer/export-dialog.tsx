import { Button, Dialog, ErrorState, Notice, Progress } from "@tenon/ui";
import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { notesApi } from "../model/notes-api.ts";
import type { Notebook } from "../model/types.ts";
import {
  IncompleteExport,
  packExport,
  requestExport,
  type ExportProgress,
  type ExportResult,
} from "./export-job.ts";

export interface ExportDialogProps {
  open: boolean;
  onClose(): void;
  /** Everything, when there is none. */
  notebook: Notebook | null;
}

type State =
  | { phase: "running"; progress: ExportProgress }
  | { phase: "done"; result: ExportResult }
  | { phase: "failed"; error: unknown };

const begin: State = { phase: "running", progress: { done: 0, total: 0, bytes: 0 } };

function fileName(notebook: Notebook | null): string {
  const name = notebook ? notebook.name.replace(/[\\/:*?"<>|]/g, "-") : "Notes";
  return `${name} ${new Date().toISOString().slice(0, 10)}.zip`;
}

function save(archive: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(archive);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function megabytes(bytes: number): string {
  return bytes < 100_000
    ? `${Math.ceil(bytes / 1_000)} KB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Everything, or a notebook, as a zip archive of Markdown files. */
export function ExportDialog({ open, onClose, notebook }: ExportDialogProps) {
  const [state, setState] = useState<State>(begin);
  const [attempt, setAttempt] = useState(0);
  const name = useRef(fileName(notebook)).current;

  useEffect(() => {
    if (!open) return;
    const controller = new AbortController();
    const run = async () => {
      setState(begin);
      try {
        const url = notesApi.url("export", { notebook: notebook?.id });
        const stream = await requestExport(url, controller.signal);
        const result = await packExport(stream, controller.signal, (progress) =>
          setState({ phase: "running", progress }),
        );
        setState({ phase: "done", result });
        save(result.archive, name);
      } catch (error) {
        if (!controller.signal.aborted) setState({ phase: "failed", error });
      }
    };
    void run();
    return () => controller.abort();
  }, [open, attempt, notebook, name]);

  const title = notebook ? `Export “${notebook.name}”` : "Export all notes";
  if (state.phase === "failed") {
    const { error } = state;
    const known = error instanceof IncompleteExport || error instanceof RangeError;
    return (
      <Dialog
        open={open}
        onClose={onClose}
        title={title}
        actions={<Button onClick={onClose}>Close</Button>}
      >
        {known ? (
          <Notice
            tone="danger"
            action={
              <Button size="small" onClick={() => setAttempt((at) => at + 1)}>
                Retry
              </Button>
            }
          >
            {error.message}
          </Notice>
        ) : (
          <ErrorState
            error={error}
            title="Could not export the notes"
            onRetry={() => setAttempt((at) => at + 1)}
          />
        )}
      </Dialog>
    );
  }
  if (state.phase === "done") {
    const { notes, archive, snapshots } = state.result;
    return (
      <Dialog
        open={open}
        onClose={onClose}
        title={title}
        actions={
          <>
            <Button icon={Download} onClick={() => save(archive, name)}>
              Download again
            </Button>
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        }
      >
        <p role="status">
          {notes === 1 ? "1 note" : `${notes.toLocaleString()} notes`} in {name},{" "}
          {megabytes(archive.size)}.
        </p>
        {snapshots > 1 && (
          <p className="t-muted">
            Notes that changed during the export may be included in their old or new version.
          </p>
        )}
      </Dialog>
    );
  }
  const { done, total, bytes } = state.progress;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      actions={<Button onClick={onClose}>Cancel</Button>}
    >
      <div className="notes-transfer-progress">
        <Progress label="Export" value={total > 0 ? done : undefined} max={Math.max(1, total)} />
        <p role="status">
          {total > 0
            ? `${done.toLocaleString()} of ${total.toLocaleString()} notes, ${megabytes(bytes)}`
            : "Preparing the export"}
        </p>
      </div>
    </Dialog>
  );
}
