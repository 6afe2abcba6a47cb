import { clientFor } from "../client/use-api.ts";
import { tableHooks } from "./hooks.ts";
import { tableClient, type TableClient, type TableTypes } from "./table.ts";

export { allOf, Filter, filter, type FilterValue } from "./filter.ts";
export type { HookOptions, Removal, Update } from "./hooks.ts";
export type {
  Batch,
  BatchAnswer,
  FileValue,
  Highlight,
  Listed,
  ListOptions,
  TableClient,
  TableTypes,
  Tagged,
} from "./table.ts";

/** The client of a published table, and its hooks. For `tables.gen.ts`. */
export function defineTable<T extends TableTypes>(
  plugin: string,
  table: string,
): TableClient<T> & { hooks: ReturnType<typeof tableHooks<T>> } {
  const client = tableClient<T>(clientFor(`/api/${plugin}`), table);
  return { ...client, hooks: tableHooks<T>([plugin, table], client) };
}
