import { createStore, type ReadableStore, type ShellPlugin } from "@tenon/host";

/** The state of a plugin that is no longer active, as the host reported it. */
export interface GonePlugin {
  name: string;
  state: string;
}

export interface Registry {
  /** Those that the user may use, in the order of the host. */
  plugins: readonly ShellPlugin[];
  gone: Readonly<Record<string, GonePlugin>>;
}

/** Data of the event `core.plugins`. */
export interface PluginEvent {
  id: string;
  state: string;
  generation?: number;
  plugin: ShellPlugin | null;
}

export interface PluginRegistry {
  readonly store: ReadableStore<Registry>;
  find(id: string): ShellPlugin | undefined;
  /** All plugins as they are now. */
  replace(plugins: readonly ShellPlugin[]): void;
  apply(event: PluginEvent): void;
}

function without(gone: Registry["gone"], ids: readonly string[]): Registry["gone"] {
  return Object.fromEntries(Object.entries(gone).filter(([id]) => !ids.includes(id)));
}

export function createPluginRegistry(initial: readonly ShellPlugin[]): PluginRegistry {
  const store = createStore<Registry>({ plugins: initial, gone: {} });
  const find = (id: string) => store.get().plugins.find((plugin) => plugin.id === id);
  return {
    store,
    find,
    replace(plugins) {
      const ids = plugins.map((plugin) => plugin.id);
      const left = store.get().plugins.filter((plugin) => !ids.includes(plugin.id));
      const gone = Object.fromEntries(
        left.map(({ id, name }) => [id, { name, state: "disabled" }]),
      );
      store.set(({ gone: before }) => ({ plugins, gone: without({ ...before, ...gone }, ids) }));
    },
    apply({ id, state, plugin }) {
      const known = find(id);
      if (state === "active" && plugin) {
        store.set(({ plugins, gone }) => ({
          plugins: known
            ? plugins.map((other) => (other.id === id ? plugin : other))
            : [...plugins, plugin].sort((a, b) => a.name.localeCompare(b.name)),
          gone: without(gone, [id]),
        }));
        return;
      }
      store.set(({ plugins, gone }) => {
        const name = known?.name ?? gone[id]?.name;
        return {
          plugins: known ? plugins.filter((other) => other.id !== id) : plugins,
          gone: name === undefined ? gone : { ...gone, [id]: { name, state } },
        };
      });
    },
  };
}
