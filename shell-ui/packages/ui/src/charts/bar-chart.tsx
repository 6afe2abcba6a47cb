import { scaleBand } from "d3-scale";
import { stack, stackOffsetDiverging } from "d3-shape";
import { ChartFrame, type Drawing, type Plot } from "./chart-frame.tsx";
import { colorOf, nameTicks, type ChartPoint, type ChartProps } from "./chart.ts";

export interface BarChartProps<P extends ChartPoint> extends ChartProps<P> {
  /** The series of a point above each other instead of next to each other. */
  stacked?: boolean;
}

interface Bar {
  series: number;
  index: number;
  from: number;
  to: number;
}

function barsOf(
  { points, series }: Pick<ChartProps<ChartPoint>, "points" | "series">,
  stacked: boolean | undefined,
): readonly Bar[] {
  if (!stacked)
    return series.flatMap(({ values }, one) =>
      values
        .slice(0, points.length)
        .flatMap((value, index) =>
          value === null ? [] : [{ series: one, index, from: 0, to: value }],
        ),
    );
  const layers = stack<unknown, number, number>()
    .keys(series.keys())
    .value((index, one) => series[one]?.values[index] ?? 0)
    .offset(stackOffsetDiverging);
  return layers([...points.keys()]).flatMap((layer) =>
    layer.flatMap(([from, to], index) =>
      series[layer.key]?.values[index] == null
        ? []
        : [{ series: layer.key, index, from: Math.min(from, to), to: Math.max(from, to) }],
    ),
  );
}

/** Compares amounts. The vertical axis always includes zero. */
export function BarChart<P extends ChartPoint>({ stacked, ...chart }: BarChartProps<P>) {
  const { points, series } = chart;
  const bars = barsOf(chart, stacked);
  const draw = ({ width, height, values, names, active }: Plot): Drawing => {
    const bands = scaleBand<number>().domain(points.keys()).range([0, width]);
    const slots = scaleBand<number>()
      .domain(stacked ? [0] : series.keys())
      .range([0, bands.bandwidth()])
      .paddingOuter(series.length > 1 && !stacked ? 0.6 : 0.25)
      .paddingInner(0.12);
    const at = (index: number) => (bands(index) ?? 0) + bands.bandwidth() / 2;
    const marks = (
      <>
        {active !== null && (
          <rect
            className="t-chart-band"
            x={bands(active)}
            width={bands.bandwidth()}
            height={height}
          />
        )}
        {bars.map(({ series: one, index, from, to }) => (
          <rect
            key={`${one} ${index}`}
            className="t-chart-bar"
            x={(bands(index) ?? 0) + (slots(stacked ? 0 : one) ?? 0)}
            y={Math.min(values.at(from), values.at(to))}
            width={slots.bandwidth()}
            height={Math.abs(values.at(from) - values.at(to))}
            fill={colorOf(one)}
          />
        ))}
      </>
    );
    return { at, ticks: nameTicks(names, at), marks };
  };
  return (
    <ChartFrame
      chart={chart}
      kind={stacked ? "Stacked bar chart" : "Bar chart"}
      zero
      extent={bars.flatMap(({ from, to }) => [from, to])}
      swatch={(index) => <rect x={-6} y={-5} width={10} height={10} rx={2} fill={colorOf(index)} />}
      draw={draw}
    />
  );
}
