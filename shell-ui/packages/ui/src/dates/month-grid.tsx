import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { Calendar, CalendarCell, CalendarGrid } from "react-aria-components/Calendar";
import { Heading } from "react-aria-components/Heading";
import "../styles/aria.css";

/** A month; takes its value from the picker around it. */
export function MonthGrid() {
  return (
    <Calendar className="t-aria-calendar">
      <header>
        <Button slot="previous" className="t-button" data-variant="ghost" data-icon-only>
          <ChevronLeft size={16} />
        </Button>
        <Heading />
        <Button slot="next" className="t-button" data-variant="ghost" data-icon-only>
          <ChevronRight size={16} />
        </Button>
      </header>
      <CalendarGrid>{(date) => <CalendarCell date={date} />}</CalendarGrid>
    </Calendar>
  );
}
