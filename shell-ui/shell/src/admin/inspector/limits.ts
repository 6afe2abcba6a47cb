/** Milliseconds between two readings of what has no events. */
export const refreshMs = 2000;
/** Points of the chart: two minutes. */
export const maxReadings = 60;
export const maxEvents = 50;
export const maxRows = 20;
