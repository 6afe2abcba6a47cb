import { pictureSize, uploadFile } from "@tenon/ui/uploads";
import { cleanFileName } from "../model/files.ts";
import { notesApi } from "../model/notes-api.ts";
import { newId } from "../model/uuid.ts";

/** Adds a file of an import to a note whose text has `target` for it. */
export async function importFile(
  note: string,
  target: string,
  path: string,
  content: Blob,
  signal: AbortSignal,
): Promise<void> {
  const name = cleanFileName(path);
  const [{ blob }, size] = await Promise.all([
    uploadFile(notesApi.url("blobs"), content, name, { signal }),
    pictureSize(content),
  ]);
  const { width = null, height = null } = size ?? {};
  await notesApi.attach(note, { id: newId(), blob, target, name, width, height });
}
