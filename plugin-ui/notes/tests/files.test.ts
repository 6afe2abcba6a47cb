import { describe, expect, it } from "vitest";
import {
  cleanFileName,
  fileKey,
  fileTable,
  fileTargets,
  isOwnTarget,
  markdownFor,
  resolveTarget,
  targetFor,
  withoutFile,
} from "../src/model/files.ts";
import { renderNote } from "../src/preview/render-note.ts";
import type { Attachment } from "../src/model/types.ts";

const id = "0192f000-0000-7000-8000-000000000001";
const file = (part: Partial<Attachment>): Attachment => ({
  id,
  target: targetFor(id, "photo.png"),
  name: "photo.png",
  type: "image/png",
  bytes: 12_345,
  width: 640,
  height: 480,
  created: "2026-01-01T00:00:00.000Z",
  ...part,
});

function render(text: string, files: Attachment[]): HTMLElement {
  const host = document.createElement("div");
  host.append(renderNote({ text, title: "", links: new Map(), files: fileTable(files) }));
  return host;
}

describe("file link in Markdown", () => {
  it.each(["photo.png", "über (1) [x].png", "a'b!*.txt", "100%.png", "日本.webp"])(
    "is found again: %s",
    (name) => {
      const target = targetFor(id, name);
      const text = `Before ${markdownFor(name, target, true)} after`;
      expect(fileTargets(text)).toEqual([target]);
      expect(fileKey(target)).toBe(`attachments/${id}/${name}`);
      expect(isOwnTarget(target)).toBe(true);
      expect(withoutFile(text, target)).toBe("Before  after");
      expect(render(text, [file({ target, name })]).querySelector("img")?.alt).toBe(name);
    },
  );

  it("fits the server's limit with long names", () => {
    const name = `${"ü".repeat(190)}.png`;
    expect(targetFor(id, name).length).toBeLessThanOrEqual(1_024);
  });

  it("strips folders from the name", () => {
    expect(cleanFileName("a/b\\c\u0007.png")).toBe("a-b-c-.png");
    expect([cleanFileName(""), cleanFileName(".."), cleanFileName("x".repeat(300)).length]).toEqual(
      ["file", "file", 200],
    );
  });

  it("accepts relative targets that are not notes", () => {
    const text =
      "![a](img/a.png) [b](<my file.pdf>) [c](note.md) [d](https://x.example/y.png) [e](/top.png) [f](#g) ![a](img/a.png 'title')";
    expect(fileTargets(text)).toEqual(["img/a.png", "my file.pdf"]);
  });

  it("resolves against the note's folder", () => {
    expect(resolveTarget("a/b/note.md", "../img/x%20y.png")).toBe("a/img/x y.png");
    expect(resolveTarget("note.md", "./x.png")).toBe("x.png");
    expect(resolveTarget("note.md", "../x.png")).toBeNull();
  });
});

describe("rendered file", () => {
  it("reserves the size of a picture", () => {
    const image = render(`![Photo](${file({}).target})`, [file({})]).querySelector("img");
    expect(image?.getAttribute("src")).toBe(`/api/notes/attachments/${id}`);
    expect([image?.width, image?.height, image?.loading]).toEqual([640, 480, "lazy"]);
  });

  it("is downloaded under its name", () => {
    const pdf = file({ target: "docs/my%20file.pdf", name: "my file.pdf", type: "", width: null });
    for (const text of ["[File](<docs/my file.pdf>)", "![File](docs/my%20file.pdf)"]) {
      const link = render(text, [pdf]).querySelector("a");
      expect(link?.getAttribute("href")).toBe(`/api/notes/attachments/${id}?save=true`);
      expect([link?.getAttribute("download"), link?.textContent]).toEqual([
        "my file.pdf",
        "File 12 KB",
      ]);
    }
  });

  it("is named but not loaded when missing", () => {
    const host = render("![Theirs](https://x.example/a.png) ![Gone](attachments/x/a.png)", []);
    expect(host.querySelector("img")).toBeNull();
    expect(host.textContent).toContain("Theirs");
    expect(host.textContent).toContain("Gone");
  });
});
