// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { renderNote } from "../src/preview/render-note.ts";
import { attacks } from "./attacks.ts";

function render(text: string): HTMLElement {
  const host = document.createElement("div");
  host.append(renderNote({ text, title: "", links: new Map() }));
  return host;
}

const allowedElements = new Set(
  (
    "a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em " +
    "figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small " +
    "span strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr"
  ).split(" "),
);

const allowedAttributes = new Set(
  (
    "align alt aria-label checked class colspan data-heading data-is-task data-language data-line data-note " +
    "data-slug data-target data-task data-unresolved datetime decoding dir disabled height href lang loading open " +
    "rel reversed rowspan src start tabindex target title type valign width"
  ).split(" "),
);

/** Lists everything in a note that a safe note must not contain, whatever the attack. */
function faultsOf(host: HTMLElement): string[] {
  const faults: string[] = [];
  for (const element of host.querySelectorAll("*")) {
    const name = element.localName;
    if (element.namespaceURI !== "http://www.w3.org/1999/xhtml")
      faults.push(`namespace of ${name}`);
    if (!allowedElements.has(name)) faults.push(`element ${name}`);
    for (const { name: attribute, value } of element.attributes) {
      if (!allowedAttributes.has(attribute)) faults.push(`${name} ${attribute}`);
      if (attribute === "href" && !/^(https?:|mailto:|tel:|#|\/app\/notes)/i.test(value.trim())) {
        faults.push(`href ${value}`);
      }
      if (attribute === "src" && !/^data:image\//.test(value)) faults.push(`src ${value}`);
      if (attribute === "class" && !/^md-[a-z]+$/.test(value)) faults.push(`class ${value}`);
    }
    if (name === "input" && !/^\d+$/.test(element.getAttribute("data-task") ?? ""))
      faults.push("a box of its own");
  }
  return faults;
}

describe("note safety", () => {
  it("is tested with at least forty attacks", () => {
    expect(attacks.length).toBeGreaterThanOrEqual(40);
  });

  it.each(attacks)("runs, loads and hides nothing: %s", (attack) => {
    expect(faultsOf(render(attack))).toEqual([]);
    // In the middle of ordinary text as well, and twice.
    expect(
      faultsOf(
        render(`# Title\n\n- item ${attack}\n\n> ${attack}\n\n| a |\n| - |\n| ${attack} |\n`),
      ),
    ).toEqual([]);
  });

  it("keeps harmless markup", () => {
    const host = render(
      '<p align="center"><b>bold</b> <kbd>K</kbd></p>\n\n<details open><summary>More</summary>\n\n*text*\n\n</details>\n\n![dot](data:image/png;base64,AAAA)',
    );
    expect(host.querySelector("p")?.getAttribute("align")).toBe("center");
    expect(host.querySelector("details summary")?.textContent).toBe("More");
    expect(host.querySelector("details em")?.textContent).toBe("text");
    expect(host.querySelector("img")?.getAttribute("src")).toBe("data:image/png;base64,AAAA");
    expect(faultsOf(host)).toEqual([]);
  });

  it("names external pictures without loading them", () => {
    const host = render("![build](https://tracker.example/x.png) ![](docs/shot.png)");
    expect(host.querySelector("img")).toBeNull();
    const [remote, missing] = host.querySelectorAll<HTMLElement>(".md-picture");
    expect(remote?.textContent).toBe("build");
    expect(remote?.title).toContain("tracker.example");
    expect(missing?.textContent).toBe("shot.png");
  });

  it("opens external links without an opener", () => {
    const link = render("[x](https://example.org/a)").querySelector("a");
    expect(link?.target).toBe("_blank");
    expect(link?.rel).toContain("noopener");
    expect(link?.rel).toContain("noreferrer");
  });

  it("rejects forged links and checkboxes", () => {
    const host = render(
      '<a data-wiki="x Secret" href="#">a</a> <input type="checkbox" data-task="x 1">',
    );
    expect(host.querySelector("input")).toBeNull();
    expect(host.querySelector("a")?.hasAttribute("data-target")).toBe(false);
  });
});
