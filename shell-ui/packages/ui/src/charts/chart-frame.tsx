import "../styles/charts.css";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import {
  describe,
  exactNumber,
  pointFormat,
  textWidth,
  valueAxis,
  type ChartPoint,
  type ChartProps,
  type Tick,
  type ValueAxis,
} from "./chart.ts";

const defaultHeight = 240;
/** Pixels of a chart whose page has no layout yet. */
const firstWidth = 640;
const top = 10;
const bottom = 26;
const right = 14;
const axisGap = 8;

/** The plot: what is inside of the axes. */
export interface Plot {
  width: number;
  height: number;
  values: ValueAxis;
  names: readonly string[];
  /** Index of the point that the pointer or the keyboard is on. */
  active: number | null;
}

/** How a kind of chart draws into the plot. */
export interface Drawing {
  /** Pixels from the left of the plot. */
  at(index: number): number;
  ticks: readonly Tick[];
  marks: ReactNode;
}

interface ChartFrameProps<P extends ChartPoint> {
  chart: ChartProps<P>;
  kind: string;
  /** Whether the vertical axis includes zero. */
  zero: boolean;
  /** The values that the vertical axis must include. */
  extent: readonly number[];
  /** The mark of a series in the legend and the tooltip. */
  swatch(series: number): ReactNode;
  draw(plot: Plot): Drawing;
}

function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(firstWidth);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth || firstWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Axes, legend, tooltip, keyboard and texts of all charts. */
export function ChartFrame<P extends ChartPoint>(props: ChartFrameProps<P>) {
  const { chart, swatch } = props;
  const { label, series, height = defaultHeight, empty = "No data" } = chart;
  if (chart.points.length === 0 || props.extent.length === 0) {
    return (
      <div
        className="t-chart-empty"
        role="img"
        aria-label={`${label}: ${empty}`}
        style={{ blockSize: height }}
      >
        {empty}
      </div>
    );
  }
  return (
    <div className="t-chart">
      {series.length > 1 && (
        <ul className="t-chart-legend">
          {series.map(({ name }, index) => (
            <li key={name}>
              <Swatch>{swatch(index)}</Swatch>
              {name}
            </li>
          ))}
        </ul>
      )}
      <ChartPlot {...props} />
    </div>
  );
}

function Swatch({ children }: { children: ReactNode }) {
  return (
    <svg className="t-chart-swatch" width={18} height={12} viewBox="-9 -6 18 12" aria-hidden>
      {children}
    </svg>
  );
}

function ChartPlot<P extends ChartPoint>({
  chart,
  kind,
  zero,
  extent,
  swatch,
  draw,
}: ChartFrameProps<P>) {
  const { label, points, series, formatValue, height = defaultHeight } = chart;
  const { ref, width } = useWidth();
  const [hovered, setHovered] = useState<number | null>(null);
  const [cursor, setCursor] = useState(0);
  const [focused, setFocused] = useState(false);
  const last = points.length - 1;
  const active =
    hovered !== null ? Math.min(hovered, last) : focused ? Math.min(cursor, last) : null;

  const names = points.map(pointFormat(chart));
  const format = formatValue ?? exactNumber;
  const inner = height - top - bottom;
  const values = valueAxis(extent, { height: inner, zero, format: formatValue });
  const left = values.width + axisGap;
  const plotWidth = Math.max(1, width - left - right);
  const base = values.at(0);
  const { at, ticks, marks } = draw({ width: plotWidth, height: inner, values, names, active });

  const rowOf = (index: number) =>
    series.map(({ name, values: all }) => ({
      name,
      text: all[index] == null ? "–" : format(all[index]),
    }));
  const nearest = (x: number) => {
    let found = 0;
    for (let index = 1; index < points.length; index++)
      if (Math.abs(at(index) - x) < Math.abs(at(found) - x)) found = index;
    return found;
  };

  return (
    <div
      ref={ref}
      className="t-chart-plot"
      style={{ blockSize: height }}
      onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        setHovered(nearest(event.clientX - box.left - left));
      }}
      onPointerLeave={() => setHovered(null)}
    >
      <svg
        role="img"
        aria-label={describe(kind, chart, names, format)}
        width={width}
        height={height}
      >
        <g transform={`translate(${left},${top})`}>
          {values.ticks.map((tick) => (
            <g key={tick.at} className="t-chart-tick" transform={`translate(0,${tick.at})`}>
              <line x2={plotWidth} />
              <text x={-axisGap} dy="0.32em" textAnchor="end">
                {tick.text}
              </text>
            </g>
          ))}
          {ticks.map((tick) => (
            <text
              key={tick.at}
              className="t-chart-name"
              x={Math.max(
                textWidth(tick.text) / 2 - left,
                Math.min(tick.at, plotWidth + right - textWidth(tick.text) / 2),
              )}
              y={inner + 18}
              textAnchor="middle"
            >
              {tick.text}
            </text>
          ))}
          {marks}
          {base >= 0 && base <= inner && (
            <line className="t-chart-base" x2={plotWidth} y1={base} y2={base} />
          )}
        </g>
      </svg>
      <input
        type="range"
        className="t-chart-cursor"
        aria-label={`Points of ${label}`}
        aria-valuetext={[
          names[Math.min(cursor, last)],
          ...rowOf(Math.min(cursor, last)).map(({ name, text }) => `${name} ${text}`),
        ].join(", ")}
        min={0}
        max={last}
        value={Math.min(cursor, last)}
        onChange={(event) => setCursor(event.target.valueAsNumber)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      />
      {active !== null && (
        <div
          className="t-chart-tip"
          aria-hidden
          data-side={at(active) > plotWidth / 2 ? "left" : undefined}
          style={{ left: left + at(active), top }}
        >
          <strong>{names[active]}</strong>
          {rowOf(active).map(({ name, text }, index) => (
            <div key={name}>
              <Swatch>{swatch(index)}</Swatch>
              <span>{name}</span>
              <span>{text}</span>
            </div>
          ))}
        </div>
      )}
      <div className="t-visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <td />
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name, index) => (
              // Names may repeat.
              <tr key={index}>
                <th scope="row">{name}</th>
                {rowOf(index).map(({ name: of, text }) => (
                  <td key={of}>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
