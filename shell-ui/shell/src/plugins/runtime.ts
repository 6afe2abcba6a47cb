import {
  addStylesheet,
  AssetError,
  createDisposer,
  createStore,
  importModule,
  type Asset,
  type CommandRegistry,
  type Dispose,
  type Disposer,
  type EventStream,
  type PluginContext,
  type PluginDefinition,
  type ReadableStore,
  type Session,
  type ShellPlugin,
} from "@tenon/host";
import type { LiveStream } from "../live/event-stream.ts";
import { rememberFailure } from "../navigation/failures.ts";
import { readable } from "../navigation/readable.ts";
import type { PluginRegistry } from "./registry.ts";

/** A plugin that runs in this tab. */
export interface RunningPlugin {
  /** A new number for each start; the page is rendered from scratch with it. */
  readonly start: number;
  readonly plugin: ShellPlugin;
  readonly definition: PluginDefinition;
  readonly context: PluginContext;
}

interface Instance {
  plugin: ShellPlugin;
  controller: AbortController;
  disposer: Disposer;
  ready: Promise<RunningPlugin>;
  page?: Promise<RunningPlugin>;
}

export interface PluginRuntime {
  /** Loads and activates; the same promise while it runs, and after a failure until it is forgotten. */
  start(id: string): Promise<RunningPlugin>;
  /** Starts it for a page, which can follow its records from the first reading on. */
  startPage(id: string): Promise<RunningPlugin>;
  /** Fetches what `start` will need. */
  preload(id: string): void;
  /** Ids of plugins whose pages are other ones by now than those that run here. */
  readonly outdated: ReadableStore<readonly string[]>;
  /** Returns a plugin that runs here, as of its start. */
  running(id: string): ShellPlugin | undefined;
  /** Fetches all that `start` will need once what runs has ended. Rejects, and leaves what runs, when it does not come. */
  prepare(id: string): Promise<void>;
  /** Ends what runs, so that the next `start` takes the new one. Its pages must not be there any more. */
  restart(id: string): void;
  readonly badges: ReadableStore<Readonly<Record<string, number>>>;
  /** Runs when a plugin ended here. */
  onEnd(listener: (id: string) => void): Dispose;
  /** Only in `tenon dev`: shows another build in pages that keep their state, if that is possible. */
  refresh?(next: ShellPlugin): Promise<void>;
}

export interface RuntimeServices {
  registry: PluginRegistry;
  session: ReadableStore<Session>;
  events: EventStream & Partial<Pick<LiveStream, "takePosition">>;
  commands: CommandRegistry;
  /** Imports a module with what it needs; replaced in tests. */
  load?: typeof importModule;
  style?: typeof addStylesheet;
  /** Puts a stylesheet into the browser's cache. */
  fetchStyle?: (sheet: Asset) => Promise<unknown>;
}

async function fetchAsset({ href, integrity }: Asset): Promise<void> {
  const response = await fetch(href, { integrity }).catch(() => null);
  if (!response?.ok) throw new AssetError(href);
  await response.arrayBuffer();
}

/** Another build of its pages. */
function isOther(now: ShellPlugin, running: ShellPlugin): boolean {
  const files = ({ module, styles = [] }: ShellPlugin) =>
    [module, ...styles.map(({ href }) => href)].join(" ");
  return files(now) !== files(running);
}

export class NotActiveError extends Error {
  constructor(id: string) {
    super(`${id} is not active`);
    this.name = "NotActiveError";
  }
}

export function createPluginRuntime(services: RuntimeServices): PluginRuntime {
  const { registry, load = importModule, style = addStylesheet } = services;
  const { fetchStyle = fetchAsset } = services;
  const instances = new Map<string, Instance>();
  let starts = 0;
  const endListeners = new Set<(id: string) => void>();
  const outdated = createStore<readonly string[]>([]);
  const badges = createStore<Readonly<Record<string, number>>>({});

  function end(id: string, isShown: boolean): void {
    const instance = instances.get(id);
    if (!instance) return;
    instances.delete(id);
    instance.controller.abort();
    const dispose = () => {
      for (const error of instance.disposer.dispose())
        console.error(`${id}: dispose failed`, error);
    };
    // Its pages unmount first.
    if (isShown) setTimeout(dispose);
    else dispose();
    outdated.set((ids) => (ids.includes(id) ? ids.filter((other) => other !== id) : ids));
    for (const listener of [...endListeners]) listener(id);
  }

  async function activate(plugin: ShellPlugin, instance: Instance): Promise<RunningPlugin> {
    const { disposer, controller } = instance;
    const { id, module, integrity, preload = [], styles = [] } = plugin;
    if (!module || !integrity) throw new Error(`${plugin.name} has no pages`);
    const [{ default: definition }] = await Promise.all([
      load<{ default: PluginDefinition }>({ href: module, integrity }, preload),
      ...styles.map(async (sheet) => {
        const link = await style(sheet);
        disposer.add(() => link.remove());
      }),
    ]);
    if (definition?.id !== id) {
      throw new TypeError(`The module of "${id}" defines "${String(definition?.id)}".`);
    }
    controller.signal.throwIfAborted();
    const context = createContext(plugin, instance);
    const dispose = await definition.activate?.(context);
    if (dispose) disposer.add(dispose);
    controller.signal.throwIfAborted();
    return { start: ++starts, plugin, definition, context };
  }

  function createContext(plugin: ShellPlugin, { disposer, controller }: Instance): PluginContext {
    const { id, name, version, generation } = plugin;
    return {
      id,
      name,
      version,
      generation,
      basePath: `/app/${id}`,
      apiPath: `/api/${id}`,
      signal: controller.signal,
      session: services.session,
      events: services.events,
      can: (permission) => services.session.get().permissions.includes(permission),
      onEvent: (topic, listener) => disposer.add(services.events.subscribe(topic, listener)),
      addCommand: (command) =>
        disposer.add(services.commands.add({ group: name, ...command, id: `${id}.${command.id}` })),
      setBadge(count) {
        if (controller.signal.aborted) return;
        badges.set((all) => ({ ...all, [id]: count }));
      },
      onDispose: (dispose) => void disposer.add(dispose),
    };
  }

  function start(id: string): Promise<RunningPlugin> {
    const existing = instances.get(id);
    if (existing) return existing.ready;
    const plugin = registry.find(id);
    if (!plugin) return Promise.reject(new NotActiveError(id));
    const disposer = createDisposer();
    disposer.add(() => badges.set(({ [id]: _, ...rest }) => rest));
    const instance = { plugin, disposer, controller: new AbortController() } as Instance;
    instances.set(id, instance);
    instance.ready = readable(activate(plugin, instance));
    instance.ready.catch(() => {
      disposer.dispose();
      rememberFailure(() => {
        if (instances.get(id) === instance) instances.delete(id);
      });
    });
    return instance.ready;
  }

  registry.store.subscribe(() => {
    for (const [id, instance] of [...instances]) {
      const now = registry.find(id);
      if (!now) {
        end(id, true);
        continue;
      }
      const isOld = isOther(now, instance.plugin);
      outdated.set((ids) =>
        ids.includes(id) === isOld
          ? ids
          : isOld
            ? [...ids, id]
            : ids.filter((other) => other !== id),
      );
    }
  });

  function startPage(id: string): Promise<RunningPlugin> {
    const ready = start(id);
    const instance = instances.get(id);
    if (!instance) return ready;
    if (!instance.page) {
      // Both take a request; neither waits for the other.
      const position = services.events.takePosition?.(id);
      instance.page = readable(ready.then((running) => position?.then(() => running) ?? running));
      instance.page.catch(() => undefined);
    }
    return instance.page;
  }

  const runtime: PluginRuntime = {
    start,
    startPage,
    preload(id) {
      const plugin = registry.find(id);
      if (instances.has(id) || !plugin?.module || !plugin.integrity) return;
      const { module: href, integrity, preload = [] } = plugin;
      load({ href, integrity }, preload).catch(() => undefined);
    },
    outdated,
    running: (id) => instances.get(id)?.plugin,
    async prepare(id) {
      const plugin = registry.find(id);
      if (!plugin?.module || !plugin.integrity) throw new NotActiveError(id);
      const { module: href, integrity, preload = [], styles = [] } = plugin;
      await Promise.all([load({ href, integrity }, preload, true), ...styles.map(fetchStyle)]);
    },
    restart: (id) => end(id, false),
    badges,
    onEnd(listener) {
      endListeners.add(listener);
      return () => endListeners.delete(listener);
    },
  };
  if (import.meta.env.TENON_DEVELOPMENT)
    runtime.refresh = async (next) => {
      const instance = instances.get(next.id);
      if (!instance || !isOther(next, instance.plugin)) return;
      const [running, { refreshPlugin }] = await Promise.all([
        instance.ready.catch(() => null),
        import("../development/refresh-plugin.ts"),
      ]);
      const refreshed = running && (await refreshPlugin(running, next));
      if (!refreshed || instances.get(next.id) !== instance) return;
      instance.plugin = next;
      instance.ready = readable(Promise.resolve(refreshed));
      if (instance.page) instance.page = instance.ready;
    };
  return runtime;
}
