import { describe, expect, it } from "vitest";
import { score } from "../src/palette/score.ts";

describe("score", () => {
  it("ranks title starts before word starts", () => {
    const begin = score("no", "Notes");
    const word = score("no", "New note");
    const middle = score("ot", "Notes");
    expect(begin).toBeGreaterThan(word);
    expect(word).toBeGreaterThan(middle);
    expect(middle).toBeGreaterThan(0);
  });

  it("requires every word", () => {
    expect(score("new note", "New note")).toBeGreaterThan(0);
    expect(score("new task", "New note")).toBe(0);
  });

  it("matches keywords and initials, ignoring case and accents", () => {
    expect(score("pass", "Account", "password profile")).toBeGreaterThan(0);
    expect(score("nn", "New note")).toBeGreaterThan(0);
    expect(score("ETE", "Été")).toBeGreaterThan(0);
  });

  it("treats pattern characters as text", () => {
    expect(score("(.*", "Notes")).toBe(0);
    expect(score("c++", "C++ notes")).toBeGreaterThan(0);
  });
});
