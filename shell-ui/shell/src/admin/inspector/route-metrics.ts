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

/** All routes of a plugin together, when they were read. */
export interface LoadReading {
  time: Date;
  /** Since the server started. */
  requests: number;
  errors: number;
  /** Seconds. */
  mean: number;
}

export function readLoad(routes: readonly RouteMetrics[], time = new Date()): LoadReading {
  const requests = routes.reduce((sum, route) => sum + route.requests, 0);
  const spent = routes.reduce((sum, route) => sum + route.requests * route.mean, 0);
  return {
    time,
    requests,
    errors: routes.reduce((sum, route) => sum + route.errors, 0),
    mean: requests > 0 ? spent / requests : 0,
  };
}

/** Requests and errors per second between readings. A server that was restarted counts from zero. */
export function ratesOf(
  readings: readonly LoadReading[],
): { time: Date; requests: number; errors: number }[] {
  return readings.slice(1).map(({ time, requests, errors }, index) => {
    const before = readings[index] ?? { time, requests: 0, errors: 0 };
    const seconds = Math.max((time.getTime() - before.time.getTime()) / 1000, 0.001);
    const rate = (now: number, then: number) => (now < then ? now : now - then) / seconds;
    return {
      time,
      requests: rate(requests, before.requests),
      errors: rate(errors, before.errors),
    };
  });
}

const number = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** "1.2 ms" */
export function milliseconds(seconds: number): string {
  return Number.isFinite(seconds) ? `${number.format(seconds * 1000)} ms` : "longer";
}
