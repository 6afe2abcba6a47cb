import { createContext, use, useEffect, useRef } from "react";
import type { Dispose, ReadableStore } from "./store.ts";

/** One server-sent event. `data` is parsed JSON. */
export interface ServerEvent {
  topic: string;
  id: string;
  data: unknown;
}

export type ConnectionStatus = "idle" | "connecting" | "open" | "lost" | "refused";

/** The tab's one connection to `/api/core/events`. */
export interface EventStream {
  readonly status: ReadableStore<ConnectionStatus>;
  /**
   * Follows an exact topic: `core.plugins`, or records, `notes.notes` or `notes.notes/<id>`. Events of records are
   * `{ action, id, record, etag }`; `{ action: "resync" }` says to read them again. The hooks of `tables.gen.ts` follow
   * their tables by themselves.
   */
  subscribe(topic: string, listener: (event: ServerEvent) => void): Dispose;
  /**
   * Runs after each connect. `missed`: events may have passed unseen, so read again. `channel`: the connection's name,
   * where it follows `presence`.
   */
  onOpen(listener: (missed: boolean, channel?: string) => void): Dispose;
}

const silent: EventStream = {
  status: { get: () => "idle", subscribe: () => () => undefined },
  subscribe: () => () => undefined,
  onOpen: () => () => undefined,
};

const EventContext = createContext<EventStream>(silent);
export const EventProvider = EventContext.Provider;

export function useEventStream(): EventStream {
  return use(EventContext);
}

/** Follows a topic while the component is mounted. */
export function useServerEvent(topic: string, listener: (event: ServerEvent) => void): void {
  const stream = useEventStream();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => stream.subscribe(topic, (event) => latest.current(event)), [stream, topic]);
}
