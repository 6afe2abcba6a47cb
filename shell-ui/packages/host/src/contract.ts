import type { ComponentType } from "react";
import type { EventStream, ServerEvent } from "./events.ts";
import type { Command } from "./commands.ts";
import type { Session } from "./session.ts";
import type { Dispose, ReadableStore } from "./store.ts";

/** The exports of a chunk that is a page of a plugin's UI. */
export interface PageModule {
  default: ComponentType;
}

/**
 * A page below `/app/<plugin>`. Paths are React Router's, relative to the parent, and the page
 * reads parameters with `useParams()`. A page with `children` shows them in an `<Outlet />`.
 */
export interface PluginRoute {
  path?: string;
  index?: boolean;
  page?: ComponentType;
  /** Instead of `page`: fetched when the page is first shown, or when a link to it is hovered. */
  load?: () => Promise<PageModule>;
  children?: readonly PluginRoute[];
}

/** One thing that a search found. */
export interface SearchHit {
  id: string;
  title: string;
  /** Where it opens, `/app/<plugin>/…`. */
  path: string;
  /** Where it belongs: the name of its notebook, board or folder. */
  context?: string;
  /** One line of text around the match, without Markdown: `plainSegments` of `@tenon/ui` removes it. */
  snippet?: string;
}

/** Finds at most a handful, best first. Rejects freely: the palette then leaves the source out. */
export type SearchSource = (
  query: string,
  options: { signal: AbortSignal; context: PluginContext },
) => Promise<readonly SearchHit[]>;

/** The exports of a chunk that is shown in a slot. The component gets the `props` of the slot. */
export interface SlotModule {
  default: ComponentType | ComponentType<never>;
}

/** The record for which an action runs: what the page gives, at least its ID. */
export interface ActionRecord {
  readonly id: string;
}

/**
 * The code of an action in the menu of a record. It may name more members of the record than the ID: those that the
 * page of the record documents. If it throws, the shell shows a message with the name of the plugin.
 */
export type RecordAction = {
  // A method, so that an action may name the type of its record.
  run(record: ActionRecord, context: PluginContext): void | Promise<void>;
}["run"];

/** The code of the contributions that the plugin's manifest declares, by their ids. */
export interface PluginContributions {
  /** Runs when the command is chosen. Not needed for one that has a `path` in the manifest. */
  commands?: Readonly<Record<string, (context: PluginContext) => void | Promise<void>>>;
  /** Sources of the search in the palette. They load when the user types there. */
  search?: Readonly<Record<string, SearchSource>>;
  /** Tiles of the home page. Loaded after the first paint. */
  "home.widgets"?: Readonly<Record<string, () => Promise<PageModule>>>;
  /** Parts of the account page. */
  "account.panels"?: Readonly<Record<string, () => Promise<PageModule>>>;
  /** Parts of the page on which an admin sees this plugin, below its settings. */
  "settings.panels"?: Readonly<Record<string, () => Promise<PageModule>>>;
  /** Actions for the records of a page, by the name of the point: `notes.note.actions`. */
  [actions: `${string}.actions`]: Readonly<Record<string, RecordAction>> | undefined;
  /** Parts of other pages, by the name of their `Slot`: `notes.note.sidebar`. */
  [slot: `${string}.${string}`]:
    Readonly<Record<string, (() => Promise<SlotModule>) | RecordAction>> | undefined;
}

/** What a plugin is given when it becomes active in this tab. */
export interface PluginContext {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly generation: number;
  /** `/app/<id>`: where its pages live. */
  readonly basePath: string;
  /** `/api/<id>`: where its routes live. */
  readonly apiPath: string;
  /** Aborted when the plugin is disabled or replaced. */
  readonly signal: AbortSignal;
  readonly session: ReadableStore<Session>;
  readonly events: EventStream;
  /** Whether the user holds a permission. The host decides; this only hides what would fail. */
  can(permission: string): boolean;
  /** Ends with the plugin. */
  onEvent(topic: string, listener: (event: ServerEvent) => void): Dispose;
  /** Adds a command to the palette until it is disposed or the plugin ends. */
  addCommand(command: Command): Dispose;
  /** Shows a count next to the plugin's name in the side bar; 0 hides it. */
  setBadge(count: number): void;
  /** Runs when the plugin is disabled or replaced. */
  onDispose(dispose: Dispose): void;
}

/**
 * A plugin's UI: the default export of its entry module.
 *
 * 1. The shell knows the plugin from its manifest; nothing of it is loaded.
 * 2. A visit (or hover) loads the entry; evaluating it must have no side effects.
 * 3. `activate` runs once before the first page is shown.
 * 4. Pages render inside `[data-plugin="<id>"]` with an error boundary of their own.
 * 5. On disable or upgrade pages unmount, then what `activate` returned runs, then the rest of the context.
 */
export interface PluginDefinition {
  readonly id: string;
  readonly routes?: readonly PluginRoute[];
  readonly contributions?: PluginContributions;
  activate?(context: PluginContext): void | Dispose | Promise<void | Dispose>;
}

const pluginId = /^[a-z][a-z0-9-]{1,31}$/;

/** Checks a definition and returns it. Throws on an id or a route that could not work. */
export function definePlugin(definition: PluginDefinition): PluginDefinition {
  if (!pluginId.test(definition.id)) {
    throw new TypeError(`plugin id "${definition.id}" must match ${pluginId.source}`);
  }
  for (const route of definition.routes ?? []) checkRoute(definition.id, route);
  return Object.freeze({ ...definition });
}

function checkRoute(id: string, route: PluginRoute): void {
  const name = `${id}: route "${route.path ?? (route.index ? "(index)" : "")}"`;
  if (route.path?.startsWith("/")) throw new TypeError(`${name} must be relative to /app/${id}`);
  if (route.page && route.load) throw new TypeError(`${name} has both page and load`);
  if (!route.page && !route.load && !route.children?.length) {
    throw new TypeError(`${name} has no page, no load and no children`);
  }
  for (const child of route.children ?? []) checkRoute(id, child);
}

/** A navigation entry of the manifest. */
export interface NavigationEntry {
  id: string;
  title: string;
  path: string;
  /** Name of a lucide icon. */
  icon?: string;
  permission?: string;
}

/** A command of the manifest. With `path` it navigates, and nothing of the plugin is loaded. */
export interface CommandEntry {
  id: string;
  title: string;
  path?: string;
  icon?: string;
  keywords?: string;
}

export interface WidgetEntry {
  id: string;
  title: string;
}

/** A contribution to the account page, to the page of the plugin's settings, or to a slot. */
export type SlotEntry = WidgetEntry;

/** An action for the records of a page. */
export interface ActionEntry {
  id: string;
  title: string;
  /** Name of a lucide icon. */
  icon?: string;
}

/** A search source of the manifest; the plugin's module has its code under the same id. */
export interface SearchEntry {
  id: string;
  /** Heading above what it found. */
  title: string;
}

/** The extension points of the shell, as a manifest fills them. */
export interface ManifestContributions {
  commands?: readonly CommandEntry[];
  "home.widgets"?: readonly WidgetEntry[];
  search?: readonly SearchEntry[];
  "account.panels"?: readonly SlotEntry[];
  "settings.panels"?: readonly SlotEntry[];
  [actions: `${string}.actions`]: readonly ActionEntry[] | undefined;
  [slot: `${string}.${string}`]: readonly SlotEntry[] | undefined;
}

export interface Asset {
  href: string;
  integrity: string;
}

/** One plugin as the host describes it in `/api/core/shell`. */
export interface ShellPlugin {
  id: string;
  name: string;
  version: string;
  generation: number;
  /** URL of the entry module; absent for a plugin without UI. */
  module?: string | null;
  integrity?: string | null;
  styles?: readonly Asset[];
  preload?: readonly Asset[];
  navigation?: readonly NavigationEntry[];
  contributions?: ManifestContributions;
}
