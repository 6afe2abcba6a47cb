import { fakeServer, fakeTable, type FakeServer } from "@tenon/testing";
import { defineTable, type Increment } from "@tenon/ui/records";
import { afterEach, beforeEach, expect, it } from "vitest";

interface Book {
  id: string;
  title: string;
  state: "new" | "read";
  loans: number;
  tags: string[];
  created: string;
  owner: string | null;
  version: number;
  label: string;
}
interface BookTypes {
  record: Book;
  create: { title: string };
  patch: { title?: string; state?: Book["state"]; loans?: Increment };
  sort: "title";
}
const books = defineTable<BookTypes>("library", "books", {
  title: { type: "text", required: true },
  state: { type: "choice", required: true, default: "new" },
  loans: { type: "integer", required: true, default: 0 },
  tags: { type: "text", many: true },
  created: { type: "datetime", required: true, readOnly: true },
  owner: { type: "user", default: "@user" },
  version: { type: "integer", required: true, readOnly: true },
  label: { type: "computed", readOnly: true, value: "string" },
});
const emma: Book = {
  id: "1",
  title: "Emma",
  state: "read",
  loans: 2,
  tags: [],
  created: "2027-01-01T00:00:00Z",
  owner: null,
  version: 3,
  label: "EMMA",
};

let server: FakeServer;
beforeEach(() => {
  server = fakeServer(fakeTable(books, [emma]));
});
afterEach(() => server.close());

it("lists and reads records", async () => {
  expect((await books.list({})).items).toEqual([emma]);
  expect((await books.get("1")).record).toEqual(emma);
});

it("creates records with defaults", async () => {
  const { record } = await books.create({ title: "Dracula" });
  expect(record).toMatchObject({ title: "Dracula", state: "new", tags: [] });
  expect(record).toMatchObject({ owner: null, version: 1, label: "" });
  expect(Date.parse(record.created)).toBeGreaterThan(0);
  expect((await books.list({})).items).toEqual([emma, record]);
});

it("changes and deletes records", async () => {
  const { record } = await books.update("1", { state: "new", loans: { increment: 1 } });
  expect(record).toEqual({ ...emma, state: "new", loans: 3 });
  await books.remove("1");
  const read = books.get("1");
  await expect(read).rejects.toMatchObject({ status: 404, code: "records.not_found" });
});

it("checks the types of records", () => {
  // @ts-expect-error: "lost" is no state.
  expect(fakeTable(books, [{ ...emma, state: "lost" }])).toBeTypeOf("object");
});
