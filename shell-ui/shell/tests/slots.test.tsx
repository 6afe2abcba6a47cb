import type { ShellPlugin } from "@tenon/host";
import { screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { demo, notify, run, server, services, setUpSite, shellOf, start, user } from "./site.tsx";

setUpSite();

const contributing = (contributions: (typeof demo)["contributions"]) => [
  { ...demo, contributions },
];

describe("slots", () => {
  it("show contributions with the props of the page", async () => {
    await start(
      "/app/demo/things/7",
      {},
      contributing({ "demo.thing.aside": [{ id: "count", title: "Parts" }] }),
    );
    const part = within(await screen.findByRole("region", { name: "Parts" }));
    expect(await part.findByText("Thing 7 has 3 parts")).toBeTruthy();
  });

  it("keep the page when a contribution throws", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await start(
      "/app/demo/things/7",
      {},
      contributing({
        "demo.thing.aside": [
          { id: "broken", title: "Broken" },
          { id: "missing", title: "Missing" },
          { id: "count", title: "Parts" },
        ],
      }),
    );
    const broken = within(await screen.findByRole("region", { name: "Broken" }));
    expect(await broken.findByRole("button", { name: "Retry" })).toBeTruthy();
    const missing = within(screen.getByRole("region", { name: "Missing" }));
    expect(await missing.findByRole("button", { name: "Retry" })).toBeTruthy();
    expect(await screen.findByText("Thing 7 has 3 parts")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Thing 7" })).toBeTruthy();
    log.mockRestore();
  });

  it("are empty without contributions", async () => {
    await start("/app/demo/things/7", {}, [demo]);
    expect(await screen.findByRole("heading", { name: "Thing 7" })).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Parts" })).toBeNull();
  });

  it("add panels to the settings of a plugin", async () => {
    const plugin = {
      ...demo,
      state: "active",
      permissions: [],
      outgoing: [],
      public_paths: [],
      response_headers: [],
    };
    server.use({
      "GET /api/core/plugins": () => ({
        items: [{ ...plugin, tables: [], description: "", routes: 0, requests: 0, errors: 0 }],
      }),
    });
    await start(
      "/settings/plugins/demo",
      { session: { ...shellOf([]), user: { ...user, role: "admin" } } },
      contributing({ "settings.panels": [{ id: "license", title: "License" }] }),
    );
    const panel = within(await screen.findByRole("region", { name: "License" }));
    expect(await panel.findByText("Licensed to Ada")).toBeTruthy();
  });

  it("add panels to the account page", async () => {
    await start(
      "/settings/account",
      {},
      contributing({ "account.panels": [{ id: "signature", title: "Signature" }] }),
    );
    const panel = within(await screen.findByRole("region", { name: "Signature" }));
    expect(await panel.findByText("Your signature")).toBeTruthy();
  });
});

// A plugin whose ID is another cannot start with the module of the test.
describe("record actions", () => {
  const actions = [
    { id: "weigh", title: "Weigh", icon: "scale" },
    { id: "fail", title: "Weigh twice" },
    { id: "missing", title: "Weigh never" },
  ];

  it("get the record and the context", async () => {
    await start("/app/demo/things/7", {}, contributing({ "demo.thing.actions": actions }));
    await run(async () => (await screen.findByRole("button", { name: "Weigh" })).click());
    expect(document.title).toBe("Demo 7 weighs 3");
  });

  it("load their plugin when they are chosen", async () => {
    const other: ShellPlugin = {
      ...demo,
      id: "other",
      name: "Other",
      contributions: { "demo.thing.actions": [{ id: "move", title: "Move" }] },
    };
    await start("/app/demo/things/7", {}, [demo, other]);
    const move = await screen.findByRole("button", { name: "Move" });
    expect(services.runtime.running("other")).toBeUndefined();
    await run(() => move.click());
    expect(await screen.findByText("Could not run “Move” in Other")).toBeTruthy();
  });

  it.each(["Weigh twice", "Weigh never"])("report that %s fails", async (title) => {
    await start("/app/demo/things/7", {}, contributing({ "demo.thing.actions": actions }));
    await run(async () => (await screen.findByRole("button", { name: title })).click());
    expect(await screen.findByText(`Could not run “${title}” in Demo`)).toBeTruthy();
  });

  it("end with their plugin", async () => {
    const other = { ...demo, id: "other", contributions: { "demo.thing.actions": actions } };
    await start("/app/demo/things/7", {}, [demo, other]);
    expect(await screen.findByRole("button", { name: "Weigh" })).toBeTruthy();
    await notify({ id: "other", state: "disabled", plugin: null });
    expect(screen.queryByRole("button", { name: "Weigh" })).toBeNull();
  });
});
