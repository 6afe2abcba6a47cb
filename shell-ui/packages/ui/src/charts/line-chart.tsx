import { scaleLinear, scalePoint, scaleTime } from "d3-scale";
import { area, line, symbol, symbolsFill } from "d3-shape";
import { ChartFrame, type Drawing, type Plot } from "./chart-frame.tsx";
import {
  colorOf,
  exactNumber,
  fittingTicks,
  formatMomentTicks,
  nameTicks,
  type ChartPoint,
  type ChartProps,
  type Tick,
} from "./chart.ts";

export interface LineChartProps<P extends ChartPoint> extends ChartProps<P> {
  /** Whether the vertical axis includes zero; default: true. */
  zero?: boolean;
}

/** Points with marks of their own; beyond, only the line is drawn. */
const maxMarks = 32;
const markSize = 36;

/** A series is known by its mark too, not only by its color. */
const markOf = (index: number, size = markSize) =>
  symbol(symbolsFill[index % symbolsFill.length], size)() ?? undefined;

function horizontalAxis(
  points: readonly ChartPoint[],
  { width, names }: Plot,
): { at(index: number): number; ticks: Tick[] } {
  const ends = [points[0], points.at(-1)];
  if (points.every((point) => point instanceof Date)) {
    const scale = scaleTime()
      .domain(ends as Date[])
      .range([0, width]);
    return {
      at: (index) => scale(points[index] ?? 0),
      ticks: fittingTicks(width, (count) => {
        const ticks = points.length === 1 ? points : scale.ticks(count);
        const format = formatMomentTicks(ticks);
        return ticks.map((tick) => ({ at: scale(tick), text: format(tick) }));
      }),
    };
  }
  if (points.every((point) => typeof point === "number")) {
    const scale = scaleLinear()
      .domain(ends as number[])
      .range([0, width]);
    return {
      at: (index) => scale(points[index] ?? 0),
      ticks: fittingTicks(width, (count) =>
        scale.ticks(count).map((tick) => ({ at: scale(tick), text: exactNumber(tick) })),
      ),
    };
  }
  const scale = scalePoint<number>()
    .domain(points.keys())
    .range([0, width])
    .padding(Math.min(0.5, points.length > 12 ? 0.2 : 0.5));
  const at = (index: number) => scale(index) ?? 0;
  return { at, ticks: nameTicks(names, at) };
}

/** Values over time, or over another order of points. */
export function LineChart<P extends ChartPoint>({ zero = true, ...chart }: LineChartProps<P>) {
  const { points } = chart;
  const series = chart.series.map((one) => ({
    ...one,
    values: one.values.slice(0, points.length),
  }));
  const draw = (plot: Plot): Drawing => {
    const { height, values, active } = plot;
    const { at, ticks } = horizontalAxis(points, plot);
    const y = (value: number | null) => values.at(value ?? 0);
    const path = line<number | null>((_, index) => at(index), y).defined((value) => value !== null);
    const surface = area<number | null>((_, index) => at(index), values.at(0), y).defined(
      (value) => value !== null,
    );
    const marks = (
      <>
        {series.length === 1 && zero && series[0] && (
          <path className="t-chart-area" d={surface(series[0].values) ?? ""} fill={colorOf(0)} />
        )}
        {active !== null && (
          <line className="t-chart-cross" x1={at(active)} x2={at(active)} y2={height} />
        )}
        {series.map(({ name, values: all }, one) => (
          <g key={name}>
            <path className="t-chart-line" d={path(all) ?? ""} stroke={colorOf(one)} />
            {all.map((value, index) => {
              const isAlone = all[index - 1] == null && all[index + 1] == null;
              if (value === null) return null;
              if (points.length > maxMarks && index !== active && !isAlone) return null;
              return (
                <path
                  key={index}
                  className="t-chart-mark"
                  d={markOf(one, index === active ? markSize * 2 : markSize)}
                  fill={colorOf(one)}
                  transform={`translate(${at(index)},${y(value)})`}
                />
              );
            })}
          </g>
        ))}
      </>
    );
    return { at, ticks, marks };
  };
  return (
    <ChartFrame
      chart={{ ...chart, series }}
      kind="Line chart"
      zero={zero}
      extent={series.flatMap(({ values }) => values.filter((value) => value !== null))}
      swatch={(index) => (
        <>
          <path className="t-chart-line" d="M-9,0H9" stroke={colorOf(index)} />
          <path className="t-chart-mark" d={markOf(index)} fill={colorOf(index)} />
        </>
      )}
      draw={draw}
    />
  );
}
