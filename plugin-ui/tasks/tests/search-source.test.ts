import type { PluginContext } from "@tenon/host";
import { fakeServer } from "@tenon/testing";
import { expect, it } from "vitest";
import { searchCards } from "../src/app/search-source.ts";

it("returns the board and text without Markdown", async () => {
  const server = fakeServer({
    "GET /api/tasks/cards": () => ({
      items: [
        {
          id: "c1",
          board: "b1",
          title: "Contact form",
          highlight: {
            description: [
              { text: "Fields for **", match: false },
              { text: "name", match: true },
              { text: "** and [mail](https://example.org)", match: false },
            ],
          },
          expand: { board: { id: "b1", title: "Launch" } },
        },
        { id: "c2", board: "b2", title: "Names", highlight: {}, expand: {} },
      ],
      next: null,
    }),
  });
  const context = {} as PluginContext;
  const hits = await searchCards("name", { signal: new AbortController().signal, context });
  server.close();
  expect(hits).toEqual([
    {
      id: "c1",
      title: "Contact form",
      path: "/app/tasks/b1/card/c1",
      context: "Launch",
      snippet: "Fields for name and mail",
    },
    {
      id: "c2",
      title: "Names",
      path: "/app/tasks/b2/card/c2",
      context: undefined,
      snippet: undefined,
    },
  ]);
  expect(server.requests[0]?.query.get("expand")).toBe("board");
});
