import { describe, expect, it } from "vitest";
import { createCommandRegistry, definePlugin } from "../src/index.ts";

const page = () => null;

describe("definePlugin", () => {
  it("returns a frozen definition", () => {
    const plugin = definePlugin({ id: "notes", routes: [{ index: true, page }] });
    expect(Object.isFrozen(plugin)).toBe(true);
  });

  it.each(["", "N", "notes_x", "1notes", "x".repeat(33)])("rejects the id %j", (id) => {
    expect(() => definePlugin({ id })).toThrow(/plugin id/);
  });

  it.each([
    ["an absolute path", { path: "/app/notes", page }],
    ["page and load at once", { path: "x", page, load: () => Promise.resolve({ default: page }) }],
    ["nothing to show", { path: "x" }],
    ["a wrong child", { path: "x", children: [{ path: "/y", page }] }],
  ])("refuses a route with %s", (_what, route) => {
    expect(() => definePlugin({ id: "notes", routes: [route] })).toThrow(/notes: route/);
  });
});

describe("createCommandRegistry", () => {
  it("removes only the given command", () => {
    const registry = createCommandRegistry();
    const command = { id: "a", title: "A", run: () => undefined };
    const remove = registry.add(command);
    registry.add({ ...command });
    remove();
    remove();
    expect(registry.commands.get()).toHaveLength(1);
  });
});
