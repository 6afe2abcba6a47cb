import { describe, expect, it } from "vitest";
import {
  countWords,
  frontMatterLines,
  leadingHeading,
  linesOf,
  parseWikiLink,
  retitle,
  slugOf,
  toggleTaskLine,
} from "../src/model/markdown-text.ts";
import { buildTree, isInside, pathText, visibleNodes } from "../src/model/notebook-tree.ts";
import { parseLocation, locationPath, type NotesLocation } from "../src/model/location.ts";
import { belongs, insertRow } from "../src/model/rows.ts";
import { isId, newId } from "../src/model/uuid.ts";
import { headingsOf } from "../src/panel/outline.tsx";
import { noteOf } from "./fake-server.ts";

const id = "0192a000-0000-7000-8000-000000000001";

describe("notes location", () => {
  it.each([
    "/app/notes",
    "/app/notes/recent",
    "/app/notes/trash",
    `/app/notes/all/${id}`,
    `/app/notes/all/${id}?new`,
    `/app/notes/notebook/${id}/${id}?sort=title`,
    "/app/notes/tag/a%2Fb%20%C3%BC?q=oak",
    `/app/notes/pinned/${id}?panel=history&revision=${id}`,
  ])("comes back from its address: %s", (address) => {
    const [path = "", search = ""] = address.split("?");
    const location = parseLocation(path, search);
    expect(location).not.toBeNull();
    expect(locationPath(location as NotesLocation)).toBe(address);
  });

  it.each([
    "/app/notes/nowhere",
    "/app/notes/all/x",
    "/app/notes/notebook/x",
    `/app/notes/all/${id}/y`,
    "/app/notes/tag/%",
  ])("is none at %s", (address) => expect(parseLocation(address, "")).toBeNull());

  it("accepts only known sort orders and panels", () => {
    expect(parseLocation("/app/notes/recent", "sort=title")?.sort).toBe("-updated");
    expect(parseLocation("/app/notes", "panel=history")?.panel).toBeNull();
    expect(parseLocation(`/app/notes/all/${id}`, "panel=x")?.panel).toBeNull();
  });
});

describe("notebooks", () => {
  const notebook = (name: string, parent: string | null, notes = 1) => ({
    id: name,
    name,
    parent,
    notes,
    owner: null,
    access: "owner" as const,
    shared: false,
  });
  const items = [
    notebook("a", null),
    notebook("b", "a", 2),
    notebook("c", "b", 3),
    notebook("d", "missing"),
  ];

  it("form a tree with summed counts", () => {
    const tree = buildTree(items);
    expect(tree.map(({ notebook: { id: name }, total }) => [name, total])).toEqual([
      ["a", 6],
      ["d", 1],
    ]);
    expect(
      visibleNodes(tree, new Set(["a"])).map(
        ({ notebook: { id: name }, depth }) => `${depth}${name}`,
      ),
    ).toEqual(["1a", "2b", "1d"]);
  });

  it("have a path, also in a cycle", () => {
    expect(pathText(items, "c")).toBe("a / b / c");
    expect(isInside(items, "c", "a")).toBe(true);
    expect(isInside(items, "a", "c")).toBe(false);
    const circle = [notebook("x", "y"), notebook("y", "x")];
    expect(pathText(circle, "x").length).toBeGreaterThan(0);
    expect(buildTree(circle)).toEqual([]);
  });
});

describe("cached list", () => {
  const row = (name: string, updated: string, more = {}) =>
    noteOf({ id: name, title: name, updated, ...more });
  const page = (...items: ReturnType<typeof row>[]) => ({ items, next: null as string | null });
  const names = (pages: { items: readonly { id: string }[] }[]) =>
    pages.map(({ items }) => items.map(({ id: name }) => name).join(""));

  it("moves a changed note to its position", () => {
    const pages = [
      page(row("p", "1", { pinned: true }), row("a", "9")),
      page(row("b", "5"), row("c", "3")),
    ];
    expect(names(insertRow(pages, row("c", "8"), { kind: "all" }, "-updated"))).toEqual([
      "pa",
      "cb",
    ]);
    expect(names(insertRow(pages, row("c", "99"), { kind: "all" }, "-updated"))).toEqual([
      "pca",
      "b",
    ]);
    expect(names(insertRow(pages, row("c", "99"), { kind: "recent" }, "-updated"))[0]).toBe("cpa");
  });

  it("leaves later notes to the next page", () => {
    const pages = [{ ...page(row("a", "9")), next: "more" }];
    expect(names(insertRow(pages, row("z", "1"), { kind: "all" }, "-updated"))).toEqual(["a"]);
  });

  it("removes notes that no longer match", () => {
    const pages = [page(row("a", "9"), row("b", "5"))];
    const trashed = row("a", "9", { deleted: "2026-01-01T00:00:00.000Z" });
    expect(names(insertRow(pages, trashed, { kind: "all" }, "-updated"))).toEqual(["b"]);
    expect(belongs({ kind: "trash" }, trashed)).toBe(true);
    expect(belongs({ kind: "tag", name: "Work" }, row("a", "1", { tags: ["work"] }))).toBe(true);
    expect(belongs({ kind: "notebook", id: "n" }, row("a", "1"))).toBe(false);
  });
});

describe("Markdown text", () => {
  const read = (text: string) => linesOf(text);

  it("parses front matter", () => {
    expect(frontMatterLines(read("---\ntitle: x\n---\ntext"))).toBe(3);
    expect(frontMatterLines(read("---\r\ntitle: x\r\n---\r\ntext"))).toBe(3);
    expect(frontMatterLines(read("---\ntext without an end"))).toBe(0);
    expect(frontMatterLines(read("text\n---\n"))).toBe(0);
  });

  it("finds the title of a text", () => {
    expect(leadingHeading(read("# Title\ntext"))).toEqual({ index: 0, title: "Title" });
    expect(leadingHeading(read("---\na: b\n---\n\n# Title #\n"))).toEqual({
      index: 4,
      title: "Title",
    });
    expect(leadingHeading(read("text\n# Title"))).toBeNull();
    expect(leadingHeading(read("## Title"))).toBeNull();
  });

  it("renames only the heading equal to the title", () => {
    expect(retitle("# Old\n\nOld", "Old", "New")).toBe("# New\n\nOld");
    expect(retitle("---\ntitle: Old\n---\n# Old\r\n", "Old", "New")).toBe(
      "---\ntitle: Old\n---\n# New\r\n",
    );
    expect(retitle("# Other", "Old", "New")).toBe("# Other");
    expect(retitle("# Old", "Old", " ")).toBe("# Old");
  });

  it("toggles one task and nothing else", () => {
    const text = "- [ ] a\n  - [x] b\n> 1. [ ] c\n- d [ ]\n";
    expect(toggleTaskLine(text, 0)).toBe(text.replace("[ ] a", "[x] a"));
    expect(toggleTaskLine(text, 1)).toBe(text.replace("[x] b", "[ ] b"));
    expect(toggleTaskLine(text, 2)).toBe(text.replace("[ ] c", "[x] c"));
    expect(toggleTaskLine(text, 3)).toBe(text);
    expect(toggleTaskLine(text, 99)).toBe(text);
  });

  it("finds links between notes", () => {
    expect(parseWikiLink("Plan")).toEqual({ target: "Plan", heading: "", shown: "Plan" });
    expect(parseWikiLink("Plan#Next steps|the plan")).toEqual({
      target: "Plan",
      heading: "Next steps",
      shown: "the plan",
    });
    expect(parseWikiLink(" Plan | ")).toEqual({ target: "Plan", heading: "", shown: "Plan" });
  });

  it("creates heading anchors like GitHub", () => {
    expect(slugOf("What it is & what not?")).toBe("what-it-is--what-not");
    expect(slugOf("Über uns")).toBe("über-uns");
  });

  it("lists headings outside of code", () => {
    const text = "# Title\n\n## A **b** [c](d)\n```\n# no\n```\n~~~\n## no\n~~~\n### [[X|y]] ###\n";
    expect(headingsOf(text, "Title")).toEqual([
      { level: 2, title: "A b c", line: 2 },
      { level: 3, title: "y", line: 9 },
    ]);
  });

  it("counts words", () => {
    expect(countWords("It's a well-kept note, über 2 Zeilen.")).toBe(7);
    expect(countWords("  \n")).toBe(0);
  });
});

describe("note id", () => {
  it("is a UUIDv7 that sorts by time", () => {
    const [first, second] = [newId(1_000_000_000_000), newId(1_000_000_000_001)];
    expect(isId(first)).toBe(true);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
    expect(first < second).toBe(true);
    expect(new Set(Array.from({ length: 1_000 }, () => newId())).size).toBe(1_000);
  });
});
