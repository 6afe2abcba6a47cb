import { describe, expect, it } from "vitest";
import { matchesChord, shortcutKeys } from "../src/kit/shortcut.ts";

const press = (key: string, init: KeyboardEventInit = {}) =>
  new KeyboardEvent("keydown", { key, ...init });

describe("matchesChord", () => {
  it("requires exactly the named modifiers", () => {
    expect(matchesChord(press("k", { ctrlKey: true }), "mod+k")).toBe(true);
    expect(matchesChord(press("k"), "mod+k")).toBe(false);
    expect(matchesChord(press("k", { ctrlKey: true, altKey: true }), "mod+k")).toBe(false);
    expect(matchesChord(press("P", { ctrlKey: true, shiftKey: true }), "mod+shift+p")).toBe(true);
    expect(matchesChord(press("p", { ctrlKey: true }), "mod+shift+p")).toBe(false);
  });

  it("matches a character on any keyboard layout", () => {
    expect(matchesChord(press("?", { shiftKey: true }), "?")).toBe(true);
    expect(matchesChord(press("?"), "?")).toBe(true);
    expect(matchesChord(press("["), "[")).toBe(true);
  });

  it("matches space and plus", () => {
    expect(matchesChord(press(" "), "space")).toBe(true);
    expect(matchesChord(press("+", { ctrlKey: true }), "mod++")).toBe(true);
  });
});

describe("shortcutKeys", () => {
  it("shows keys by their common names", () => {
    expect(shortcutKeys("mod+shift+p")).toEqual(["Ctrl", "Shift", "P"]);
    expect(shortcutKeys("g h")).toEqual(["G", "H"]);
    expect(shortcutKeys("mod++")).toEqual(["Ctrl", "+"]);
  });
});
