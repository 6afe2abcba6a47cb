import {
  createCommandRegistry,
  createStore,
  signedOut,
  type PluginContext,
  type PluginDefinition,
  type ShellPlugin,
} from "@tenon/host";
import { afterEach, describe, expect, it, vi } from "vitest";
import { forgetFailures } from "../src/navigation/failures.ts";
import { createPluginRegistry } from "../src/plugins/registry.ts";
import { createPluginRuntime, type RuntimeServices } from "../src/plugins/runtime.ts";

const shellPlugin: ShellPlugin = {
  id: "notes",
  name: "Notes",
  version: "1.0.0",
  generation: 1,
  module: "/ui/plugins/notes/entry.1.js",
  integrity: "sha384-1",
  styles: [{ href: "/ui/plugins/notes/entry.1.css", integrity: "sha384-2" }],
};

const events: RuntimeServices["events"] = {
  status: createStore("open" as const),
  subscribe: () => () => undefined,
  onOpen: () => () => undefined,
};

function setUp(definition: PluginDefinition, plugin = shellPlugin, stream = events) {
  const registry = createPluginRegistry([plugin]);
  const commands = createCommandRegistry();
  const sheets: HTMLLinkElement[] = [];
  const load = vi.fn(() => Promise.resolve({ default: definition }));
  const fetchStyle = vi.fn(() => Promise.resolve());
  const runtime = createPluginRuntime({
    registry,
    commands,
    events: stream,
    session: createStore({ ...signedOut, permissions: ["notes.use"] }),
    load: load as never,
    fetchStyle,
    style(asset) {
      const link = document.createElement("link");
      link.href = asset.href;
      document.head.append(link);
      sheets.push(link);
      return Promise.resolve(link);
    },
  });
  return { registry, commands, runtime, load, fetchStyle, sheets };
}

const disposed = () => new Promise((resolve) => setTimeout(resolve, 5));

afterEach(() => {
  forgetFailures();
  document.head.replaceChildren();
});

describe("createPluginRuntime", () => {
  it("loads on start and activates once", async () => {
    const activate = vi.fn();
    const { runtime, load } = setUp({ id: "notes", activate });
    expect(load).not.toHaveBeenCalled();
    expect(runtime.start("notes")).toBe(runtime.start("notes"));
    await runtime.start("notes");
    expect(load).toHaveBeenCalledOnce();
    expect(activate).toHaveBeenCalledOnce();
    expect(activate.mock.calls[0]?.[0]).toMatchObject({
      id: "notes",
      basePath: "/app/notes",
      apiPath: "/api/notes",
    });
  });

  it("starts a page after the position is known", async () => {
    let take: () => void = () => undefined;
    const takePosition = vi.fn(() => new Promise<void>((resolve) => (take = resolve)));
    const { runtime } = setUp({ id: "notes" }, shellPlugin, { ...events, takePosition });
    const page = runtime.startPage("notes");
    expect(runtime.startPage("notes")).toBe(page);
    const started = vi.fn();
    void page.then(started);
    await runtime.start("notes");
    await disposed();
    expect(started).not.toHaveBeenCalled();
    take();
    expect(await page).toBe(await runtime.start("notes"));
    expect(takePosition.mock.calls).toEqual([["notes"]]);
  });

  it("disposes on disable and restarts on enable", async () => {
    const dispose = vi.fn();
    let context: PluginContext | undefined;
    const { runtime, registry, commands, sheets, load } = setUp({
      id: "notes",
      activate(given) {
        context = given;
        given.addCommand({ id: "new", title: "New note", run: () => undefined });
        given.setBadge(3);
        return dispose;
      },
    });
    await runtime.start("notes");
    expect(commands.commands.get().map(({ id }) => id)).toEqual(["notes.new"]);
    expect(runtime.badges.get()).toEqual({ notes: 3 });

    registry.apply({ id: "notes", state: "disabled", plugin: null });
    expect(context?.signal.aborted).toBe(true);
    await disposed();
    expect(dispose).toHaveBeenCalledOnce();
    expect(commands.commands.get()).toEqual([]);
    expect(runtime.badges.get()).toEqual({});
    expect(sheets[0]?.isConnected).toBe(false);
    await expect(runtime.start("notes")).rejects.toThrow(/not active/);

    registry.apply({ id: "notes", state: "active", plugin: { ...shellPlugin, generation: 2 } });
    expect((await runtime.start("notes")).context.generation).toBe(2);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it("stops a plugin that was disabled while loading", async () => {
    let finish: (() => void) | undefined;
    const dispose = vi.fn();
    const { runtime, registry, sheets } = setUp({
      id: "notes",
      activate: () => new Promise((resolve) => (finish = () => resolve(dispose))),
    });
    const starting = runtime.start("notes");
    await vi.waitFor(() => expect(finish).toBeDefined());
    registry.apply({ id: "notes", state: "disabled", plugin: null });
    finish?.();
    await expect(starting).rejects.toThrow();
    await disposed();
    expect(dispose).toHaveBeenCalledOnce();
    expect(sheets[0]?.isConnected).toBe(false);
  });

  it("keeps a failure until it is cleared", async () => {
    const { runtime, load } = setUp({ id: "notes" });
    load.mockRejectedValueOnce(new Error("cut"));
    const first = runtime.start("notes");
    await expect(first).rejects.toThrow("cut");
    expect(runtime.start("notes")).toBe(first);
    forgetFailures();
    await expect(runtime.start("notes")).resolves.toBeDefined();
  });

  it("rejects a module of another plugin", async () => {
    const { runtime } = setUp({ id: "other" });
    await expect(runtime.start("notes")).rejects.toThrow(/defines "other"/);
  });

  it("disposes everything when activate throws", async () => {
    const { runtime, commands, sheets } = setUp({
      id: "notes",
      activate(context) {
        context.addCommand({ id: "x", title: "X", run: () => undefined });
        throw new Error("no");
      },
    });
    await expect(runtime.start("notes")).rejects.toThrow("no");
    expect(commands.commands.get()).toEqual([]);
    expect(sheets[0]?.isConnected).toBe(false);
  });

  it("reports an outdated module and keeps it running", async () => {
    const dispose = vi.fn();
    const { runtime, registry } = setUp({ id: "notes", activate: () => dispose });
    await runtime.start("notes");
    const module = "/ui/plugins/notes/entry.2.js";
    registry.apply({
      id: "notes",
      state: "active",
      plugin: { ...shellPlugin, module, generation: 2 },
    });
    expect(runtime.outdated.get()).toEqual(["notes"]);
    expect(dispose).not.toHaveBeenCalled();
    expect(runtime.running("notes")?.generation).toBe(1);
    runtime.restart("notes");
    expect(dispose).toHaveBeenCalledOnce();
    expect(runtime.outdated.get()).toEqual([]);
    expect(runtime.running("notes")).toBeUndefined();
    expect((await runtime.start("notes")).plugin.module).toBe(module);
  });

  const upgraded: ShellPlugin = {
    ...shellPlugin,
    module: "/ui/plugins/notes/entry.2.js",
    styles: [{ href: "/ui/plugins/notes/entry.2.css", integrity: "sha384-3" }],
    generation: 2,
  };
  const upgrade = { id: "notes", state: "active", plugin: upgraded };

  it("prepares the next version and survives its failure", async () => {
    const dispose = vi.fn();
    const { runtime, registry, load, fetchStyle, sheets } = setUp({
      id: "notes",
      activate: () => dispose,
    });
    await runtime.start("notes");
    registry.apply(upgrade);
    load.mockRejectedValueOnce(new Error("cut"));
    await expect(runtime.prepare("notes")).rejects.toThrow("cut");
    fetchStyle.mockRejectedValueOnce(new Error("no style"));
    await expect(runtime.prepare("notes")).rejects.toThrow("no style");
    await runtime.prepare("notes");
    // The page is never reloaded for it.
    const module = { href: upgraded.module, integrity: upgraded.integrity };
    expect(load).toHaveBeenLastCalledWith(module, [], true);
    expect(runtime.outdated.get()).toEqual(["notes"]);
    expect(dispose).not.toHaveBeenCalled();
    expect(sheets.map(({ isConnected }) => isConnected)).toEqual([true]);
    runtime.restart("notes");
    await runtime.start("notes");
    expect(sheets.map(({ isConnected }) => isConnected)).toEqual([false, true]);
  });

  it("clears the update after a rollback", async () => {
    const { runtime, registry } = setUp({ id: "notes" });
    await runtime.start("notes");
    registry.apply(upgrade);
    registry.apply({ ...upgrade, plugin: { ...shellPlugin, generation: 3 } });
    expect(runtime.outdated.get()).toEqual([]);
    registry.apply({ ...upgrade, plugin: { ...upgraded, module: shellPlugin.module } });
    expect(runtime.outdated.get()).toEqual(["notes"]);
  });

  it("publishes ends", async () => {
    const { runtime, registry } = setUp({ id: "notes" });
    const listener = vi.fn();
    runtime.onEnd(listener);
    await runtime.start("notes");
    registry.replace([]);
    expect(listener).toHaveBeenCalledWith("notes");
  });
});
