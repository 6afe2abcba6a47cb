import { describe, expect, it } from "vitest";
import { plainSegments } from "../src/kit/plain-segments.ts";

describe("plainSegments", () => {
  const shown = (...texts: string[]) =>
    plainSegments(texts.map((text, index) => ({ text, match: index % 2 === 1 })))
      .map(({ text, match }) => (match ? `<${text}>` : text))
      .join("");

  it("removes Markdown syntax", () => {
    expect(shown("--- tags: [a, b] --- # Quotes **Decided:** a ", "quote", " is `valid`")).toBe(
      "Quotes Decided: a <quote> is valid",
    );
    expect(shown("- [ ] see [the plan](plan.md) and [[Wishes]] ", "now")).toBe(
      "see the plan and Wishes <now>",
    );
    expect(shown("| who | what | |---|:--:| | Ada ", "bread", " |")).toBe("who what Ada <bread> ");
  });

  it("keeps matches in links, emphasis, code and tables", () => {
    expect(
      shown("See [the ", "plan", "](plan.md), [[My ", "plan", "]] and **a ", "plan", "**"),
    ).toBe("See the <plan>, My <plan> and a <plan>");
    expect(shown("", "**plan", "** (__in bold__), ~~gone~~ ")).toBe("<plan> (in bold), gone ");
    expect(shown("", "plan", "ned `a ", "plan", " of b` ```")).toBe("<plan>ned a <plan> of b ");
    expect(shown("--- tags: [", "plan", "] --- # Title")).toBe("tags: [<plan>] Title");
    expect(shown("| a | ", "plan", " | | --- | --- | | b | c |")).toBe("a <plan> b c ");
  });

  it("removes list and quote markers", () => {
    expect(shown("- one\n  * [x] two ", "oak", "\n+ three\n> > said\n1. first")).toBe(
      "one two <oak> three said 1. first",
    );
  });

  it("removes single asterisks around words", () => {
    expect(shown("is *green*, *very ", "green", "*.")).toBe("is green, very <green>.");
  });

  it("keeps marker characters in words and code", () => {
    for (const text of [
      "2*3 and 4*5",
      "f(*args, **options)",
      "one * two * three - four",
      "2**8 and 2**9",
      "def __init__(self) of __main__",
      "a || b",
      "ps | grep y",
      "m[[1]] and m[[2]]",
      "it\u0027s ` a lone tick",
      "f(**options)",
      "a[x] = 1",
      "this --option---name",
    ])
      expect(shown(text)).toBe(text);
    expect(shown("`2 **8** 3` and `__a b__` and `x | y`")).toBe("2 **8** 3 and __a b__ and x | y");
    expect(shown("__", "init", "__ and m[[", "1", "]]")).toBe("__<init>__ and m[[<1>]]");
  });

  it("keeps text that resembles syntax", () => {
    expect(shown("Track #3 costs 4 * 5 - 2, snake_case, a [note] ", "here")).toBe(
      "Track #3 costs 4 * 5 - 2, snake_case, a [note] <here>",
    );
  });

  it("removes complete and truncated front matter", () => {
    expect(shown("---\ntitle: Plan\n---\n# Plan\n\nThe ", "oak", " table")).toBe(
      "Plan The <oak> table",
    );
    expect(shown("…s: [a, b]\ntags: [c]\n---\n# Plan\n\nThe ", "oak")).toBe("… Plan The <oak>");
    expect(shown("…title: Plan\n---\nThe ", "oak")).toBe("… The <oak>");
    expect(shown("…tags:\n  - a\n- b\n---\n\nThe ", "oak")).toBe("… The <oak>");
  });

  it("keeps the text above a rule", () => {
    expect(shown("…of the plan.\n\n---\n\nThe ", "oak")).toBe("…of the plan. The <oak>");
    expect(shown("…of the plan\n---\nThe ", "oak")).toBe("…of the plan The <oak>");
  });
});
