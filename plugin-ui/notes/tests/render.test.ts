// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { NoteLink } from "../src/model/types.ts";
import { patchChildren, renderNote } from "../src/preview/render-note.ts";

const target = { id: "0192a000-0000-7000-8000-000000000001", title: "Shopping", deleted: false };
const links: readonly NoteLink[] = [
  { kind: "title", target: "Shopping", note: target },
  { kind: "title", target: "Nowhere", note: null },
  { kind: "path", target: "../b%20c.md", note: target },
  { kind: "title", target: "Old", note: { ...target, deleted: true } },
];

function render(text: string, title = ""): HTMLElement {
  const host = document.createElement("div");
  host.append(
    renderNote({
      text,
      title,
      links: new Map(links.map((link) => [`${link.kind} ${link.target}`, link])),
    }),
  );
  return host;
}

describe("rendered note", () => {
  it("links to other notes by title and path", () => {
    const [wiki, shown, path] = render(
      "[[Shopping]] [[Shopping#Fruit|fruit]] [b](../b%20c.md#x)",
    ).querySelectorAll("a");
    for (const link of [wiki, shown, path]) {
      expect(link?.getAttribute("href")).toBe(`/app/notes/all/${target.id}`);
      expect(link?.dataset.note).toBe(target.id);
    }
    expect(shown?.textContent).toBe("fruit");
    expect(shown?.dataset.heading).toBe("Fruit");
    expect(path?.dataset.heading).toBe("x");
  });

  it("marks links without a target", () => {
    const [nowhere, dead, trashed] = render("[[Nowhere]] [x](other.md) [[Old]]").querySelectorAll(
      "a",
    );
    expect(nowhere?.title).toMatch(/Create it/);
    expect(nowhere?.dataset.target).toBe("Nowhere");
    expect(dead?.hasAttribute("href")).toBe(false);
    expect(trashed?.title).toMatch(/trash/);
  });

  it("keeps [[…]] in code", () => {
    expect(render("`[[Shopping]]`\n\n```\n[[Shopping]]\n```").querySelector("a")).toBeNull();
  });

  it("renders tasks with their source lines", () => {
    const host = render("---\na: b\n---\n\n- [ ] one\n- [x] two\n  - [ ] three\n- four");
    const boxes = [...host.querySelectorAll("input")];
    expect(boxes.map(({ dataset, checked }) => [dataset.task, checked])).toEqual([
      ["4", false],
      ["5", true],
      ["6", false],
    ]);
    expect(boxes[0]?.getAttribute("aria-label")).toBe("one");
  });

  it("omits the title heading and front matter", () => {
    const host = render("---\ntags: [a]\n---\n# Plan\n\ntext\n\n# Plan\n", "Plan");
    expect(host.querySelectorAll("h1").length).toBe(1);
    expect(host.textContent).not.toContain("tags");
    expect(host.querySelector("p")?.getAttribute("data-line")).toBe("5");
  });

  it("supports GitHub tables, strikethrough and bare links", () => {
    const host = render("| a | b |\n|:-:|--:|\n| ~~x~~ | https://example.org |\n");
    expect(host.querySelector(".md-table table td s")?.textContent).toBe("x");
    expect(host.querySelector("td a")?.getAttribute("href")).toBe("https://example.org");
  });

  it("creates anchors for headings", () => {
    const host = render("## A b\n\n## A b\n\n[x](#a-b)");
    expect([...host.querySelectorAll("h2")].map(({ dataset }) => dataset.slug)).toEqual([
      "a-b",
      "a-b-1",
    ]);
    expect(host.querySelector("a")?.dataset.heading).toBe("a-b");
  });
});

describe("incremental rendering", () => {
  const patch = (host: HTMLElement, text: string) =>
    patchChildren(host, renderNote({ text, title: "", links: new Map() }));

  it("updates only changed blocks", () => {
    const host = document.createElement("div");
    patch(host, "# A\n\none\n\ntwo\n\nthree\n");
    const [heading, one, , three] = [...host.children];
    patch(host, "# A\n\none\n\nTWO\n\nthree\n");
    expect(host.children[0]).toBe(heading);
    expect(host.children[1]).toBe(one);
    expect(host.children[2]?.textContent).toBe("TWO");
    expect(host.children[3]).toBe(three);
  });

  it("keeps moved blocks and updates their lines", () => {
    const host = document.createElement("div");
    patch(host, "one\n\n- [ ] task\n");
    const list = host.querySelector("ul");
    patch(host, "one\n\nnew\n\n- [ ] task\n");
    expect(host.querySelector("ul")).toBe(list);
    expect(list?.getAttribute("data-line")).toBe("4");
    expect(host.querySelector("input")?.dataset.task).toBe("4");
  });

  it("equals a full rendering", () => {
    const texts = [
      "",
      "a",
      "# a\n\nb\n\n> c\n",
      "b\n\n> c\n\n# a\n",
      "- a\n- b\n\n1. c\n",
      "a\n\na\n\na\n",
    ];
    for (const before of texts) {
      for (const after of texts) {
        const [patched, fresh] = [document.createElement("div"), document.createElement("div")];
        patch(patched, before);
        patch(patched, after);
        patch(fresh, after);
        expect(patched.innerHTML).toBe(fresh.innerHTML);
      }
    }
  });
});
