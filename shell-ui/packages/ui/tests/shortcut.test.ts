import { describe, expect, it } from "vitest";
import { matchesChord, shortcutKeys } from "../src/kit/shortcut.ts";

const press = (key: string, init: KeyboardEventInit = {}) =>
  new KeyboardEvent("keydown", { key, ...init });

describe("matchesChord", () => {
  it("wants exactly the modifiers that are named", () => {
    expect(matchesChord(press("k", { ctrlKey: true }), "mod+k")).toBe(true);
    expect(matchesChord(press("k"), "mod+k")).toBe(false);
    expect(matchesChord(press("k", { ctrlKey: true, altKey: true }), "mod+k")).toBe(false);
    expect(matchesChord(press("P", { ctrlKey: true, shiftKey: true }), "mod+shift+p")).toBe(true);
    expect(matchesChord(press("p", { ctrlKey: true }), "mod+shift+p")).toBe(false);
  });

  it("takes a sign however the keyboard makes it", () => {
    expect(matchesChord(press("?", { shiftKey: true }), "?")).toBe(true);
    expect(matchesChord(press("?"), "?")).toBe(true);
    expect(matchesChord(press("["), "[")).toBe(true);
  });

  it("knows space and plus", () => {
    expect(matchesChord(press(" "), "space")).toBe(true);
    expect(matchesChord(press("+", { ctrlKey: true }), "mod++")).toBe(true);
  });
});

describe("shortcutKeys", () => {
  it("names keys as a person knows them", () => {
    expect(shortcutKeys("mod+shift+p")).toEqual(["Ctrl", "Shift", "P"]);
    expect(shortcutKeys("g h")).toEqual(["G", "H"]);
    expect(shortcutKeys("mod++")).toEqual(["Ctrl", "+"]);
  });
});
