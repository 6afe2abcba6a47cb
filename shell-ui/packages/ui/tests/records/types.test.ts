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
  // @ts-expect-error: the expression yields a boolean
  () => card.is_done.length,
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
  // @ts-expect-error: no such field to group by
  () => cards.groups({ group: ["titel"] }),
  // @ts-expect-error: a text has no sum
  () => cards.groups({ agg: ["sum(title)"] }),
  // @ts-expect-error: neither grouped nor aggregated
  () => cards.groups({ group: ["state"], sort: ["-sum(hours)"] }),
  // @ts-expect-error: no such aggregate was requested
  async () => (await cards.groups({ group: ["state"] })).items[0]?.["sum(hours)"],
];

const right = [
  () => card.title.length + (card.body?.length ?? 0) + card.labels.length,
  (): boolean => card.is_done,
  () => cards.update("1", { body: null, state: "done", labels: [] }),
  () => cards.list({ sort: ["-due", "title"], filter: filter`title = ${"x"}`, count: true }),
  async () => (await cards.list({ fields: ["title"] })).items[0]?.title,
  async () => (await cards.list({ q: "ada" })).items[0]?.highlight?.title?.map(({ text }) => text),
  async () => (await cards.list({ fields: ["title"] })).items[0]?.id,
  async () => {
    const { items } = await cards.groups({
      group: ["state", "month(due)"],
      agg: ["count", "sum(hours)", "max(due)"],
      sort: ["-sum(hours)"],
    });
    const [first] = items;
    const state: Card["state"] | undefined = first?.state;
    const due: string | null | undefined = first?.["max(due)"];
    return [
      state,
      due,
      (first?.count ?? 0) + (first?.["sum(hours)"] ?? 0) + (first?.["month(due)"] ?? 0),
    ];
  },
];

it("accepts valid uses and rejects mistakes", () => {
  expect(mistakes).toHaveLength(19);
  expect(right).toHaveLength(8);
});
