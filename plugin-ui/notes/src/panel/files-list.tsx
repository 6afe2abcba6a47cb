import { IconButton } from "@tenon/ui";
import { File, Image, Trash2 } from "lucide-react";
import { ask } from "../app/dialog-state.ts";
import { bytesText } from "../model/bytes.ts";
import { notesApi } from "../model/notes-api.ts";
import type { Note } from "../model/types.ts";

/** The files of a note, whether its text names them or not. */
export function FilesList({ note }: { note: Note | undefined }) {
  const files = note?.attachments ?? [];
  if (!note || files.length === 0) {
    return (
      <p className="notes-panel-hint">
        No files yet. Paste or drop files into the text, or attach them from the More menu.
      </p>
    );
  }
  return (
    <ul className="notes-files" aria-label="Files">
      {files.map((file) => {
        const Icon = file.type ? Image : File;
        return (
          <li key={file.id}>
            <Icon size={14} />
            <a href={notesApi.fileUrl(file.id, true)} download={file.name} className="t-ellipsis">
              {file.name}
            </a>
            <span>{bytesText(file.bytes)}</span>
            {note.access !== "reader" && (
              <IconButton
                icon={Trash2}
                size="small"
                label={`Delete ${file.name}`}
                onClick={() => ask({ kind: "delete-file", note: note.id, file })}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}
