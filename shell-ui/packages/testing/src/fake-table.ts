import { blankRecord, type TableModule, type TableTypes } from "@tenon/ui/records";
import { Reply, type FakeHandler } from "./fake-server.ts";

/**
 * Handlers for `fakeServer` that list, read, create, change and delete records of a table of `tables.gen.ts` in memory.
 * The records have its types. A list has all records in their order: the host alone knows filters, orders, access
 * rules and callbacks, so test these in a real host.
 */
export function fakeTable<T extends TableTypes>(
  { plugin, table, fields }: TableModule<T>,
  records: readonly T["record"][] = [],
): Readonly<Record<string, FakeHandler>> {
  const stored = new Map<string, object>(records.map((record) => [record.id, record]));
  const path = `/api/${plugin}/${table}`;
  const missing = () => new Reply(404, { status: 404, code: "records.not_found", title: path });

  return {
    [`GET ${path}`]: () => ({ items: [...stored.values()], next: null }),
    [`GET ${path}/:id`]: ({ params: { id = "" } }) => stored.get(id) ?? missing(),
    [`POST ${path}`]({ body }) {
      const given = body as { id?: string };
      const id = given.id ?? `record-${stored.size + 1}`;
      const record = blankRecord(fields, { ...given, id });
      stored.set(id, record);
      return new Reply(201, record);
    },
    [`PATCH ${path}/:id`]({ params: { id = "" }, body }) {
      const before = stored.get(id);
      if (!before) return missing();
      const record: Record<string, unknown> = { ...before };
      for (const [name, value] of Object.entries(body as object)) {
        const isSum = fields[name]?.type !== "json" && typeof value?.increment === "number";
        record[name] = isSum ? Number(record[name] ?? 0) + value.increment : value;
      }
      stored.set(id, record);
      return record;
    },
    [`DELETE ${path}/:id`]: ({ params: { id = "" } }) =>
      stored.delete(id) ? undefined : missing(),
  };
}
