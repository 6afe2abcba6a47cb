import { describe, expect, it } from "vitest";
import { addDays, addMonths, dueTone, monthDays } from "../src/model/days.ts";
import { fits } from "../src/model/filters.ts";
import { noFilters, readLocation, writeLocation } from "../src/model/location.ts";
import { card } from "./sample.ts";

describe("dates", () => {
  it("cross month ends and clock changes", () => {
    expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2026-03-28", 2)).toBe("2026-03-30");
    expect(addMonths("2026-12", 1)).toBe("2027-01");
    expect(addMonths("2026-01", -1)).toBe("2025-12");
  });

  it("are highlighted when due soon, except done", () => {
    const tone = (day: string, isDone = false) => dueTone(day, isDone, "2026-11-22");
    expect(tone("2026-11-21")).toBe("late");
    expect(tone("2026-11-22")).toBe("today");
    expect(tone("2026-11-24")).toBe("soon");
    expect(tone("2026-11-25")).toBe("later");
    expect(tone("2020-01-01", true)).toBe("done");
  });

  it("are grouped by the user's weeks", () => {
    const monday = monthDays("2026-11", 1);
    expect([monday[0], monday.at(-1), monday.length]).toEqual(["2026-10-26", "2026-12-06", 42]);
    const sunday = monthDays("2026-11", 7);
    expect([sunday[0], sunday.at(-1), sunday.length]).toEqual(["2026-11-01", "2026-12-05", 35]);
    expect(monthDays("2026-02", 7)).toHaveLength(28);
  });
});

describe("filter", () => {
  const facts = {
    doneColumns: new Set(["done"]),
    found: new Set(["by-server"]),
    mentioned: null,
    labelNames: ({ labels }: { labels: readonly string[] }) => labels,
  };
  const now = "2026-11-22";
  const all = [
    card("late", "todo", "a0", { due: "2026-11-20", labels: ["bug"] }),
    card("late-done", "done", "a1", { due: "2026-11-20", assignees: ["ada"] }),
    card("Próxima", "todo", "a2", { due: "2026-11-28", assignees: ["ben"], labels: ["bug", "ui"] }),
    card("by-server", "todo", "a3", { title: "other words" }),
  ];
  const left = (change: Partial<typeof noFilters>) =>
    all.filter((one) => fits(one, { ...noFilters, ...change }, facts, now)).map(({ id }) => id);

  it("combines kinds with AND and values with OR", () => {
    expect(left({})).toHaveLength(4);
    expect(left({ labels: ["bug", "ui"] })).toEqual(["late", "Próxima"]);
    expect(left({ people: ["ada", "ben"] })).toEqual(["late-done", "Próxima"]);
    expect(left({ people: ["ada"], labels: ["bug"] })).toEqual([]);
  });

  it("matches overdue, upcoming and undated cards", () => {
    expect(left({ due: "late" })).toEqual(["late"]);
    expect(left({ due: "week" })).toEqual(["Próxima"]);
    expect(left({ due: "none" })).toEqual(["by-server"]);
  });

  it("matches cards that mention me", () => {
    const mentioned = { ...facts, mentioned: new Set(["late"]) };
    const me = all.filter((one) => fits(one, noFilters, mentioned, now)).map(({ id }) => id);
    expect(me).toEqual(["late"]);
  });

  it("matches text without accents and server results", () => {
    expect(left({ text: "proxima bug" })).toEqual(["Próxima", "by-server"]);
    expect(left({ text: "nothing like it" })).toEqual(["by-server"]);
  });
});

describe("board address", () => {
  it("stores layout and filter, except defaults", () => {
    const location = {
      layout: "list" as const,
      filters: {
        text: "a b",
        people: ["1", "2"],
        labels: ["3"],
        due: "late" as const,
        mentioned: true,
      },
    };
    const params = writeLocation(location, new URLSearchParams("month=2026-01"));
    expect(params.get("month")).toBe("2026-01");
    expect(readLocation(params)).toEqual(location);
    expect(
      writeLocation({ layout: "board", filters: noFilters }, new URLSearchParams("q=x")).toString(),
    ).toBe("");
  });

  it("ignores unknown values", () => {
    expect(readLocation(new URLSearchParams("layout=tree&due=never"))).toEqual({
      layout: "board",
      filters: noFilters,
    });
  });
});
