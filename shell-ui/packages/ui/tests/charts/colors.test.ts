import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { maxColors } from "../../src/charts/chart.ts";

type Color = readonly [number, number, number];

/** Linear RGB of an OKLCH color. */
function linear([l, c, h]: Color): Color {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const all = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
  return all.map((part) => Math.min(1, Math.max(0, part))) as unknown as Color;
}

const times = (matrix: readonly Color[], [x, y, z]: Color) =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Color;

/** OKLab of linear RGB. */
function perceived(rgb: Color): Color {
  const [l, m, s] = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map((part) => Math.cbrt(Math.max(0, part))) as unknown as Color;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [l, m, s],
  );
}

// Machado, Oliveira and Fernandes 2009, full severity, on linear RGB.
const visions: Readonly<Record<string, readonly Color[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const luminance = ([r, g, b]: Color) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (one: Color, other: Color) => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

const tokens = await readFile(join(import.meta.dirname, "../../src/styles/tokens.css"), "utf8");

function token(name: string, theme: "light" | "dark"): Color {
  const colors = [
    ...(new RegExp(`${name}: light-dark\\((.*)\\);`).exec(tokens)?.[1] ?? "").matchAll(
      /oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g,
    ),
  ].map(([, ...parts]) => parts.map(Number) as unknown as Color);
  const color = colors[theme === "light" ? 0 : 1];
  if (!color) throw new Error(`no ${theme} color of ${name}`);
  return linear(color);
}

describe.each(["light", "dark"] as const)("colors of charts, %s", (theme) => {
  const colors = Array.from({ length: maxColors }, (_, index) =>
    token(`--t-chart-${index + 1}`, theme),
  );

  it("have a contrast of 3 to surfaces", () => {
    for (const surface of ["--t-bg", "--t-surface", "--t-raised"])
      for (const [index, color] of colors.entries())
        expect(
          contrast(color, token(surface, theme)),
          `${index + 1} on ${surface}`,
        ).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.entries(visions))("differ from each other: %s", (_, vision) => {
    const seen = colors.map((color) => perceived(times(vision, color)));
    for (const [index, one] of seen.entries())
      for (const [other, two] of seen.entries()) {
        if (other <= index) continue;
        const distance = Math.hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
        expect(distance, `${index + 1} and ${other + 1}`).toBeGreaterThanOrEqual(0.1);
      }
  });
});
