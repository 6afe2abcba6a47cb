import { useQueryClient } from "@tanstack/react-query";
import { usePlugin } from "@tenon/host";
import { toast } from "@tenon/ui";
import { formatBytes, pictureSize, UploadList } from "@tenon/ui/uploads";
import { useEffect } from "react";
import { cleanFileName, markdownFor, targetFor } from "../model/files.ts";
import { limits } from "../model/types.ts";
import { newId } from "../model/uuid.ts";
import { uploadsFor } from "./note-uploads.ts";

/** Starts the upload of files of a note; returns the Markdown for them. */
export type Attach = (files: readonly File[]) => Promise<string>;

export interface UploadStripProps {
  note: string;
  /** Files that the note has, and that are on their way, count. */
  count: number;
  onReady(attach: Attach | null): void;
  /** A file was given up: it is to go from the text. */
  onCancel(target: string): void;
}

/** The files that are on their way to a note, and the way to begin with some. */
export function UploadStrip({ note, count, onReady, onCancel }: UploadStripProps) {
  const context = usePlugin();
  const client = useQueryClient();
  const uploads = uploadsFor(context, client);
  useEffect(() => {
    const attach: Attach = async (files) => {
      const under = uploads.items.get().filter(({ context: { note: of } }) => of === note).length;
      const texts: string[] = [];
      for (const file of files) {
        const name = cleanFileName(file.name);
        if (file.size > limits.file) {
          toast(`“${name}” is larger than ${formatBytes(limits.file)}`, { tone: "danger" });
          continue;
        }
        if (count + under + texts.length >= limits.files) {
          toast(`A note can have at most ${limits.files} files`, { tone: "danger" });
          break;
        }
        const size = await pictureSize(file);
        const id = newId();
        const target = targetFor(id, name);
        const { width = null, height = null } = size ?? {};
        texts.push(markdownFor(name, target, size !== null));
        await uploads.add(id, file, name, { id, note, target, name, width, height });
      }
      return texts.join("\n\n");
    };
    onReady(attach);
    return () => onReady(null);
  }, [uploads, note, count, onReady]);
  return (
    <UploadList
      uploads={uploads}
      filter={(file) => file.note === note}
      onCancel={({ context: file }) => onCancel(file.target)}
    />
  );
}
