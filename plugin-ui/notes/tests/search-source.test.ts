import type { PluginContext } from "@tenon/host";
import { fakeServer, type FakeServer } from "@tenon/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchNotes } from "../src/app/search-source.ts";
import type { Segment } from "../src/model/types.ts";
import { noteOf } from "./fake-server.ts";

const id = "0192a000-0000-7000-8000-000000000001";
const segment = (text: string, match = false): Segment => ({ text, match });

let server: FakeServer;
let snippet: readonly Segment[];
beforeEach(() => {
  server = fakeServer({
    "GET /api/notes/search": () => ({
      items: [
        {
          note: noteOf({ id, notebook: "inner", excerpt: "The beginning of the note" }),
          title: { segments: [segment("Kitchen")] },
          snippet: { segments: snippet },
        },
      ],
      next: null,
    }),
    "GET /api/notes/notebooks": () => ({
      items: [
        { id: "outer", name: "House", parent: null },
        { id: "inner", name: "Plans", parent: "outer" },
      ],
    }),
  });
});
afterEach(() => server.close());

const find = async () => {
  const context = {} as PluginContext;
  const hits = await searchNotes("oak", { signal: new AbortController().signal, context });
  return hits[0];
};

describe("palette search", () => {
  it("returns notebook and text without Markdown", async () => {
    snippet = [
      segment("---\ntags: [a]\n---\n# Kitchen\n\nThe **"),
      segment("oak", true),
      segment("** *table*"),
    ];
    expect(await find()).toEqual({
      id,
      title: "Kitchen",
      path: `/app/notes/all/${id}`,
      context: "House / Plans",
      snippet: "The oak table",
    });
  });

  it.each([
    ["only the title", [segment("---\ntitle: Kitchen\nstatus: open")]],
    ["front matter", [segment("---\ntitle: "), segment("Oak", true), segment("\n---\n# Kitchen")]],
    ["no text", []],
  ])("returns the beginning of the note if %s matches", async (_, found) => {
    snippet = found;
    expect((await find())?.snippet).toBe("The beginning of the note");
  });

  it("reads the notebooks once for quick searches", async () => {
    snippet = [segment("oak", true)];
    const count = () => server.requests.filter(({ path }) => path.endsWith("/notebooks")).length;
    await find();
    const before = count();
    await find();
    expect(count()).toBe(before);
  });
});
