import { createStore, useEventStream, type Dispose, type EventStream } from "@tenon/host";
import { useCallback, useSyncExternalStore } from "react";
import { coreApi } from "../client/use-api.ts";

/** Another user who views the same record. */
export interface PresentPerson {
  name: string;
  /** The number of their colour, 0 to 7; the same everywhere. */
  hue: number;
  /** The state that their page reports: `editing`. */
  state?: string;
}

export interface Presence {
  /** The other users, in the order of their arrival; at most 20. */
  people: readonly PresentPerson[];
  /** The number of other users. */
  total: number;
}

export interface PresenceOptions {
  /** The state that others see: letters a to z and hyphens, at most 32. */
  state?: string;
}

interface RecordRef {
  plugin: string;
  table: string;
  id: string;
}

const noPresence: Presence = { people: [], total: 0 };

// Reports are sent one after the other, so that they arrive in order, even over several connections.
let said: Promise<unknown> = Promise.resolve();
function send(request: () => Promise<unknown>): void {
  // After a lost connection, the next one reports again. Without the permission to read, the list is empty.
  said = said.then(request).catch(() => undefined);
}

/** A record that a tab views while a component is mounted. */
class Look {
  readonly heard = createStore<Presence>(noPresence);
  readonly #tab: Tab;
  readonly #record: RecordRef;
  #states: (string | undefined)[] = [];
  #channel = "";
  #state: string | undefined;

  constructor(tab: Tab, record: RecordRef) {
    this.#tab = tab;
    this.#record = record;
  }

  begin(state: string | undefined): Dispose {
    this.#states = [...this.#states, state];
    this.say();
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
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

const nameOf = ({ plugin, table, id }: RecordRef) => `${plugin}.${table}/${id}`;

/** The records that a tab views. */
class Tab {
  /** The id of the tab's connection; empty while it does not receive `presence`. */
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
    return this.#looks.get(name)?.heard.get() ?? noPresence;
  }

  look(record: RecordRef): Look {
    const name = nameOf(record);
    let look = this.#looks.get(name);
    if (!look) this.#looks.set(name, (look = new Look(this, record)));
    this.#leave ??= this.#stream.subscribe("presence", ({ data }) => {
      const { people, total, ...seen } = data as Presence & RecordRef;
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
 * Reports that this page views a record while the component is mounted, and returns who else does. Without an id, or
 * without the permission to read the record, it reports and returns nothing.
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
    id == null ? noPresence : tab.heard(nameOf({ plugin, table, id })),
  );
}
