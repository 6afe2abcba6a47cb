import type { Query, QueryClient } from "@tanstack/react-query";
import { createStore, type Dispose, type EventStream, type Store } from "@tenon/host";
import { isReading, whenIdle } from "../client/refetch-fresh.ts";
import { belongs, isSame, type Known } from "./match.ts";
import { find, insert, put, without, type CachedList } from "./pages.ts";
import type { ListOptions, TableTypes, Tagged } from "./table.ts";

/** Query keys: `[plugin, table, "list" | "pages" | "groups" | "one", …]`. */
export type TableKey = readonly [plugin: string, table: string];

type AnyRecord = Known & { id: string };
type Options = ListOptions<TableTypes, "id">;

/** An event of a table. */
interface Change {
  action: "create" | "update" | "delete" | "resync";
  id: string;
  record?: AnyRecord;
  etag?: string;
}

/** A change that the host has not confirmed yet. */
export type Pending =
  | { kind: "create"; record: AnyRecord }
  | {
      kind: "update";
      id: string;
      patch: Known;
      increments: Readonly<Record<string, number>>;
      before: AnyRecord | undefined;
    }
  | { kind: "remove"; id: string };

/** Tables that one tab follows; the host takes 32 topics of a channel, and the shell has some. */
export const maxTables = 24;
/** Milliseconds that a table is followed on after its last hook. */
export const linger = 30_000;
/** Milliseconds between two passes over what is in memory; events between them are one pass. */
export const passGap = 100;
/** Milliseconds between two readings of a table's lists; they take at most a tenth of the time. */
export const refreshGap = 1_000;
const share = 10;

let followed = 0;
const idleMemories = new Set<TableMemory>();

/** The cache of a table: the data of the host, updated by its events, and the pending changes. */
export class TableMemory {
  readonly pending: Store<readonly Pending[]> = createStore<readonly Pending[]>([]);
  readonly #client: QueryClient;
  readonly #key: TableKey;

  #stream: EventStream | null = null;
  #leave: Dispose | null = null;
  #followers = 0;
  #lingers: ReturnType<typeof setTimeout> | undefined;
  #isUnsure = false;

  #heard = new Map<string, Change>();
  #pass: ReturnType<typeof setTimeout> | undefined;
  #passed = -passGap;

  #dirty = new Set<Query>();
  #refresh: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #notBefore = 0;

  constructor(client: QueryClient, key: TableKey) {
    this.#client = client;
    this.#key = key;
  }

  /** Stores a record from a response. */
  keep({ record, etag }: Tagged<{ readonly id: string }>): void {
    this.#client.setQueryData([...this.#key, "one", record.id], { record, etag });
    this.#changeLists((kept) => put(kept, record as AnyRecord));
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.#client.removeQueries({ queryKey: [...this.#key, "one", id] });
    this.#changeLists((kept) => ids.reduce(without, kept));
  }

  /** Reads again what may have others now, in another order. */
  async readLists(): Promise<void> {
    await Promise.all(
      ["list", "pages", "groups"].map((kind) =>
        this.#client.invalidateQueries({ queryKey: [...this.#key, kind] }),
      ),
    );
  }

  async readAll(): Promise<void> {
    await this.#client.invalidateQueries({ queryKey: [...this.#key] });
  }

  readOne(id: string): void {
    void this.#client.invalidateQueries({ queryKey: [...this.#key, "one", id] });
  }

  /** As far as it is known. */
  known(id: string): AnyRecord | undefined {
    const one = this.#client.getQueryData<Tagged<AnyRecord>>([...this.#key, "one", id]);
    if (one) return one.record;
    let known: AnyRecord | undefined;
    for (const query of this.#lists()) {
      const item = query.state.data && find(query.state.data as CachedList, id);
      if (item) known = { ...known, ...item, id };
    }
    return known;
  }

  /** Shows a change until complete() is called with the returned value. */
  begin(change: Pending): Pending {
    this.pending.set((all) => [...all, change]);
    return change;
  }

  complete(change: Pending | undefined): void {
    this.pending.set((all) =>
      change && all.includes(change) ? all.filter((one) => one !== change) : all,
    );
  }

  /** Keeps what is in memory fresh by the tab's events, until what this returns is called. */
  follow(stream: EventStream): Dispose {
    if (this.#stream !== stream) {
      this.#end();
      this.#stream = stream;
    }
    this.#followers += 1;
    clearTimeout(this.#lingers);
    idleMemories.delete(this);
    if (!this.#leave) this.#join(stream);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#followers -= 1;
      if (this.#followers > 0 || this.#stream !== stream || !this.#leave) return;
      idleMemories.add(this);
      this.#lingers = setTimeout(() => this.#end(), linger);
    };
  }

  #join(stream: EventStream): void {
    if (followed >= maxTables) {
      const [oldest] = idleMemories;
      if (oldest) oldest.#end();
    }
    // Beyond, a table is read again when its page is looked at, as without events.
    if (followed >= maxTables) return;
    followed += 1;
    // Without a position in the change log, changes may pass unseen until the connection has greeted.
    this.#isUnsure = !stream.hasPosition?.(this.#key[0]);
    const leave = stream.subscribe(this.#key.join("."), ({ data }) => this.#hear(data as Change));
    const forgetOpen = stream.onOpen(() => {
      if (!this.#isUnsure) return;
      this.#isUnsure = false;
      this.#readSoon(this.#all().filter((query) => query.state.data || isReading(query)));
    });
    this.#leave = () => {
      leave();
      forgetOpen();
    };
  }

  #end(): void {
    clearTimeout(this.#lingers);
    idleMemories.delete(this);
    if (!this.#leave) return;
    followed -= 1;
    this.#leave();
    this.#leave = null;
    this.#heard.clear();
    clearTimeout(this.#pass);
    this.#pass = undefined;
    // No events arrive any more.
    for (const query of this.#all()) query.invalidate();
  }

  #hear(change: Change): void {
    if (change.action === "resync") {
      this.#heard.clear();
      this.#readSoon(this.#all());
      return;
    }
    const before = this.#heard.get(change.id);
    const isNew = before?.action === "create" && change.action === "update";
    this.#heard.delete(change.id);
    this.#heard.set(change.id, isNew ? { ...change, action: "create" } : change);
    // The first of a burst at once, the others together.
    const wait = Math.max(0, this.#passed + passGap - performance.now());
    this.#pass ??= setTimeout(() => this.#apply(), wait);
  }

  #apply(): void {
    this.#pass = undefined;
    this.#passed = performance.now();
    const changes = [...this.#heard.values()];
    this.#heard.clear();
    const unsure: Query[] = [];
    for (const query of this.#all()) {
      if (isReading(query)) {
        // A running fetch may have begun before.
        void whenIdle(query).then(() =>
          this.#readSoon(changes.some((one) => !this.#take(query, one)) ? [query] : []),
        );
      }
      if (query.state.data === undefined) continue;
      if (changes.some((one) => !this.#take(query, one))) unsure.push(query);
    }
    this.#readSoon(unsure);
  }

  /** False where the query has to be asked again. */
  #take(query: Query, change: Change): boolean {
    if (query.state.data === undefined) return true;
    const [, , kind, what] = query.queryKey;
    // Only the host can count: it knows which records the user may see.
    if (kind === "groups") return false;
    if (kind === "one") return what === change.id ? this.#takeOne(query, change) : true;
    return this.#takeListed(query, (what ?? {}) as Options, change);
  }

  #takeOne(query: Query, { action, record, etag }: Change): boolean {
    if (action === "delete" || !record || !etag) return false;
    const kept = query.state.data as Tagged<AnyRecord>;
    if (kept.etag !== etag) this.#client.setQueryData(query.queryKey, { record, etag });
    return true;
  }

  #takeListed(query: Query, options: Options, { action, id, record }: Change): boolean {
    const kept = query.state.data as CachedList;
    const item = find(kept, id);
    const set = (changed: CachedList) => {
      if (changed !== kept) this.#client.setQueryData(query.queryKey, changed);
      return true;
    };
    if (action === "delete") {
      if (item) return set(without(kept, id));
      return !options.count;
    }
    if (!record) return false;
    const isIn = belongs(options, record);
    if (isIn === false) return set(without(kept, id)) && (item !== undefined || !options.count);
    if (!item) return this.#isElsewhere(options, action);
    const changed = Object.keys(record).filter((field) => !isSame(item[field], record[field]));
    if (changed.length === 0) return true;
    set(put(kept, record));
    const sort: readonly string[] = options.sort ?? [];
    return isIn === true && !sort.some((key) => changed.includes(key.replace(/^-/, "")));
  }

  // In a list of all, in the order of their making, a record that was there before is on a page that was not read.
  #isElsewhere({ filter, q, sort }: Options, action: Change["action"]): boolean {
    return action === "update" && !filter && !q && !sort?.length;
  }

  #readSoon(queries: readonly Query[]): void {
    for (const query of queries) this.#dirty.add(query);
    if (this.#dirty.size === 0 || this.#refresh !== undefined || this.#isReading) return;
    const wait = Math.max(passGap / 2, this.#notBefore - performance.now());
    this.#refresh = setTimeout(() => void this.#read(), wait);
  }

  async #read(): Promise<void> {
    this.#refresh = undefined;
    this.#isReading = true;
    const dirty = this.#dirty;
    this.#dirty = new Set();
    // A running fetch may have begun before the change.
    await Promise.all([...dirty].map(whenIdle));
    const began = performance.now();
    // Out of sight nothing is read; TanStack Query does it when the page is looked at.
    const refetchType = document.visibilityState === "hidden" ? "none" : "active";
    await this.#client
      .invalidateQueries(
        { queryKey: [...this.#key], predicate: (query) => dirty.has(query), refetchType },
        { cancelRefetch: false },
      )
      .catch(() => undefined);
    const took = performance.now() - began;
    this.#notBefore = performance.now() + Math.max(refreshGap, took * share);
    this.#isReading = false;
    this.#readSoon([]);
  }

  #changeLists(change: (kept: CachedList) => CachedList): void {
    for (const query of this.#lists()) {
      const kept = query.state.data as CachedList | undefined;
      const changed = kept && change(kept);
      if (changed && changed !== kept) this.#client.setQueryData(query.queryKey, changed);
    }
  }

  #all(): Query[] {
    return this.#client.getQueryCache().findAll({ queryKey: [...this.#key] });
  }

  #lists(): Query[] {
    return this.#all().filter(({ queryKey }) => queryKey[2] === "list" || queryKey[2] === "pages");
  }
}

const memories = new WeakMap<QueryClient, Map<string, TableMemory>>();

export function memoryOf(client: QueryClient, key: TableKey): TableMemory {
  let tables = memories.get(client);
  if (!tables) memories.set(client, (tables = new Map()));
  const name = key.join(".");
  let memory = tables.get(name);
  if (!memory) tables.set(name, (memory = new TableMemory(client, key)));
  return memory;
}

/** A list as it will be when the host has taken what it was sent. */
export function withPending(
  kept: CachedList,
  all: readonly Pending[],
  options: Options,
): CachedList {
  let shown = kept;
  for (const change of all) {
    if (change.kind === "remove") {
      shown = without(shown, change.id);
      continue;
    }
    const isMade = change.kind === "create";
    const record: AnyRecord = isMade
      ? change.record
      : changed({ ...change.before, id: change.id }, change);
    const item = find(shown, record.id);
    const isIn = belongs(options, item ? { ...item, ...record } : record);
    if (isIn === false) shown = without(shown, record.id);
    else if (item) shown = put(shown, isMade ? record : changed(item, change));
    else if (isIn === true && (isMade || wasOut(options, change.before)))
      shown = insert(shown, record, options.sort);
  }
  return shown;
}

// A number that is not known stays unknown until the response.
function changed<R extends object>(record: R, change: Pending & { kind: "update" }): R {
  const shown: Known = { ...(record as Known), ...change.patch };
  const sums: Record<string, unknown> = {};
  for (const [name, by] of Object.entries(change.increments)) {
    const before = shown[name];
    if (typeof before === "number" || before === null) sums[name] = (before ?? 0) + by;
  }
  return { ...shown, ...sums } as R;
}

// A record that was in the list already is on a page that was not read.
function wasOut(options: Options, before: AnyRecord | undefined): boolean {
  return before !== undefined && belongs(options, before) === false;
}

/** A record as it will be. */
export function oneWithPending<R extends { readonly id: string }>(
  kept: Tagged<R>,
  all: readonly Pending[],
): Tagged<R> {
  let record = kept.record;
  for (const change of all) {
    if (change.kind === "update" && change.id === record.id) record = changed(record, change);
  }
  return record === kept.record ? kept : { record, etag: kept.etag };
}
