import { useSyncExternalStore } from "react";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "3 hours ago", "yesterday", "just now". */
export function formatRelative(time: Date, now: Date = new Date()): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  }
  return "just now";
}

/** The exact time, for a tooltip. */
export function formatExact(time: Date): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" }).format(time);
}

const minute = 60_000;
function everyMinute(listener: () => void) {
  const timer = setInterval(listener, minute);
  return () => clearInterval(timer);
}

/** A time as people say it, with the exact one on hover. `value` is RFC 3339. */
export function RelativeTime({ value }: { value: string }) {
  useSyncExternalStore(everyMinute, () => Math.floor(Date.now() / minute));
  const time = new Date(value);
  return (
    <time dateTime={value} title={formatExact(time)}>
      {formatRelative(time)}
    </time>
  );
}
