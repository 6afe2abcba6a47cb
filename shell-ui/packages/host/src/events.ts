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
   * Subscribes to an exact topic: `core.plugins`, one that a plugin publishes, or records, `notes.notes` or `notes.notes/<id>`. Events of
   * records are `{ action, id, record, etag }`; `{ action: "resync" }` means to refetch them. The hooks of `tables.gen.ts` follow
   * their tables by themselves.
   */
  subscribe(topic: string, listener: (event: ServerEvent) => void): Dispose;
  /**
   * Runs after each connect. `missed`: events may have passed unseen, so read again. `channel`: the connection's name,
   * where it follows `presence`.
   */
  onOpen(listener: (missed: boolean, channel?: string) => void): Dispose;
  /**
   * Whether the tab has a position in the change log of a plugin. Each later connection resumes there: changes of tables that are followed
   * before they are read are then reported without a gap, so nothing has to be read twice.
   */
  hasPosition?(plugin: string): boolean;
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

export interface ServerEventOptions {
  /**
   * Runs when the tab has connected and may have missed events. That includes the first connection with the topic:
   * changes may occur between the fetch and the subscription. It may run without need.
   */
  onMissed?: () => void;
  /** The topic is a table. If the tab has a position in the change log, nothing is missed, and `onMissed` does not run. */
  table?: boolean;
}

/** Subscribes to a topic while the component is mounted: `core.plugins`, records, or one that a plugin publishes. */
export function useServerEvent(
  topic: string,
  listener: (event: ServerEvent) => void,
  { onMissed, table = false }: ServerEventOptions = {},
): void {
  const stream = useEventStream();
  const latest = useRef({ listener, onMissed });
  useEffect(() => {
    latest.current = { listener, onMissed };
  });
  useEffect(() => {
    const isResumed = table && stream.hasPosition?.(topic.slice(0, topic.indexOf(".")));
    let isUnsure = !isResumed;
    const leave = stream.subscribe(topic, (event) => latest.current.listener(event));
    const stop = stream.onOpen((missed) => {
      if (isUnsure || (missed && !isResumed)) latest.current.onMissed?.();
      isUnsure = false;
    });
    return () => {
      leave();
      stop();
    };
  }, [stream, topic, table]);
}
