import { parseDate } from "@internationalized/date";
import { Calendar as CalendarIcon } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { DatePicker as AriaDatePicker } from "react-aria-components/DatePicker";
import { Dialog } from "react-aria-components/Dialog";
import { Group } from "react-aria-components/Group";
import { DateInput, DateSegment } from "react-aria-components/DateField";
import { FieldParts, FloatingBox, type AriaFieldProps } from "../aria/parts.tsx";
import { MonthGrid } from "./month-grid.tsx";

export interface DatePickerProps extends AriaFieldProps {
  /** `2026-11-20`. */
  value: string | null;
  onChange(value: string | null): void;
  min?: string;
  max?: string;
}

/** A day, typed or picked, as the person's language writes it. */
export function DatePicker({ value, onChange, min, max, ...field }: DatePickerProps) {
  return (
    <AriaDatePicker
      className="t-field"
      value={value ? parseDate(value) : null}
      onChange={(date) => onChange(date ? date.toString() : null)}
      minValue={min ? parseDate(min) : undefined}
      maxValue={max ? parseDate(max) : undefined}
      isInvalid={Boolean(field.error)}
    >
      <FieldParts {...field}>
        <Group className="t-input t-aria-group">
          <DateInput className="t-aria-date">
            {(segment) => <DateSegment segment={segment} />}
          </DateInput>
          <Button>
            <CalendarIcon size={16} />
          </Button>
        </Group>
      </FieldParts>
      <FloatingBox>
        <Dialog className="t-aria-body">
          <MonthGrid />
        </Dialog>
      </FloatingBox>
    </AriaDatePicker>
  );
}
