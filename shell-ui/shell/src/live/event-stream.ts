import {
  createStore,
  type ConnectionStatus,
  type Dispose,
  type EventStream,
  type ServerEvent,
} from "@tenon/host";

/** The part of `EventSource` that is used. */
export interface EventConnection {
  onerror: ((event: Event) => void) | null;
  readonly readyState: number;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

export interface LiveStream extends EventStream {
  /** Ends the connection until `start`. */
  stop(): void;
  start(): void;
  hasPosition(plugin: string): boolean;
  /**
   * Resolves when the tab has a position in the change log of a plugin, so that a page which begins then reads its tables once. Also
   * resolves where that takes too long or there is no connection.
   */
  takePosition(plugin: string): Promise<void>;
}

const closed = 2;
const firstRetry = 1_000;
const maxRetry = 30_000;
/** Milliseconds that a page waits for its position in the change log. */
export const positionTimeout = 300;

export interface EventStreamOptions {
  /** Number of the newest event that what is shown already knows of. */
  newest?: number;
  connect?: (url: string) => EventConnection;
}

/**
 * One connection for the whole tab. A new subscription adds its topic and reconnects with all topics. Reconnects after an
 * error, with growing delays.
 */
export function createEventStream({
  newest: known = -1,
  connect = (url) => new EventSource(url),
}: EventStreamOptions = {}): LiveStream {
  const status = createStore<ConnectionStatus>("idle");
  const listeners = new Map<string, Set<(event: ServerEvent) => void>>();
  const openListeners = new Set<(missed: boolean, channel?: string) => void>();
  let connection: EventConnection | null = null;
  let connected = new Set<string>();
  let running = false;
  let newest = known;
  // The position in the change log of the records; the next connection continues there.
  let location = "";
  let retry = firstRetry;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let planned = false;

  // Ids are numbers of the bus, or places where records are followed.
  function note(id: string): void {
    if (id.includes(":")) location = id;
    else newest = Math.max(newest, Number(id) || 0);
  }

  function deliver(topic: string, message: MessageEvent<string>): void {
    note(message.lastEventId);
    const event: ServerEvent = { topic, id: message.lastEventId, data: JSON.parse(message.data) };
    for (const listener of [...(listeners.get(topic) ?? [])]) listener(event);
  }

  function open(): void {
    clearTimeout(timer);
    connection?.close();
    if (!running || listeners.size === 0) {
      connection = null;
      return;
    }
    connected = new Set(listeners.keys());
    const topics = [...connected].map(encodeURIComponent).join(",");
    const last = location && `&last=${encodeURIComponent(location)}`;
    const current = connect(`/api/core/events?topics=${topics}${last}`);
    connection = current;
    if (status.get() === "idle") status.set("connecting");
    current.addEventListener("hello", (message) => {
      const { snapshot = 0, channel } = JSON.parse(message.data) as {
        snapshot?: number;
        channel?: string;
      };
      const missed = snapshot !== newest;
      note(message.lastEventId);
      newest = snapshot;
      retry = firstRetry;
      status.set("open");
      for (const listener of [...openListeners]) listener(missed, channel);
    });
    current.addEventListener("resync", (message) => {
      const { topic } = JSON.parse(message.data) as { topic: string };
      note(message.lastEventId);
      const event: ServerEvent = { topic, id: message.lastEventId, data: { action: "resync" } };
      for (const listener of [...(listeners.get(topic) ?? [])]) listener(event);
    });
    for (const topic of connected)
      current.addEventListener(topic, (message) => deliver(topic, message));
    current.onerror = () => {
      if (current !== connection) return;
      const refused = current.readyState === closed;
      status.set(refused ? "refused" : "lost");
      // The browser's own attempts are endless but never slow down, and end at a refusal.
      current.close();
      timer = setTimeout(open, retry * (0.75 + Math.random() / 2));
      retry = Math.min(retry * 2, maxRetry);
    };
  }

  const hasPosition = (plugin: string) =>
    location.split(";").some((one) => one.startsWith(`${plugin}:`));

  function subscribe(topic: string, listener: (event: ServerEvent) => void): Dispose {
    const all = listeners.get(topic) ?? new Set();
    listeners.set(topic, all.add(listener));
    plan();
    return () => {
      all.delete(listener);
      if (all.size === 0 && listeners.get(topic) === all) listeners.delete(topic);
    };
  }

  async function takePosition(plugin: string): Promise<void> {
    if (hasPosition(plugin) || !running) return;
    const topic = `${plugin}.*`;
    const ends = [subscribe(topic, () => undefined)];
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, positionTimeout);
      ends.push(
        () => clearTimeout(limit),
        status.subscribe(() => ["lost", "refused", "idle"].includes(status.get()) && resolve()),
      );
      // A plugin without tables has no position: the greeting of its own connection is enough.
      const heard = () => connected.has(topic) && resolve();
      openListeners.add(heard);
      ends.push(() => openListeners.delete(heard));
    });
    for (const end of ends) end();
  }

  function plan(): void {
    if (planned || !running) return;
    planned = true;
    queueMicrotask(() => {
      planned = false;
      const missing = [...listeners.keys()].some((topic) => !connected.has(topic));
      if (missing || !connection) open();
    });
  }

  return {
    status,
    subscribe,
    hasPosition,
    takePosition,
    onOpen(listener) {
      openListeners.add(listener);
      return () => openListeners.delete(listener);
    },
    start() {
      if (running) return;
      running = true;
      connected = new Set();
      plan();
    },
    stop() {
      running = false;
      clearTimeout(timer);
      connection?.close();
      connection = null;
      retry = firstRetry;
      status.set("idle");
    },
  };
}
