import type { QueryClient } from "@tanstack/react-query";
import type { PluginContext } from "@tenon/host";
import { refetchFresh } from "@tenon/ui";
import { Uploads } from "@tenon/ui/uploads";
import { notesApi } from "../model/notes-api.ts";
import { noteQuery } from "../model/queries.ts";
import type { Attachment } from "../model/types.ts";
import { savingFor } from "../saving/saving.ts";

/** A file on its way to a note. Its id is that of the upload. */
export interface NoteFile {
  id: string;
  note: string;
  target: string;
  name: string;
  width: number | null;
  height: number | null;
}

/** The server has the file: the note shows it. */
export function fileAdded(client: QueryClient, note: string, made: Attachment): void {
  const { queryKey } = noteQuery(note);
  client.setQueryData(
    queryKey,
    (before) =>
      before && {
        ...before,
        attachments: [...before.attachments.filter(({ id }) => id !== made.id), made],
      },
  );
  // A response under way may not include the file.
  void refetchFresh(client, { queryKey });
}

let current: Uploads<NoteFile> | null = null;

/** The window's one queue of files, which ends with the plugin. */
export function uploadsFor(context: PluginContext, client: QueryClient): Uploads<NoteFile> {
  if (current) return current;
  const uploads = new Uploads<NoteFile>({
    endpoint: notesApi.url("blobs"),
    scope: `notes ${context.session.get().user?.id ?? ""}`,
    async finish({ note, ...file }, { blob }) {
      // A note that was just begun is made first.
      const session = savingFor(context).find(note);
      if (session?.state.get().version === 0) await session.flush();
      const { id, target, name, width, height } = file;
      fileAdded(
        client,
        note,
        await notesApi.attach(note, { id, blob, target, name, width, height }),
      );
    },
  });
  current = uploads;
  context.onDispose(() => {
    uploads.dispose();
    current = null;
  });
  void uploads.resume();
  return uploads;
}
