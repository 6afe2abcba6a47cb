import type { ShellPlugin } from "@tenon/host";
import { Reply } from "@tenon/testing";
import { coreApi } from "@tenon/ui";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  demo,
  run,
  server,
  services,
  shellOf,
  site,
  start,
  tell,
  user,
  setUpSite,
} from "./site.tsx";

setUpSite();

describe("a plugin's page", () => {
  it("is shown at its address, with the plugin's context and scope", async () => {
    await start("/app/demo/things/7");
    const heading = await screen.findByRole("heading", { name: "Thing 7" });
    expect(heading.closest('[data-plugin="demo"]')).toBeTruthy();
    expect(document.title).toBe("Thing 7 · Analytical Society");
  });

  it("says in its place when a page of the plugin does not exist", async () => {
    await start("/app/demo/nothing/here");
    expect(await screen.findByText("There is no page at this address")).toBeTruthy();
  });

  it("that crashes leaves the shell alive, and can be tried again", async () => {
    site.crashing = true;
    await start("/app/demo");
    expect(
      await screen.findByRole("heading", { name: "Something went wrong in Demo" }),
    ).toBeTruthy();
    expect(screen.getByText(/list is broken/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Home" })).toBeTruthy();
    site.crashing = false;
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Retry" })));
    expect(await screen.findByRole("heading", { name: "Things" })).toBeTruthy();
  });

  it("that crashed is gone from the next page", async () => {
    site.crashing = true;
    await start("/app/demo");
    await screen.findByRole("heading", { name: "Something went wrong in Demo" });
    await run(() => services.history.push("/app/demo/things/8"));
    expect(await screen.findByRole("heading", { name: "Thing 8" })).toBeTruthy();
  });

  it("that cannot be loaded says so, and can be tried again", async () => {
    site.broken = true;
    await start("/app/demo");
    expect(
      await screen.findByRole("heading", { name: "Something went wrong in Demo" }),
    ).toBeTruthy();
    site.broken = false;
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Retry" })));
    expect(await screen.findByRole("heading", { name: "Things" })).toBeTruthy();
  });

  it("goes with its styles when it is disabled, and comes back to the same place", async () => {
    await start("/app/demo/things/7");
    await screen.findByRole("heading", { name: "Thing 7" });
    await tell({ id: "demo", state: "disabled", plugin: null });
    expect(await screen.findByRole("heading", { name: "Demo is disabled" })).toBeTruthy();
    expect(screen.queryByRole("link", { name: "Demo" })).toBeNull();
    await waitFor(() => expect(document.querySelector('link[href*="demo"]')).toBeNull());
    await tell({ id: "demo", state: "active", plugin: { ...demo, generation: 2 } });
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Demo" })).toBeTruthy();
    expect(window.location.pathname).toBe("/app/demo/things/7");
  });

  it("says that it is upgraded while its data is, and why it is away behind that", async () => {
    const migrating = new Reply(503, { status: 503, code: "plugins.migrating" });
    let answer: (reply: Reply) => void = () => undefined;
    server.use({ "GET /api/demo": () => new Promise((resolve) => (answer = resolve)) });
    await start("/app/demo");
    await screen.findByRole("heading", { name: "Things" });
    // The server was started again: its list is without the plugin.
    await run(() => services.registry.replace([]));
    expect(screen.queryByRole("heading", { name: /./, level: 1 })).toBeNull();
    await run(() => answer(migrating));
    expect(screen.getByRole("heading", { name: "Demo is being upgraded" })).toBeTruthy();
    await tell({ id: "demo", state: "failed", plugin: null });
    await run(() => answer(new Reply(404, { status: 404, code: "http.not_found" })));
    expect(screen.getByRole("heading", { name: "Demo failed to start" })).toBeTruthy();
    await tell({ id: "demo", state: "active", plugin: { ...demo, generation: 2 } });
    expect(await screen.findByRole("heading", { name: "Things" })).toBeTruthy();
  });

  it("that is not there is asked about until it is upgraded or known to be away", async () => {
    const replies = ["plugins.migrating", "client.offline", "plugins.migrating", "http.not_found"];
    let asked = 0;
    server.use({
      "GET /api/other": () => {
        const code = replies[asked] ?? "";
        asked += 1;
        return new Reply(code === "http.not_found" ? 404 : 503, { code });
      },
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    try {
      await start("/app/other");
      const pass = () => act(() => vi.advanceTimersByTimeAsync(5_000));
      await screen.findByRole("heading", { name: "This plugin is being upgraded" });
      for (let at = 1; at < replies.length; at++) {
        expect(screen.getByRole("heading", { name: /is being upgraded/ })).toBeTruthy();
        await pass();
      }
      expect(screen.getByRole("heading", { name: "Not found" })).toBeTruthy();
      for (let at = 0; at < 20; at++) await pass();
      expect(asked).toBe(replies.length);
    } finally {
      vi.useRealTimers();
    }
  });

  const upgraded = {
    ...demo,
    module: "/ui/plugins/demo/entry.2.js",
    version: "1.1.0",
    generation: 2,
  };
  const upgrade = () => tell({ id: "demo", state: "active", plugin: upgraded });
  const typed = (value: string) =>
    run(() => fireEvent.input(screen.getByLabelText("Name"), { target: { value } }));
  const bar = () => screen.queryByText("Demo was upgraded to 1.1.0.");

  it("takes a new version by itself where nothing can be lost, at the same address", async () => {
    await start("/app/demo?view=all");
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Clicked 0" })));
    await upgrade();
    expect(await screen.findByRole("button", { name: "Clicked 0" })).toBeTruthy();
    expect(bar()).toBeNull();
    expect(services.runtime.running("demo")?.version).toBe("1.1.0");
    expect(location.pathname + location.search).toBe("/app/demo?view=all");
  });

  it("asks where text would be lost, and keeps it until the person takes the new version", async () => {
    await start("/app/demo");
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Clicked 0" })));
    await typed("Ada");
    await upgrade();
    expect(bar()?.closest("[role=status]")).toBeTruthy();
    expect(screen.getByText(/Text that is not saved here is lost/)).toBeTruthy();
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "Ada");
    expect(screen.getByRole("button", { name: "Clicked 1" })).toBeTruthy();
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Reload" })));
    expect(await screen.findByRole("button", { name: "Clicked 0" })).toBeTruthy();
    expect(bar()).toBeNull();
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "");
  });

  it("is left in peace, and takes the new version when the person goes on in it", async () => {
    await start("/app/demo");
    await typed("Ada");
    await upgrade();
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Later" })));
    expect(bar()).toBeNull();
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "Ada");
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Open" })));
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
    expect(services.runtime.running("demo")?.version).toBe("1.1.0");
    expect(bar()).toBeNull();
  });

  it("saves what it guards before it takes the new version, or stays", async () => {
    const save = vi.fn(() => false);
    site.guard = save;
    await start("/app/demo");
    await upgrade();
    expect(await screen.findByText(/saved before it reloads/)).toBeTruthy();
    expect(save).not.toHaveBeenCalled();
    const reload = () => run(() => fireEvent.click(screen.getByRole("button", { name: "Reload" })));
    await reload();
    expect(save).toHaveBeenCalledOnce();
    expect(services.runtime.running("demo")?.version).toBe("1.0.0");
    save.mockReturnValue(true);
    await reload();
    expect(services.runtime.running("demo")?.version).toBe("1.1.0");
  });

  it("goes on as it is when the new version does not come, says so and offers it again", async () => {
    await start("/app/demo");
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Clicked 0" })));
    site.broken = true;
    await upgrade();
    expect(screen.getByText("Could not load Demo 1.1.0.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Clicked 1" })).toBeTruthy();
    site.broken = false;
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Try again" })));
    expect(await screen.findByRole("button", { name: "Clicked 0" })).toBeTruthy();
  });

  it("says nothing more when the server is back at what runs here", async () => {
    await start("/app/demo");
    await typed("Ada");
    await upgrade();
    await tell({ id: "demo", state: "active", plugin: { ...demo, generation: 3 } });
    expect(bar()).toBeNull();
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "Ada");
  });
});

describe("the home page", () => {
  it("has a tile for each plugin, what is recent, and its widgets", async () => {
    localStorage.setItem(
      "tenon.recent.u2",
      JSON.stringify([
        {
          path: "/app/demo/things/7",
          title: "Thing 7",
          plugin: "demo",
          time: new Date().toISOString(),
        },
        {
          path: "/app/gone/1",
          title: "Of a plugin that is gone",
          plugin: "gone",
          time: "2026-01-01T00:00:00Z",
        },
      ]),
    );
    const contributions = {
      commands: [{ id: "new", title: "New thing", path: "/app/demo/new" }],
      "home.widgets": [{ id: "newest", title: "Newest" }],
    };
    const plugins = [{ ...demo, contributions }];
    // Pages are remembered for each user, here for one whom no other test has.
    const session = { ...shellOf(plugins), user: { ...user, id: "u2" } };
    await start("/", { session }, plugins);
    const main = within(screen.getByRole("main"));
    expect(main.getByRole("link", { name: "Demo" })).toBeTruthy();
    expect(main.getByRole("link", { name: "New thing" }).getAttribute("href")).toBe(
      "/app/demo/new",
    );
    expect(main.getByRole("link", { name: "Thing 7" })).toBeTruthy();
    expect(main.queryByText(/that is gone/)).toBeNull();
    expect(await main.findByText("Newest things")).toBeTruthy();
  });

  it("says what to do where there is nothing, to an admin and to a member", async () => {
    await start("/", {}, []);
    expect(screen.getByText("Nothing here yet")).toBeTruthy();
    cleanup();
    const admin = { user: { ...user, role: "admin" as const }, permissions: [], groups: [] };
    await start("/", { session: admin }, []);
    expect(screen.getByRole("link", { name: "Open plugins" })).toBeTruthy();
  });

  it("leaves out what the person may not use", async () => {
    const navigation = [
      { id: "x", title: "Secret", path: "/app/demo/secret", permission: "demo.admin" },
    ];
    await start("/", {}, [{ ...demo, navigation }]);
    expect(screen.queryByText("Secret")).toBeNull();
  });
});

describe("the palette", () => {
  const searching = {
    ...demo,
    contributions: { search: [{ id: "things", title: "Things" }] },
  };
  async function open(plugins: readonly ShellPlugin[] = [searching]) {
    await start("/", {}, plugins);
    await run(() => fireEvent.keyDown(document.body, { key: "k", ctrlKey: true }));
    const input = await screen.findByRole("combobox");
    const type = (value: string) => run(() => fireEvent.change(input, { target: { value } }));
    return { type, enter: () => run(() => fireEvent.keyDown(input, { key: "Enter" })) };
  }
  const titles = () => screen.getAllByRole("option").map(({ textContent }) => textContent);

  it("finds commands and what plugins find", async () => {
    const { type, enter } = await open();
    await type("engine");
    const hit = await screen.findByRole("option", { name: /Found engine/ });
    await enter();
    expect(hit.isConnected).toBe(false);
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
  });

  it("shows no row of an earlier search where two groups have the same title", async () => {
    const search = ["things", "letters"].map((id) => ({ id, title: "Things" }));
    const { type } = await open([{ ...demo, contributions: { search } }]);
    await type("xyz");
    await waitFor(() => expect(titles()).toHaveLength(4));
    await type("qj");
    await screen.findByRole("option", { name: /Letter j/ });
    await waitFor(() =>
      expect(titles().map((title) => title?.slice(0, 8))).toEqual([
        "Found qj",
        "Letter q",
        "Letter j",
      ]),
    );
    expect(console.error).not.toHaveBeenCalled();
  });

  it("lists matching commands before what plugins find", async () => {
    const { type } = await open();
    await type("acc");
    await screen.findByRole("option", { name: /Found acc/ });
    expect(titles()).toEqual([expect.stringMatching(/^Account/), "Found acc"]);
    expect(screen.getByRole("option", { selected: true }).textContent).toMatch(/^Account/);
  });

  it("shows where a result belongs and the text around the match", async () => {
    const { type } = await open([
      { ...demo, contributions: { search: [{ id: "letters", title: "Letters" }] } },
    ]);
    await type("xy");
    const option = await screen.findByRole("option", { name: /Letter x/ });
    expect(within(option).getByText("Alphabet")).toBeTruthy();
    expect(within(option).getByText("The letter x in a word")).toBeTruthy();
  });

  it("says what it found no results for", async () => {
    const { type } = await open([demo]);
    await type("zzzz ");
    expect((await screen.findByText(/^No results/)).textContent).toBe("No results for “zzzz”");
  });

  it("keeps its selection when results arrive", async () => {
    const { type, enter } = await open();
    await type("acc");
    await screen.findByRole("option", { name: /Account/, selected: true });
    await screen.findByRole("option", { name: /Found acc/ });
    expect(screen.getByRole("option", { selected: true }).textContent).toMatch(/Account/);
    await enter();
    expect(await screen.findByRole("heading", { name: "Account" })).toBeTruthy();
  });

  it("runs no result of an earlier text", async () => {
    const { type, enter } = await open();
    await type("engine");
    await screen.findByRole("option", { name: /Found engine/, selected: true });
    await type("engines");
    await enter();
    expect(screen.getByRole("combobox")).toBeTruthy();
    await screen.findByRole("option", { name: /Found engines/, selected: true });
    await enter();
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
  });
});

describe("a session", () => {
  it("that ended is asked for over the page, which stays", async () => {
    await start("/app/demo");
    const button = await screen.findByRole("button", { name: "Clicked 0" });
    await run(() => fireEvent.click(button));
    server.use({
      "POST /api/core/session": () => ({ user, permissions: ["demo.use"], groups: [] }),
    });
    server.use({ "GET /api/core/x": () => new Reply(401, { code: "identity.signed_out" }) });
    await run(() => coreApi.get("x").catch(() => undefined));
    expect(await screen.findByText("You are signed out")).toBeTruthy();
    const password = document.querySelector<HTMLInputElement>('dialog [name="password"]');
    await run(() =>
      fireEvent.change(password as HTMLInputElement, { target: { value: "correct horse" } }),
    );
    await run(() => fireEvent.submit(password?.form as HTMLFormElement));
    await waitFor(() => expect(screen.queryByText("You are signed out")).toBeNull());
    expect(screen.getByRole("button", { name: "Clicked 1" })).toBeTruthy();
    expect(server.requests.find(({ method }) => method === "POST")?.body).toMatchObject({
      login: "ada",
    });
  });

  it("that never was leads to the sign-in page at any address", async () => {
    await start("/app/demo", { session: null, shell: null });
    expect(
      await screen.findByRole("heading", { name: "Sign in to Analytical Society" }),
    ).toBeTruthy();
    expect(window.location.pathname).toBe("/app/demo");
    expect(screen.queryByRole("navigation")).toBeNull();
  });
});
