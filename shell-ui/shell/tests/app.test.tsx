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
  notify,
  user,
  setUpSite,
} from "./site.tsx";

setUpSite();

describe("plugin page", () => {
  it("renders with the plugin's context and scope", async () => {
    await start("/app/demo/things/7");
    const heading = await screen.findByRole("heading", { name: "Thing 7" });
    expect(heading.closest('[data-plugin="demo"]')).toBeTruthy();
    expect(document.title).toBe("Thing 7 · Analytical Society");
  });

  it('shows "not found" for an unknown page', async () => {
    await start("/app/demo/nothing/here");
    expect(await screen.findByText("There is no page at this address")).toBeTruthy();
  });

  it("contains a crash and offers a retry", async () => {
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

  it("clears a crash on the next page", async () => {
    site.crashing = true;
    await start("/app/demo");
    await screen.findByRole("heading", { name: "Something went wrong in Demo" });
    await run(() => services.history.push("/app/demo/things/8"));
    expect(await screen.findByRole("heading", { name: "Thing 8" })).toBeTruthy();
  });

  it("reports a load failure and offers a retry", async () => {
    site.broken = true;
    await start("/app/demo");
    expect(
      await screen.findByRole("heading", { name: "Something went wrong in Demo" }),
    ).toBeTruthy();
    site.broken = false;
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Retry" })));
    expect(await screen.findByRole("heading", { name: "Things" })).toBeTruthy();
  });

  it("disappears when disabled and returns when enabled", async () => {
    await start("/app/demo/things/7");
    await screen.findByRole("heading", { name: "Thing 7" });
    await notify({ id: "demo", state: "disabled", plugin: null });
    expect(await screen.findByRole("heading", { name: "Demo is disabled" })).toBeTruthy();
    expect(screen.queryByRole("link", { name: "Demo" })).toBeNull();
    await waitFor(() => expect(document.querySelector('link[href*="demo"]')).toBeNull());
    await notify({ id: "demo", state: "active", plugin: { ...demo, generation: 2 } });
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Demo" })).toBeTruthy();
    expect(window.location.pathname).toBe("/app/demo/things/7");
  });

  it("reports a migration, then a failed start", async () => {
    const migrating = new Reply(503, { status: 503, code: "plugins.migrating" });
    let reply: (value: Reply) => void = () => undefined;
    server.use({ "GET /api/demo": () => new Promise((resolve) => (reply = resolve)) });
    await start("/app/demo");
    await screen.findByRole("heading", { name: "Things" });
    // The server was started again: its list is without the plugin.
    await run(() => services.registry.replace([]));
    expect(screen.queryByRole("heading", { name: /./, level: 1 })).toBeNull();
    await run(() => reply(migrating));
    expect(screen.getByRole("heading", { name: "Demo is being upgraded" })).toBeTruthy();
    await notify({ id: "demo", state: "failed", plugin: null });
    await run(() => reply(new Reply(404, { status: 404, code: "http.not_found" })));
    expect(screen.getByRole("heading", { name: "Demo failed to start" })).toBeTruthy();
    await notify({ id: "demo", state: "active", plugin: { ...demo, generation: 2 } });
    expect(await screen.findByRole("heading", { name: "Things" })).toBeTruthy();
  });

  it("polls a missing plugin until it is known", async () => {
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
  const upgrade = () => notify({ id: "demo", state: "active", plugin: upgraded });
  const typed = (value: string) =>
    run(() => fireEvent.input(screen.getByLabelText("Name"), { target: { value } }));
  const bar = () => screen.queryByText("Demo was upgraded to 1.1.0.");

  it("loads a new version if nothing is unsaved", async () => {
    await start("/app/demo?view=all");
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Clicked 0" })));
    await upgrade();
    expect(await screen.findByRole("button", { name: "Clicked 0" })).toBeTruthy();
    expect(bar()).toBeNull();
    expect(services.runtime.running("demo")?.version).toBe("1.1.0");
    expect(location.pathname + location.search).toBe("/app/demo?view=all");
  });

  it("asks before a reload would lose text", async () => {
    await start("/app/demo");
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Clicked 0" })));
    await typed("Ada");
    await upgrade();
    expect(bar()?.closest("[role=status]")).toBeTruthy();
    expect(screen.getByText(/Unsaved text on this page is lost/)).toBeTruthy();
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "Ada");
    expect(screen.getByRole("button", { name: "Clicked 1" })).toBeTruthy();
    await run(() => fireEvent.click(screen.getByRole("button", { name: "Reload" })));
    expect(await screen.findByRole("button", { name: "Clicked 0" })).toBeTruthy();
    expect(bar()).toBeNull();
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "");
  });

  it("defers the reload until the next navigation", async () => {
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

  it("saves guarded changes before it reloads", async () => {
    const save = vi.fn(() => false);
    site.guard = save;
    await start("/app/demo");
    await upgrade();
    expect(await screen.findByText(/saved before the page reloads/)).toBeTruthy();
    expect(save).not.toHaveBeenCalled();
    const reload = () => run(() => fireEvent.click(screen.getByRole("button", { name: "Reload" })));
    await reload();
    expect(save).toHaveBeenCalledOnce();
    expect(services.runtime.running("demo")?.version).toBe("1.0.0");
    save.mockReturnValue(true);
    await reload();
    expect(services.runtime.running("demo")?.version).toBe("1.1.0");
  });

  it("keeps running when the new version fails", async () => {
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

  it("hides the notice after the server rolls back", async () => {
    await start("/app/demo");
    await typed("Ada");
    await upgrade();
    await notify({ id: "demo", state: "active", plugin: { ...demo, generation: 3 } });
    expect(bar()).toBeNull();
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "Ada");
  });
});

describe("home page", () => {
  it("shows plugins, recent pages and widgets", async () => {
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

  it("explains an empty page to admins and members", async () => {
    await start("/", {}, []);
    expect(screen.getByText("Nothing here yet")).toBeTruthy();
    cleanup();
    const admin = { user: { ...user, role: "admin" as const }, permissions: [], groups: [] };
    await start("/", { session: admin }, []);
    expect(screen.getByRole("link", { name: "Open plugins" })).toBeTruthy();
  });

  it("hides plugins without permission", async () => {
    const navigation = [
      { id: "x", title: "Secret", path: "/app/demo/secret", permission: "demo.admin" },
    ];
    await start("/", {}, [{ ...demo, navigation }]);
    expect(screen.queryByText("Secret")).toBeNull();
  });
});

describe("command palette", () => {
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

  it("finds commands and plugin results", async () => {
    const { type, enter } = await open();
    await type("engine");
    const hit = await screen.findByRole("option", { name: /Result engine/ });
    await enter();
    expect(hit.isConnected).toBe(false);
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
  });

  it("drops stale rows of groups with equal titles", async () => {
    const search = ["things", "letters"].map((id) => ({ id, title: "Things" }));
    const { type } = await open([{ ...demo, contributions: { search } }]);
    await type("xyz");
    await waitFor(() => expect(titles()).toHaveLength(4));
    await type("qj");
    await screen.findByRole("option", { name: /Initial j/ });
    await waitFor(() =>
      expect(titles().map((title) => title?.slice(0, 9))).toEqual([
        "Result qj",
        "Initial q",
        "Initial j",
      ]),
    );
    expect(console.error).not.toHaveBeenCalled();
  });

  it("lists commands before plugin results", async () => {
    const { type } = await open();
    await type("acc");
    await screen.findByRole("option", { name: /Result acc/ });
    expect(titles()).toEqual([expect.stringMatching(/^Account/), "Result acc"]);
    expect(screen.getByRole("option", { selected: true }).textContent).toMatch(/^Account/);
  });

  it("shows context and snippet of a result", async () => {
    const { type } = await open([
      { ...demo, contributions: { search: [{ id: "letters", title: "Letters" }] } },
    ]);
    await type("xy");
    const option = await screen.findByRole("option", { name: /Initial x/ });
    expect(within(option).getByText("Alphabet")).toBeTruthy();
    expect(within(option).getByText("The letter x in a word")).toBeTruthy();
  });

  it("reports that there are no results", async () => {
    const { type } = await open([demo]);
    await type("zzzz ");
    expect((await screen.findByText(/^No results/)).textContent).toBe("No results for “zzzz”");
  });

  it("keeps the selection when results arrive", async () => {
    const { type, enter } = await open();
    await type("acc");
    await screen.findByRole("option", { name: /Account/, selected: true });
    await screen.findByRole("option", { name: /Result acc/ });
    expect(screen.getByRole("option", { selected: true }).textContent).toMatch(/Account/);
    await enter();
    expect(await screen.findByRole("heading", { name: "Account" })).toBeTruthy();
  });

  it("ignores results of an earlier query", async () => {
    const { type, enter } = await open();
    await type("engine");
    await screen.findByRole("option", { name: /Result engine/, selected: true });
    await type("engines");
    await enter();
    expect(screen.getByRole("combobox")).toBeTruthy();
    await screen.findByRole("option", { name: /Result engines/, selected: true });
    await enter();
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
  });
});

describe("session", () => {
  it("asks to sign in over the open page", async () => {
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

  it("redirects to the sign-in page", async () => {
    await start("/app/demo", { session: null, shell: null });
    expect(
      await screen.findByRole("heading", { name: "Sign in to Analytical Society" }),
    ).toBeTruthy();
    expect(window.location.pathname).toBe("/app/demo");
    expect(screen.queryByRole("navigation")).toBeNull();
  });
});
