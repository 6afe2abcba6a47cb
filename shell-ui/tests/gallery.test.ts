import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { entries } from "../gallery/entries.ts";
import { readProps } from "../gallery/props.ts";

// Classes, which are no components.
const others = ["Filter", "Problem", "Uploads"];

/** Components by shared module. */
async function sharedComponents(): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, "shared-modules.txt"), "utf8");
  return text
    .split(/\n(?=\S)/)
    .filter((part) => part.startsWith("@tenon/ui"))
    .flatMap((part) => {
      const [module, ...names] = part.split("\n").map((line) => line.trim());
      return names.filter((name) => /^[A-Z]/.test(name)).map((name) => `${module} ${name}`);
    })
    .filter((name) => !others.includes(name.split(" ")[1] ?? ""));
}

describe("component gallery", () => {
  it("has every component of @tenon/ui once", async () => {
    const shown = entries.flatMap(({ module, components }) =>
      components.map((name) => `${module} ${name}`),
    );
    expect(shown.sort()).toEqual((await sharedComponents()).sort());
  });

  it("has an example for each entry", async () => {
    const files = await readdir(join(import.meta.dirname, "../gallery/examples"));
    expect(files.sort()).toEqual(entries.map(({ id }) => `${id}.tsx`).sort());
  });

  it("reads props from the types", () => {
    const props = readProps(["Button", "LineChart"]);
    expect(props.get("Button")).toMatchObject({ rest: "button" });
    expect(props.get("Button")?.props).toContainEqual({
      name: "size",
      type: `"small" | "medium"`,
      required: false,
      text: "",
    });
    expect(props.get("LineChart")?.props).toContainEqual({
      name: "label",
      type: "string",
      required: true,
      text: "Names the chart, also for screen readers.",
    });
    expect(() => readProps(["Buton"])).toThrow("@tenon/ui exports no Buton");
  });
});
