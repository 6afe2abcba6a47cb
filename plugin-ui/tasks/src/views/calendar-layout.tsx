import { Button, IconButton, phone, useMediaQuery } from "@tenon/ui";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo } from "react";
import { Link, useLocation, useSearchParams } from "react-router";
import {
  addMonths,
  dateOf,
  dueTone,
  monthDays,
  today as todayIs,
  wholeDayText,
} from "../model/days.ts";
import { cardPath } from "../model/location.ts";
import type { BoardData, CardRow } from "../model/types.ts";
import "../styles/calendar.css";

const monthTitle = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const weekdayTitle = new Intl.DateTimeFormat(undefined, { weekday: "short" });

/** A month of due days. */
export function CalendarLayout({ data }: { data: BoardData }) {
  const [params, setParams] = useSearchParams();
  const isPhone = useMediaQuery(phone);
  const today = todayIs();
  const asked = params.get("month") ?? "";
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : today.slice(0, 7);
  const go = (next: string) => {
    const changed = new URLSearchParams(params);
    if (next === today.slice(0, 7)) changed.delete("month");
    else changed.set("month", next);
    setParams(changed, { replace: true });
  };
  const days = useMemo(() => monthDays(month), [month]);
  const byDay = useMemo(() => {
    const all = new Map<string, CardRow[]>();
    for (const card of data.shown)
      if (card.due !== null) all.set(card.due, [...(all.get(card.due) ?? []), card]);
    return all;
  }, [data.shown]);
  const without = data.shown.filter(({ due }) => due === null).length;
  const weeks = Array.from({ length: days.length / 7 }, (_, week) =>
    days.slice(week * 7, week * 7 + 7),
  );
  return (
    <div className="tasks-calendar">
      <header>
        <h2 aria-live="polite">{monthTitle.format(dateOf(`${month}-01`))}</h2>
        <IconButton
          icon={ChevronLeft}
          label="Previous month"
          onClick={() => go(addMonths(month, -1))}
        />
        <IconButton
          icon={ChevronRight}
          label="Next month"
          onClick={() => go(addMonths(month, 1))}
        />
        <Button size="small" onClick={() => go(today.slice(0, 7))}>
          Today
        </Button>
        {without > 0 && (
          <span className="t-muted">
            {without === 1 ? "1 card has" : `${without.toLocaleString()} cards have`} no due date
          </span>
        )}
      </header>
      {isPhone ? (
        <Agenda days={days.filter((day) => day.startsWith(month))} byDay={byDay} data={data} />
      ) : (
        <table>
          <thead>
            <tr>
              {days.slice(0, 7).map((day) => (
                <th key={day} scope="col">
                  {weekdayTitle.format(dateOf(day))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0]}>
                {week.map((day) => (
                  <td
                    key={day}
                    data-outside={!day.startsWith(month) || undefined}
                    data-today={day === today || undefined}
                  >
                    <span className="tasks-day" title={wholeDayText(day)}>
                      {Number(day.slice(8))}
                    </span>
                    <DayCards cards={byDay.get(day) ?? []} data={data} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function DayCards({ cards, data }: { cards: readonly CardRow[]; data: BoardData }) {
  const { search } = useLocation();
  const done = new Set(data.columns.filter((column) => column.done).map(({ id }) => id));
  if (cards.length === 0) return null;
  return (
    <ul>
      {cards.map((card) => (
        <li key={card.id}>
          <Link
            to={cardPath(data.board, card.id) + search}
            className="tasks-day-card"
            data-tone={dueTone(card.due ?? "", done.has(card.column))}
            title={card.title}
          >
            {card.title}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Agenda({
  days,
  byDay,
  data,
}: {
  days: readonly string[];
  byDay: ReadonlyMap<string, readonly CardRow[]>;
  data: BoardData;
}) {
  const full = days.filter((day) => byDay.has(day));
  if (full.length === 0) return <p className="t-muted tasks-agenda">Nothing is due this month.</p>;
  return (
    <div className="tasks-agenda">
      {full.map((day) => (
        <section key={day}>
          <h3>{wholeDayText(day)}</h3>
          <DayCards cards={byDay.get(day) ?? []} data={data} />
        </section>
      ))}
    </div>
  );
}
