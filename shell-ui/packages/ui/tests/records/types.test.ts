// The compiler must refuse these uses of typed records: `tsc` fails if an expected error does not occur.
import { expect, it } from "vitest";
import { filter } from "../../src/records/index.ts";
import { cards, type Card, type NewCard } from "./planner.gen.ts";

const card = {} as Card;
const mistakes = [
  // @ts-expect-error: the field is called `title` now
  () => card.titel,
  // @ts-expect-error: what is not required may be null
  () => card.body.length,
  // @ts-expect-error: hidden fields are in no response
  () => card.secret,
  // @ts-expect-error: none of the choices
  () => (card.state = "closed"),
  // @ts-expect-error: a new card has a title
  (): NewCard => ({ body: "x" }),
  // @ts-expect-error: the host sets it
  (): NewCard => ({ title: "x", created: "2026-11-20T08:15:30.000Z" }),
  // @ts-expect-error: a required field is never emptied
  () => cards.update("1", { title: null }),
  // @ts-expect-error: read only
  () => cards.update("1", { score: 1 }),
  // @ts-expect-error: no request can set a computed field
  () => cards.create({ title: "x", is_done: true }),
  // @ts-expect-error: lists are not ordered by json
  () => cards.list({ sort: ["extra"] }),
  // @ts-expect-error: no such field
  () => cards.list({ fields: ["titel"] }),
  // @ts-expect-error: a filter is made by `filter`
  () => cards.list({ filter: "title = 'x'" }),
  // @ts-expect-error: no such field was searched
  async () => (await cards.list({ q: "ada" })).items[0]?.highlight?.titel,
  // @ts-expect-error: not asked for
  async () => (await cards.list({ fields: ["title"] })).items[0]?.body,
];

const right = [
  () => card.title.length + (card.body?.length ?? 0) + card.labels.length,
  () => cards.update("1", { body: null, state: "done", labels: [] }),
  () => cards.list({ sort: ["-due", "title"], filter: filter`title = ${"x"}`, count: true }),
  async () => (await cards.list({ fields: ["title"] })).items[0]?.title,
  async () => (await cards.list({ q: "ada" })).items[0]?.highlight?.title?.map(({ text }) => text),
  async () => (await cards.list({ fields: ["title"] })).items[0]?.id,
];

it("accepts valid uses and rejects mistakes", () => {
  expect(mistakes).toHaveLength(14);
  expect(right).toHaveLength(6);
});
