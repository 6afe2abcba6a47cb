// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { attacks } from "../../notes/tests/attacks.ts";
import { renderMarkdown } from "../src/card/markdown.ts";
import { typedMention } from "../src/card/mention-field.tsx";

function render(text: string, names?: readonly string[]): HTMLElement {
  const host = document.createElement("div");
  host.append(renderMarkdown(text, names));
  return host;
}

describe("card Markdown", () => {
  it("is rendered with links in new tabs", () => {
    const host = render(
      "# Plan\n\n- **one**\n- [two](https://example.org)\n\n![secret](https://example.org/a.png)",
    );
    expect(host.querySelector("h1")?.textContent).toBe("Plan");
    expect(host.querySelector("strong")?.textContent).toBe("one");
    const link = host.querySelector("a");
    expect([link?.getAttribute("href"), link?.rel, link?.target]).toEqual([
      "https://example.org",
      "noopener noreferrer",
      "_blank",
    ]);
    expect(host.querySelector("img")).toBeNull();
    expect(host.querySelector("em")?.textContent).toBe("secret");
  });

  it("keeps the first number of a list", () => {
    expect(render("3. three\n4. four").querySelector("ol")?.start).toBe(3);
  });

  it.each(attacks)("runs nothing: %s", (attack) => {
    const host = render(attack);
    expect(
      host.querySelector("script, iframe, style, form, object, embed, svg, img, input, base, meta"),
    ).toBeNull();
    for (const element of host.querySelectorAll("*"))
      for (const { name, value } of element.attributes) {
        expect(["href", "start", "title", "target", "rel"]).toContain(name);
        expect(value).not.toMatch(/^\s*(javascript|data|vbscript):/i);
      }
  });

  it("marks mentioned names, also with shared prefixes", () => {
    const host = render("Ask @Ada Keller and @Ada, not `@Ada` or me@Adax", ["Ada", "Ada Keller"]);
    expect([...host.querySelectorAll("mark")].map((mark) => mark.textContent).slice(0, 2)).toEqual([
      "@Ada Keller",
      "@Ada",
    ]);
    expect(host.querySelector("code mark")).toBeNull();
  });
});

describe("mention input", () => {
  it("matches the start of a name", () => {
    expect(typedMention("Ask @Ad", 7)).toEqual({ at: 4, words: "Ad" });
    expect(typedMention("@", 1)).toEqual({ at: 0, words: "" });
    expect(typedMention("Ask @Ada Kel", 12)).toEqual({ at: 4, words: "Ada Kel" });
  });

  it("ignores addresses and text before a line break", () => {
    expect(typedMention("me@example", 10)).toBeNull();
    expect(typedMention("@Ada\nnext", 9)).toBeNull();
    expect(typedMention("no", 2)).toBeNull();
  });
});
