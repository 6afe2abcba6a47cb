/** Days as the server has them, `2026-11-22`, in the person's own time zone. */

export function isoDay(date: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export const today = () => isoDay(new Date());

/** Noon, so that no change of clocks moves it to another day. */
export function dateOf(day: string): Date {
  return new Date(`${day}T12:00:00`);
}

export function addDays(day: string, days: number): string {
  const date = dateOf(day);
  date.setDate(date.getDate() + days);
  return isoDay(date);
}

export type DueTone = "late" | "today" | "soon" | "later" | "done";

/** The highlight of a due day. `soon`: within two days. */
export function dueTone(day: string, isDone: boolean, now: string = today()): DueTone {
  if (isDone) return "done";
  if (day < now) return "late";
  if (day === now) return "today";
  return day <= addDays(now, 2) ? "soon" : "later";
}

const sameYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const otherYear = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });

/** "Today", "Tomorrow", "Yesterday", else day and month. */
export function dayText(day: string, now: string = today()): string {
  if (day === now) return "Today";
  if (day === addDays(now, 1)) return "Tomorrow";
  if (day === addDays(now, -1)) return "Yesterday";
  return (day.slice(0, 4) === now.slice(0, 4) ? sameYear : otherYear).format(dateOf(day));
}

export const wholeDayText = (day: string) => whole.format(dateOf(day));

/** 1 Monday … 7 Sunday: with which day the person's weeks begin. */
export function firstWeekday(locale: string = navigator.language): number {
  const facts = new Intl.Locale(locale) as Intl.Locale & {
    getWeekInfo?(): { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return (facts.getWeekInfo?.() ?? facts.weekInfo)?.firstDay ?? 1;
}

/** The days of whole weeks that show a month, `2026-11`. */
export function monthDays(month: string, first: number = firstWeekday()): string[] {
  const begin = dateOf(`${month}-01`);
  const back = (((begin.getDay() + 6) % 7) + 1 - first + 7) % 7;
  const days: string[] = [];
  let day = addDays(isoDay(begin), -back);
  do {
    for (let count = 0; count < 7; count++, day = addDays(day, 1)) days.push(day);
  } while (day.slice(0, 7) <= month);
  return days;
}

export function addMonths(month: string, months: number): string {
  const date = dateOf(`${month}-01`);
  date.setMonth(date.getMonth() + months);
  return isoDay(date).slice(0, 7);
}
