/** The counters of one route of a plugin in `/metrics`, since the server started. */
export interface RouteMetrics {
  method: string;
  route: string;
  requests: number;
  /** Responses with a status of 500 or more. */
  errors: number;
  /** Seconds. */
  mean: number;
  /** Upper bound of the fastest 95 % of requests, in seconds; Infinity beyond the last bucket. */
  p95: number;
}

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Samples of a text in the format of Prometheus. */
function* samplesOf(text: string): Generator<Sample> {
  for (const line of text.split("\n")) {
    const [, name, list = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name || !value) continue;
    const labels: Record<string, string> = {};
    for (const [, key = "", label = ""] of list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      labels[key] = label.replace(/\\(.)/g, (_, letter: string) =>
        letter === "n" ? "\n" : letter,
      );
    yield { name, labels, value: value === "+Inf" ? Infinity : Number(value) };
  }
}

const duration = "tenon_http_request_duration_seconds";

/** The routes of a plugin, those with the most requests first. */
export function routeMetrics(text: string, plugin: string): RouteMetrics[] {
  const routes = new Map<string, RouteMetrics & { sum: number; buckets: [number, number][] }>();
  for (const { name, labels, value } of samplesOf(text)) {
    const { method = "", route = "", status = "", le = "" } = labels;
    if (labels.plugin !== plugin || !route) continue;
    const key = `${method} ${route}`;
    const one = routes.get(key) ?? {
      method,
      route,
      requests: 0,
      errors: 0,
      mean: 0,
      p95: 0,
      sum: 0,
      buckets: [],
    };
    routes.set(key, one);
    if (name === "tenon_http_requests_total") {
      one.requests += value;
      if (status.startsWith("5")) one.errors += value;
    }
    if (name === `${duration}_sum`) one.sum = value;
    if (name === `${duration}_bucket`)
      one.buckets.push([le === "+Inf" ? Infinity : Number(le), value]);
  }
  return [...routes.values()]
    .map(({ sum, buckets, ...one }) => {
      const sorted = buckets.sort(([left], [right]) => left - right);
      const count = sorted.at(-1)?.[1] ?? 0;
      const p95 = sorted.find(([, below]) => below >= count * 0.95)?.[0] ?? 0;
      return { ...one, mean: count ? sum / count : 0, p95: count ? p95 : 0 };
    })
    .sort((left, right) => right.requests - left.requests);
}

const number = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** "1.2 ms" */
export function milliseconds(seconds: number): string {
  return Number.isFinite(seconds) ? `${number.format(seconds * 1000)} ms` : "longer";
}
