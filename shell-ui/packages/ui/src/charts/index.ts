export { BarChart, type BarChartProps } from "./bar-chart.tsx";
export type { ChartPoint, ChartProps, ChartSeries } from "./chart.ts";
export { LineChart, type LineChartProps } from "./line-chart.tsx";
