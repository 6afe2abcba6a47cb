import { scaleLinear } from "d3-scale";

/** The place of values on the horizontal axis: a name, a moment or a number. */
export type ChartPoint = string | number | Date;

export interface ChartSeries {
  name: string;
  /** One for each point; `null` where there is none. */
  values: readonly (number | null)[];
}

export interface ChartProps<P extends ChartPoint> {
  /** Names the chart, also for screen readers. */
  label: string;
  /** The horizontal axis, in order. */
  points: readonly P[];
  /** Six have colors of their own; more repeat them. */
  series: readonly ChartSeries[];
  /** Default: the number as the language of the browser writes it. */
  formatValue?: (value: number) => string;
  /** Default: a name as it is, a moment as a date. */
  formatPoint?: (point: P) => string;
  /** CSS pixels; default: 240. */
  height?: number;
  /** Shown if there are no values; default: "No data". */
  empty?: string;
}

/** Series with a color of their own. */
export const maxColors = 6;
export const colorOf = (index: number) => `var(--t-chart-${(index % maxColors) + 1})`;

/** Pixels of a character of an axis, at most. */
const characterWidth = 7;
const tickGap = 14;
export const textWidth = (text: string) => text.length * characterWidth;

const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const compact = new Intl.NumberFormat(undefined, {
  notation: "compact",
  maximumSignificantDigits: 3,
});
export const exactNumber = (value: number) => exact.format(value);

const dayMs = 86_400_000;

/** Formats moments: with the time if all are within a few days. */
export function formatMoment(first: Date, last: Date): (point: Date) => string {
  const isShort = Math.abs(last.getTime() - first.getTime()) < 3 * dayMs;
  const format = new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    ...(isShort ? { timeStyle: "short" as const } : {}),
  });
  return (point) => format.format(point);
}

/** Formats the ticks of an axis of moments by the distance between two of them. */
export function formatMomentTicks(ticks: readonly Date[]): (tick: Date) => string {
  const [first, second] = ticks;
  const step = first && second ? second.getTime() - first.getTime() : dayMs;
  const format = new Intl.DateTimeFormat(
    undefined,
    step < 60_000
      ? { hour: "2-digit", minute: "2-digit", second: "2-digit" }
      : step < dayMs
        ? { hour: "2-digit", minute: "2-digit" }
        : step < 28 * dayMs
          ? { month: "short", day: "numeric" }
          : step < 360 * dayMs
            ? { month: "short", year: "numeric" }
            : { year: "numeric" },
  );
  return (tick) => format.format(tick);
}

export function pointFormat<P extends ChartPoint>({
  points,
  formatPoint,
}: Pick<ChartProps<P>, "points" | "formatPoint">): (point: P) => string {
  if (formatPoint) return formatPoint;
  const [first] = points;
  const last = points.at(-1);
  const moment =
    first instanceof Date && last instanceof Date ? formatMoment(first, last) : undefined;
  return (point) =>
    point instanceof Date
      ? (moment?.(point) ?? "")
      : typeof point === "number"
        ? exactNumber(point)
        : point;
}

export interface Tick {
  at: number;
  text: string;
}

export interface ValueAxis {
  /** Pixels from the top of the plot. */
  at(value: number): number;
  ticks: readonly Tick[];
  /** Pixels of the widest text. */
  width: number;
}

/** A vertical axis of round values for these values. Whole numbers have no ticks between them. */
export function valueAxis(
  values: readonly number[],
  { height, zero, format }: { height: number; zero: boolean; format?: (value: number) => string },
): ValueAxis {
  const all = zero ? [0, ...values] : values;
  const low = Math.min(...all);
  const high = Math.max(...all);
  const count = Math.max(2, Math.floor(height / 48));
  const scale = scaleLinear()
    .domain(low === high ? [Math.min(low, 0), Math.max(high, low === 0 ? 1 : 0)] : [low, high])
    .nice(count)
    .range([height, 0]);
  const isWhole = values.every(Number.isInteger);
  const ticks = scale
    .ticks(count)
    .filter((value) => !isWhole || Number.isInteger(value))
    .map((value) => ({ at: scale(value), text: (format ?? compact.format)(value) }));
  return {
    at: (value) => scale(value),
    ticks,
    width: Math.max(0, ...ticks.map(({ text }) => textWidth(text))),
  };
}

/** As many ticks as have space for their texts, at most `width / 60`. */
export function fittingTicks(width: number, ticksOf: (count: number) => readonly Tick[]): Tick[] {
  for (let count = Math.max(1, Math.floor(width / 60)); count > 0; count--) {
    const ticks = ticksOf(count).filter(
      ({ text }, index, all) => index === 0 || text !== all[index - 1]?.text,
    );
    const fits = ticks.every(({ at, text }, index) => {
      const next = ticks[index + 1];
      return !next || next.at - at >= (textWidth(text) + textWidth(next.text)) / 2 + tickGap;
    });
    if (fits) return ticks;
  }
  return ticksOf(1).slice(0, 1);
}

/** The ticks of names at these places, without those that would overlap. */
export function nameTicks(names: readonly string[], at: (index: number) => number): Tick[] {
  const widest = Math.max(...names.map(textWidth)) + tickGap;
  const step = names.length > 1 ? Math.abs(at(1) - at(0)) : Infinity;
  const every = Math.max(1, Math.ceil(widest / step));
  return names
    .map((text, index) => ({ at: at(index), text }))
    .filter((_, index) => index % every === 0);
}

/** Describes a chart in sentences, for screen readers. */
export function describe(
  kind: string,
  { label, series }: Pick<ChartProps<ChartPoint>, "label" | "series">,
  names: readonly string[],
  format: (value: number) => string,
): string {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: no values.`;
    return `${name}: from ${format(Math.min(...known))} to ${format(Math.max(...known))}.`;
  });
  const range = names.length === 1 ? names[0] : `${names[0]} to ${names.at(-1)}`;
  return [`${label}. ${kind}, ${range}.`, ...parts].join(" ");
}
