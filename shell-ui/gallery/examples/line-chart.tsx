import { LineChart } from "@tenon/ui/charts";

const days = Array.from({ length: 14 }, (_, index) => new Date(2027, 2, 1 + index));
const opened = [4, 6, 5, 9, 12, 3, 2, 8, 11, 10, 14, 16, 5, 4];
const done = [2, 3, 6, 5, 9, 4, 1, 6, 8, 12, 11, 13, 7, 3];
const hours = [1.5, 2, 2.5, null, null, 1, 0.5, 3, 3.5, 3, 4, 4.5, 2, 1];

export default function Example() {
  return (
    <div className="t-form">
      <LineChart
        label="Cards per day"
        points={days}
        series={[
          { name: "Opened", values: opened },
          { name: "Done", values: done },
        ]}
      />
      <LineChart
        label="Hours per day"
        points={days}
        series={[{ name: "Hours", values: hours }]}
        formatValue={(value) => `${value} h`}
        height={180}
      />
      <LineChart label="Hours of the next week" points={[]} series={[]} height={120} />
    </div>
  );
}
