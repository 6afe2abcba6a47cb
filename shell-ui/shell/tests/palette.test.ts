import { describe, expect, it } from "vitest";
import { score } from "../src/palette/score.ts";

describe("score", () => {
  it("puts the begin of the title before the begin of a word before its middle", () => {
    const begin = score("no", "Notes");
    const word = score("no", "New note");
    const middle = score("ot", "Notes");
    expect(begin).toBeGreaterThan(word);
    expect(word).toBeGreaterThan(middle);
    expect(middle).toBeGreaterThan(0);
  });

  it("wants each word that was typed", () => {
    expect(score("new note", "New note")).toBeGreaterThan(0);
    expect(score("new task", "New note")).toBe(0);
  });

  it("finds by keyword and by initials, and without regard to case and accents", () => {
    expect(score("pass", "Account", "password profile")).toBeGreaterThan(0);
    expect(score("nn", "New note")).toBeGreaterThan(0);
    expect(score("ETE", "Été")).toBeGreaterThan(0);
  });

  it("takes signs of a pattern as letters", () => {
    expect(score("(.*", "Notes")).toBe(0);
    expect(score("c++", "C++ notes")).toBeGreaterThan(0);
  });
});
