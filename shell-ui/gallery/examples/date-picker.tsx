import { DatePicker } from "@tenon/ui/dates";
import { useState } from "react";

export default function Example() {
  const [day, setDay] = useState<string | null>("2027-03-14");
  return (
    <div className="g-narrow">
      <DatePicker
        label="Due"
        hint="Cards turn red on the day after."
        value={day}
        onChange={setDay}
      />
    </div>
  );
}
