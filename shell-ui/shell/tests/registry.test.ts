import type { ShellPlugin } from "@tenon/host";
import { describe, expect, it } from "vitest";
import { createPluginRegistry } from "../src/plugins/registry.ts";

const plugin = (id: string, more: Partial<ShellPlugin> = {}): ShellPlugin => ({
  id,
  name: id.toUpperCase(),
  version: "1.0.0",
  generation: 1,
  module: `/ui/plugins/${id}/entry.1.js`,
  integrity: "sha384-1",
  ...more,
});

describe("createPluginRegistry", () => {
  it("keeps only name and state when disabled", () => {
    const registry = createPluginRegistry([plugin("a"), plugin("b")]);
    registry.apply({ id: "a", state: "disabled", plugin: null });
    expect(registry.find("a")).toBeUndefined();
    expect(registry.store.get().gone).toEqual({ a: { name: "A", state: "disabled" } });
  });

  it("restores a plugin when it is enabled", () => {
    const registry = createPluginRegistry([plugin("b")]);
    registry.apply({ id: "a", state: "active", plugin: plugin("a") });
    expect(registry.store.get().plugins.map(({ id }) => id)).toEqual(["a", "b"]);
    registry.apply({ id: "a", state: "failed", plugin: null });
    registry.apply({ id: "a", state: "active", plugin: plugin("a", { generation: 2 }) });
    expect(registry.find("a")?.generation).toBe(2);
    expect(registry.store.get().gone).toEqual({});
  });

  it("ignores a plugin the user never saw", () => {
    const registry = createPluginRegistry([]);
    registry.apply({ id: "secret", state: "disabled", plugin: null });
    registry.apply({ id: "secret", state: "active", plugin: null });
    expect(registry.store.get()).toEqual({ plugins: [], gone: {} });
  });

  it("applies additions and removals from a list", () => {
    const registry = createPluginRegistry([plugin("a"), plugin("b")]);
    registry.replace([plugin("b"), plugin("c")]);
    expect(registry.store.get().plugins.map(({ id }) => id)).toEqual(["b", "c"]);
    expect(Object.keys(registry.store.get().gone)).toEqual(["a"]);
    registry.replace([plugin("a")]);
    expect(Object.keys(registry.store.get().gone)).toEqual(["b", "c"]);
  });
});
