import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useServerEvent } from "@tenon/host";
import { refetchFresh } from "@tenon/ui";
import { useEffect, useMemo } from "react";
import { countsChanged, everythingChanged, noteQuery } from "../model/queries.ts";

/** A published change of a note: see `news` of the plugin’s tables. */
interface News {
  action: "create" | "update" | "delete" | "resync";
  id?: string;
  record?: { version: number };
}

/** Changes that come within this are read at once, and no sooner after the last reading, milliseconds. */
export const pause = 700;

/**
 * Reads published changes again. However many changes come, the page asks once in a while: a list is one
 * request, and of the notes only what is in sight.
 */
export class LiveNotes {
  private readonly client: QueryClient;
  private readonly notes = new Set<string>();
  private counts = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = -pause;

  constructor(client: QueryClient) {
    this.client = client;
  }

  take({ action, id, record }: News): void {
    if (action === "resync" || id === undefined) {
      everythingChanged(this.client);
      return;
    }
    const known = this.client.getQueryData(noteQuery(id).queryKey);
    // A new text changes no numbers, unless it adds tags: those come with the note.
    if (action !== "update" || record?.version === known?.version) this.counts = true;
    this.notes.add(id);
    const wait = Math.max(pause / 2, this.last + pause - Date.now());
    this.timer ??= setTimeout(() => this.read(), wait);
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private read(): void {
    this.timer = undefined;
    this.last = Date.now();
    for (const id of this.notes)
      void refetchFresh(this.client, { queryKey: noteQuery(id).queryKey });
    void refetchFresh(this.client, { queryKey: ["notes", "list"] });
    void refetchFresh(this.client, { queryKey: ["notes", "search"] });
    if (this.counts) countsChanged(this.client);
    this.notes.clear();
    this.counts = false;
  }
}

/** Keeps the page as it is on the server, for changes by any user. */
export function useLive(): void {
  const client = useQueryClient();
  const live = useMemo(() => new LiveNotes(client), [client]);
  useEffect(() => () => live.end(), [live]);
  useServerEvent("notes.news", ({ data }) => live.take(data as News), {
    onMissed: () => everythingChanged(client),
    table: true,
  });
}
