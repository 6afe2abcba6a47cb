import { clientFor } from "../client/use-api.ts";
import type { Fields } from "./fields.ts";
import { tableHooks } from "./hooks.ts";
import { settingsClient, settingsHooks, type SettingsClient } from "./settings.ts";
import { tableClient, type TableClient, type TableTypes } from "./table.ts";

export { blankRecord, type FieldFacts, type Fields, type Increment } from "./fields.ts";
export { allOf, Filter, filter, type FilterValue } from "./filter.ts";
export type { Aggregate, Group, GroupKey, GroupOptions, Groups } from "./groups.ts";
export type { ChangeOptions, HookOptions, Removal, Update } from "./hooks.ts";
export { PresenceStack, type PresenceStackProps } from "./presence-stack.tsx";
export {
  usePresence,
  type PresentPerson,
  type Presence,
  type PresenceOptions,
} from "./presence.ts";
export type {
  Batch,
  BatchResult,
  FileValue,
  Highlight,
  Listed,
  ListOptions,
  TableClient,
  TableTypes,
  Tagged,
} from "./table.ts";

export type { SettingsChange, SettingsClient } from "./settings.ts";

/** The settings of a plugin: their client and hooks. */
export interface SettingsModule<T, S> extends SettingsClient<T, S> {
  readonly plugin: string;
  readonly hooks: ReturnType<typeof settingsHooks<T, S>>;
}

/** For `settings.gen.ts`. */
export function defineSettings<T, S>(plugin: string): SettingsModule<T, S> {
  const client = settingsClient<T, S>(plugin);
  return { ...client, plugin, hooks: settingsHooks(plugin, client) };
}

/** A published table: its client, hooks, and what is known of it. */
export interface TableModule<T extends TableTypes> extends TableClient<T> {
  readonly plugin: string;
  readonly table: string;
  readonly fields: Fields;
  readonly hooks: ReturnType<typeof tableHooks<T>>;
}

/** For `tables.gen.ts`. */
export function defineTable<T extends TableTypes>(
  plugin: string,
  table: string,
  fields: Fields = {},
): TableModule<T> {
  const client = tableClient<T>(clientFor(`/api/${plugin}`), table);
  const hooks = tableHooks<T>([plugin, table], client, fields);
  return { ...client, plugin, table, fields, hooks };
}
