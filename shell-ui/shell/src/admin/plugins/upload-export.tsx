import "./packages.css";
import { useQueryClient } from "@tanstack/react-query";
import { Button, Dialog, errorMessage, Notice, Progress, toast } from "@tenon/ui";
import { Archive, CircleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { FileZone } from "./file-drop.tsx";
import { exportsKey, maxExportBytes, uploadExport } from "./packages-api.ts";

/** The upload of an export from this computer to the server. */
export interface ExportUpload {
  isOpen: boolean;
  /** The file that is sent; null until one is chosen. */
  file: File | null;
  /** The part that was sent, 0 to 1; then the server checks the file. */
  sent: number;
  /** Why the one before was not taken. */
  failure: string;
  show(): void;
  close(): void;
  take(file: File): Promise<void>;
}

/** @param onDone called when one has come to be in the list */
export function useExportUpload(onDone: () => void): ExportUpload {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const choose = (why: string) => {
    setFile(null);
    setFailure(why);
    setOpen(true);
  };
  return {
    isOpen,
    file,
    sent,
    failure,
    show: () => choose(""),
    close() {
      running.current?.abort();
      setOpen(false);
    },
    async take(chosen) {
      running.current?.abort();
      if (chosen.size > maxExportBytes) {
        choose(`${chosen.name} is larger than 16 GB, the maximum size of an upload.`);
        return;
      }
      const controller = new AbortController();
      const { signal } = controller;
      running.current = controller;
      setFile(chosen);
      setFailure("");
      setSent(0);
      setOpen(true);
      try {
        const { facts } = await uploadExport(chosen, {
          signal,
          onProgress: (part) => signal.aborted || setSent(part),
        });
        void queries.invalidateQueries({ queryKey: exportsKey });
        setOpen(false);
        toast(
          facts
            ? `Export of ${facts.plugin} ${facts.version} uploaded. Install the plugin to restore its data.`
            : "Export uploaded",
        );
        onDone();
      } catch (error) {
        // The server knows no name of what was sent.
        if (!signal.aborted) choose(errorMessage(error).replace(/^the export\b/, chosen.name));
      }
    },
  };
}

/** Chooses the file of an export, sends it, and says why it is not taken. */
export function UploadExportDialog({ upload, isDragOver }: { upload: ExportUpload; isDragOver: boolean }) {
  const { isOpen, close, file, failure, sent, take } = upload;
  const isSent = sent >= 1;
  const label = `${isSent ? "Checking" : "Uploading"} ${file?.name ?? ""}`;
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      title="Upload an export"
      actions={file && <Button onClick={close}>Cancel</Button>}
    >
      <div className="shell-install" data-stage={file ? undefined : "choose"}>
        {failure && (
          <Notice tone="danger" icon={CircleAlert}>
            {failure}
          </Notice>
        )}
        {file ? (
          <div className="shell-install-progress">
            <p role="status">{label}</p>
            <Progress
              label={label}
              value={isSent ? undefined : sent}
              max={isSent ? undefined : 1}
            />
          </div>
        ) : (
          <FileZone
            icon={Archive}
            label="Export"
            accept=".tar"
            isDragOver={isDragOver}
            onFile={(chosen) => void take(chosen)}
          >
            Drop a .tar export here, or
          </FileZone>
        )}
      </div>
    </Dialog>
  );
}
