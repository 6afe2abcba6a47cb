import { addBrowserParts } from "@tenon/testing";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { BarChart, LineChart } from "../../src/charts/index.ts";

beforeAll(addBrowserParts);
afterEach(cleanup);

const months = ["January", "February", "March"];
const income = { name: "Income", values: [10, 30, 20] };
const costs = { name: "Costs", values: [5, null, 40] };

const marks = (container: HTMLElement) => [...container.querySelectorAll("rect.t-chart-bar")];
const number = (element: Element | undefined, name: string) =>
  Number(element?.getAttribute(name) ?? NaN);

describe("LineChart", () => {
  it("describes the chart in a sentence", () => {
    render(<LineChart label="Money" points={months} series={[income, costs]} />);
    expect(screen.getByRole("img").getAttribute("aria-label")).toBe(
      "Money. Line chart, January to March. Income: from 10 to 30. Costs: from 5 to 40.",
    );
  });

  it("has a table of its values", () => {
    render(<LineChart label="Money" points={months} series={[income, costs]} />);
    const table = screen.getByRole("table", { name: "Money" });
    const [, , february] = within(table).getAllByRole("row");
    expect(february?.textContent).toBe("February30–");
  });

  it("has no base line without zero", () => {
    const series = [{ name: "One", values: [100, 104, 110] }];
    const { container, rerender } = render(
      <LineChart label="Load" points={months} series={series} zero={false} />,
    );
    expect(container.querySelector(".t-chart-base")).toBeNull();
    rerender(<LineChart label="Load" points={months} series={series} />);
    expect(container.querySelector(".t-chart-base")).not.toBeNull();
  });

  it("ignores values beyond its points", () => {
    const series = [{ name: "One", values: [1, 2, 3, 900] }];
    render(<LineChart label="Few" points={months} series={series} />);
    expect(screen.getByRole("img").getAttribute("aria-label")).toContain("One: from 1 to 3.");
  });

  it.each([
    [32, 32],
    [33, 0],
  ])("of %i points draws %i marks", (count, marks) => {
    const points = Array.from({ length: count }, (_, index) => index);
    const { container } = render(
      <LineChart label="Many" points={points} series={[{ name: "One", values: points }]} />,
    );
    expect(container.querySelectorAll("svg[role=img] .t-chart-mark")).toHaveLength(marks);
  });

  it("shows the values at the arrow keys", () => {
    const { container } = render(
      <LineChart label="Money" points={months} series={[income, costs]} />,
    );
    const slider = screen.getByRole("slider", { name: "Points of Money" });
    const tip = () => container.querySelector(".t-chart-tip")?.textContent;
    expect(tip()).toBeUndefined();
    fireEvent.focus(slider);
    expect(tip()).toBe("JanuaryIncome10Costs5");
    fireEvent.change(slider, { target: { value: "2" } });
    expect(tip()).toBe("MarchIncome20Costs40");
    expect(slider.getAttribute("aria-valuetext")).toBe("March, Income 20, Costs 40");
    fireEvent.blur(slider);
    expect(tip()).toBeUndefined();
  });

  it("shows the values under the pointer", () => {
    const { container } = render(<LineChart label="Money" points={months} series={[income]} />);
    const plot = container.querySelector(".t-chart-plot");
    if (!plot) throw new Error("no plot");
    fireEvent.pointerMove(plot, { clientX: 630 });
    expect(container.querySelector(".t-chart-tip")?.textContent).toBe("MarchIncome20");
    fireEvent.pointerLeave(plot);
    expect(container.querySelector(".t-chart-tip")).toBeNull();
  });

  it("leaves out times that would overlap", () => {
    const start = new Date(2026, 2, 1, 9, 30, 1).getTime();
    const points = [0, 2, 4, 6].map((second) => new Date(start + second * 1000));
    const { container } = render(
      <LineChart label="Load" points={points} series={[{ name: "One", values: [1, 2, 3, 4] }]} />,
    );
    const ticks = [...container.querySelectorAll(".t-chart-name")];
    expect(ticks.length).toBeGreaterThan(1);
    expect(new Set(ticks.map((tick) => tick.textContent)).size).toBe(ticks.length);
    for (const [index, tick] of ticks.slice(1).entries())
      expect(number(tick, "x") - number(ticks[index], "x")).toBeGreaterThan(
        (tick.textContent?.length ?? 0) * 7,
      );
  });

  it("interrupts the line where a value is missing", () => {
    const values = [1, 2, null, 3, 4];
    const { container } = render(
      <LineChart label="Gaps" points={[1, 2, 3, 4, 5]} series={[{ name: "One", values }]} />,
    );
    const line = container.querySelector("svg[role=img] .t-chart-line")?.getAttribute("d");
    expect(line?.match(/M/g)).toHaveLength(2);
  });

  it("places moments by time", () => {
    const days = [0, 1, 10].map((day) => new Date(2026, 2, 1 + day));
    const { container } = render(
      <LineChart label="Days" points={days} series={[{ name: "One", values: [1, 2, 3] }]} />,
    );
    const [first = 0, second = 0, third = 0] = [
      ...container.querySelectorAll("svg[role=img] .t-chart-mark"),
    ].map((mark) => Number(/\(([\d.]+)/.exec(mark.getAttribute("transform") ?? "")?.[1]));
    expect((third - first) / (second - first)).toBeCloseTo(10, 3);
  });

  it.each([
    ["no points", [], []],
    ["no values", months, [null, null, null]],
  ])("says that there are %s", (_, points, values) => {
    render(<LineChart label="Money" points={points} series={[{ name: "One", values }]} />);
    expect(screen.getByRole("img", { name: "Money: No data" }).textContent).toBe("No data");
    expect(screen.queryByRole("slider")).toBeNull();
  });
});

describe("BarChart", () => {
  it("draws heights in proportion to values", () => {
    const { container } = render(<BarChart label="Money" points={months} series={[income]} />);
    const [ten, thirty] = marks(container);
    expect(number(thirty, "height") / number(ten, "height")).toBeCloseTo(3);
  });

  it("stacks the series of a point", () => {
    const { container } = render(
      <BarChart label="Money" points={months} series={[income, costs]} stacked />,
    );
    const bars = marks(container);
    expect(bars).toHaveLength(5);
    const [bottom, , , top] = bars;
    expect(number(top, "x")).toBe(number(bottom, "x"));
    expect(number(top, "y") + number(top, "height")).toBeCloseTo(number(bottom, "y"));
  });

  it("draws negative values below zero", () => {
    const { container } = render(
      <BarChart label="Change" points={["A", "B"]} series={[{ name: "One", values: [4, -4] }]} />,
    );
    const [up, down] = marks(container);
    expect(number(up, "y") + number(up, "height")).toBeCloseTo(number(down, "y"));
  });

  it("has no fractions between whole numbers", () => {
    const { container } = render(
      <BarChart label="Cards" points={["A"]} series={[{ name: "One", values: [2] }]} />,
    );
    const ticks = [...container.querySelectorAll(".t-chart-tick")].map((tick) => tick.textContent);
    expect(ticks).toEqual(["0", "1", "2"]);
  });

  it("leaves out names that would overlap", () => {
    const points = Array.from({ length: 60 }, (_, index) => `Week ${index + 1}`);
    const { container } = render(
      <BarChart
        label="Weeks"
        points={points}
        series={[{ name: "One", values: points.map(() => 1) }]}
      />,
    );
    const names = container.querySelectorAll(".t-chart-name").length;
    expect(names).toBeGreaterThan(3);
    expect(names).toBeLessThan(15);
  });
});
