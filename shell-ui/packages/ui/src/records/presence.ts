import { createStore, useEventStream, type Dispose, type EventStream } from "@tenon/host";
import { useCallback, useSyncExternalStore } from "react";
import { coreApi } from "../client/use-api.ts";

/** Somebody else who looks at the same record. */
export interface Onlooker {
  name: string;
  /** Of their colour, 0 to 7; the same wherever they are shown. */
  hue: number;
  /** What their page says of how they look: `editing`. */
  state?: string;
}

export interface Presence {
  /** Others, the first that came first; at most 20. */
  people: readonly Onlooker[];
  /** How many there are. */
  total: number;
}

export interface PresenceOptions {
  /** How one looks, as others see it: letters a to z and hyphens, at most 32. */
  state?: string;
}

interface Sighted {
  plugin: string;
  table: string;
  id: string;
}

const nobody: Presence = { people: [], total: 0 };

// What is said later arrives later, also over several connections.
let said: Promise<unknown> = Promise.resolve();
function send(request: () => Promise<unknown>): void {
  // The channel went, and the next one says it; who may not read the record hears of nobody.
  said = said.then(request).catch(() => undefined);
}

/** A record that a tab looks at, for as long as a component does. */
class Look {
  readonly heard = createStore<Presence>(nobody);
  readonly #tab: Tab;
  readonly #record: Sighted;
  #states: (string | undefined)[] = [];
  #channel = "";
  #state: string | undefined;

  constructor(tab: Tab, record: Sighted) {
    this.#tab = tab;
    this.#record = record;
  }

  begin(state: string | undefined): Dispose {
    this.#states = [...this.#states, state];
    this.say();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#states = this.#states.toSpliced(this.#states.indexOf(state), 1);
      // Another state, or another component, comes at once.
      queueMicrotask(() => (this.#states.length > 0 ? this.say() : this.#stop()));
    };
  }

  say(): void {
    const { channel } = this.#tab;
    const state = this.#states.findLast(Boolean);
    if (!channel || (channel === this.#channel && state === this.#state)) return;
    this.#channel = channel;
    this.#state = state;
    send(() => coreApi.put("presence", { channel, ...this.#record, state }));
  }

  #stop(): void {
    if (!this.#tab.forget(this)) return;
    const { channel } = this.#tab;
    if (!channel || channel !== this.#channel) return;
    send(() => coreApi.delete("presence", { query: { channel, ...this.#record } }));
  }
}

const nameOf = ({ plugin, table, id }: Sighted) => `${plugin}.${table}/${id}`;

/** What a tab looks at. */
class Tab {
  /** Of the tab's connection; empty while it does not follow `presence`. */
  channel = "";
  readonly #stream: EventStream;
  readonly #looks = new Map<string, Look>();
  #leave: Dispose | null = null;

  constructor(stream: EventStream) {
    this.#stream = stream;
    stream.onOpen((_missed, channel = "") => {
      this.channel = channel;
      for (const look of this.#looks.values()) look.say();
    });
  }

  heard(name: string): Presence {
    return this.#looks.get(name)?.heard.get() ?? nobody;
  }

  look(record: Sighted): Look {
    const name = nameOf(record);
    let look = this.#looks.get(name);
    if (!look) this.#looks.set(name, (look = new Look(this, record)));
    this.#leave ??= this.#stream.subscribe("presence", ({ data }) => {
      const { people, total, ...seen } = data as Presence & Sighted;
      this.#looks.get(nameOf(seen))?.heard.set({ people, total });
    });
    return look;
  }

  /** False where it was forgotten already. */
  forget(gone: Look): boolean {
    for (const [name, look] of this.#looks) {
      if (look !== gone) continue;
      this.#looks.delete(name);
      if (this.#looks.size === 0) {
        this.#leave?.();
        this.#leave = null;
      }
      return true;
    }
    return false;
  }
}

const tabs = new WeakMap<EventStream, Tab>();

function tabOf(stream: EventStream): Tab {
  let tab = tabs.get(stream);
  if (!tab) tabs.set(stream, (tab = new Tab(stream)));
  return tab;
}

/**
 * Says that this page looks at a record while the component is mounted, and who else does. Nothing is said without an
 * id, nor heard of a record that one may not read.
 */
export function usePresence(
  plugin: string,
  table: string,
  id: string | null | undefined,
  { state }: PresenceOptions = {},
): Presence {
  const tab = tabOf(useEventStream());
  const subscribe = useCallback(
    (listener: () => void) => {
      if (id == null) return () => undefined;
      const look = tab.look({ plugin, table, id });
      const leave = look.heard.subscribe(listener);
      const end = look.begin(state);
      return () => {
        leave();
        end();
      };
    },
    [tab, plugin, table, id, state],
  );
  return useSyncExternalStore(subscribe, () =>
    id == null ? nobody : tab.heard(nameOf({ plugin, table, id })),
  );
}
