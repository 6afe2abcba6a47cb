import { useQueryClient } from "@tanstack/react-query";
import { useStore } from "@tenon/host";
import {
  Button,
  clientFor,
  Dialog,
  errorDetails,
  errorMessage,
  Notice,
  Progress,
  toast,
} from "@tenon/ui";
import { CircleAlert, FileArchive, FolderOpen } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { ask, dialog } from "../app/dialog-state.ts";
import { notePath } from "../model/location.ts";
import { pathText } from "../model/notebook-tree.ts";
import { everythingChanged, useNotebooks } from "../model/queries.ts";
import { droppedSource, pickedSource } from "./folder-source.ts";
import { runImport, type ImportResponse, type ImportOptions } from "./import-job.ts";
import { SourceError, type Source } from "./source.ts";
import {
  doneOf,
  importState,
  isRunning,
  type FileReport,
  type ImportState,
} from "./transfer-state.ts";

const api = clientFor("/api/notes");

/** Uploads are fetched when an import has files. */
const attach: ImportOptions["attach"] = async (...file) => {
  const { importFile } = await import("../attach/import-file.ts");
  await importFile(...file);
};

export interface ImportDialogProps {
  open: boolean;
  onClose(): void;
  dropped?: readonly FileSystemEntry[];
  notebook: string | null;
}

/** Imports a folder, an archive or files. The import continues while the dialog is closed. */
export function ImportDialog({ open, onClose, dropped, notebook }: ImportDialogProps) {
  const client = useQueryClient();
  const { items } = useNotebooks();
  const state = useStore(importState);
  const begun = useRef(false);

  const begin = (source: Source) =>
    void runImport(source, {
      notebook,
      send: (batch, signal) => api.post<ImportResponse>("import", batch, { signal }),
      attach,
    })
      .then((done) => {
        if (dialog.get()?.kind === "import" || done.phase === "cancelled") return;
        toast(titleOf(done), {
          duration: 0,
          action: { label: "Report", run: () => ask({ kind: "import", notebook }) },
        });
      })
      .finally(() => everythingChanged(client));
  useEffect(() => {
    if (!dropped || begun.current || (state && isRunning(state))) return;
    begun.current = true;
    begin(droppedSource(dropped));
    // Take the dropped files once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [dropped]);

  const where = notebook ? pathText(items, notebook) : null;
  const close = () => {
    onClose();
    if (state && !isRunning(state)) setTimeout(() => importState.set(null), 200);
  };
  if (!state) {
    return (
      <Dialog
        open={open}
        onClose={onClose}
        title={where ? `Import into ${where}` : "Import notes"}
        description="Markdown and text files become notes, and folders become notebooks. Links between files are kept."
      >
        <Choose onChoose={(files) => begin(pickedSource(files))} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      size="large"
      title={titleOf(state)}
      actions={<Actions state={state} close={close} />}
    >
      {isRunning(state) ? <Running state={state} /> : <Report state={state} close={close} />}
    </Dialog>
  );
}

function titleOf({ phase, name, counts }: ImportState): string {
  switch (phase) {
    case "done":
      return `Imported ${counts.created === 1 ? "1 note" : `${counts.created.toLocaleString()} notes`}`;
    case "cancelled":
      return "Import cancelled";
    case "broken":
      return "Import failed";
    case "failed":
      return "Import paused";
    default:
      return `Importing ${name}`;
  }
}

function Choose({ onChoose }: { onChoose(files: readonly File[]): void }) {
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    const chosen = [...(input.files ?? [])];
    input.value = "";
    if (chosen.length > 0) onChoose(chosen);
  };
  return (
    <div className="notes-import-choose">
      <input
        ref={folder}
        type="file"
        hidden
        multiple
        data-testid="import-folder"
        {...{ webkitdirectory: "" }}
        onChange={(event) => take(event.target)}
      />
      <input
        ref={files}
        type="file"
        hidden
        multiple
        data-testid="import-files"
        accept=".zip,.md,.markdown,.mdown,.mkd,.txt"
        onChange={(event) => take(event.target)}
      />
      <Button icon={FolderOpen} data-autofocus onClick={() => folder.current?.click()}>
        Choose a folder
      </Button>
      <Button icon={FileArchive} onClick={() => files.current?.click()}>
        Choose a zip archive or files
      </Button>
      <p className="t-hint">Or drop them anywhere on this page. File contents are not changed.</p>
    </div>
  );
}

function Running({ state }: { state: ImportState }) {
  const done = doneOf(state);
  const last = state.reports.at(-1);
  return (
    <div className="notes-transfer-progress">
      {state.phase === "failed" && (
        <Notice tone="danger" icon={CircleAlert}>
          {errorMessage(state.error)} Notes imported so far are kept and are not imported twice.
          <details>
            <summary>Details</summary>
            <pre>{errorDetails(state.error)}</pre>
          </details>
        </Notice>
      )}
      <Progress label="Import" value={state.progress} />
      <p role="status">
        {done.toLocaleString()} of {state.found.toLocaleString()} files
        {state.isComplete ? "" : " found so far"}
      </p>
      <p className="t-muted t-ellipsis">{last?.path ?? "\u00a0"}</p>
      <Counts state={state} />
    </div>
  );
}

const names: Record<FileReport["result"], string> = {
  created: "created",
  unchanged: "already imported",
  skipped: "skipped",
  failed: "failed",
  attached: "attached",
};

function Counts({ state }: { state: ImportState }) {
  return (
    <ul className="notes-import-counts" aria-label="Results">
      {(Object.keys(names) as FileReport["result"][])
        .filter((result) => result !== "attached" || state.counts.attached > 0)
        .map((result) => (
          <li key={result} data-result={result} data-any={state.counts[result] > 0 || undefined}>
            <strong>{state.counts[result].toLocaleString()}</strong> {names[result]}
          </li>
        ))}
    </ul>
  );
}

/** Rows of the report that are shown. */
const maxShown = 500;
const order: readonly FileReport["result"][] = [
  "failed",
  "skipped",
  "unchanged",
  "attached",
  "created",
];

function Report({ state, close }: { state: ImportState; close(): void }) {
  const sorted = order.flatMap((result) =>
    state.reports.filter((entry) => entry.result === result),
  );
  const shown = sorted.slice(0, maxShown);
  return (
    <div className="notes-import-report">
      {state.phase === "broken" && (
        <Notice tone="danger" icon={CircleAlert}>
          {state.error instanceof SourceError ? state.error.message : errorMessage(state.error)}
        </Notice>
      )}
      {state.phase === "cancelled" && <p className="t-muted">Notes imported so far are kept.</p>}
      <Counts state={state} />
      {shown.length > 0 && (
        <div className="notes-import-files" tabIndex={0} role="region" aria-label="Files">
          <table className="t-table">
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col">Result</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ path, result, note, reason }, index) => (
                <tr key={index}>
                  <td className="t-ellipsis" title={path}>
                    {note ? (
                      <Link to={notePath(note)} onClick={close}>
                        {path}
                      </Link>
                    ) : (
                      path
                    )}
                  </td>
                  <td data-result={result}>
                    {names[result]}
                    {reason && <span className="t-muted"> · {reason}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {sorted.length > maxShown && (
        <p className="t-muted">And {(sorted.length - maxShown).toLocaleString()} more.</p>
      )}
    </div>
  );
}

function Actions({ state, close }: { state: ImportState; close(): void }) {
  if (!isRunning(state)) {
    return (
      <Button variant="primary" onClick={close}>
        Close
      </Button>
    );
  }
  return (
    <>
      <Button onClick={state.cancel}>Cancel import</Button>
      {state.phase === "failed" ? (
        <Button variant="primary" onClick={state.resume}>
          {" "}
          Continue
        </Button>
      ) : (
        <Button onClick={close}>Continue in background</Button>
      )}
    </>
  );
}
