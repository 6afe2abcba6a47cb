import { describe, expect, it } from "vitest";
import {
  milliseconds,
  ratesOf,
  readLoad,
  routeMetrics,
} from "../src/admin/inspector/route-metrics.ts";

const text = `# HELP tenon_http_requests_total Requests.
# TYPE tenon_http_requests_total counter
tenon_http_requests_total{plugin="links",route="/api/links/links/{id}",method="GET",status="2xx"} 90
tenon_http_requests_total{plugin="links",route="/api/links/links/{id}",method="GET",status="5xx"} 10
tenon_http_requests_total{plugin="links",route="/api/links/go",method="POST",status="2xx"} 1
tenon_http_requests_total{plugin="notes",route="/api/notes/notes",method="GET",status="2xx"} 7
tenon_http_request_duration_seconds_bucket{plugin="links",route="/api/links/links/{id}",method="GET",le="0.001"} 50
tenon_http_request_duration_seconds_bucket{plugin="links",route="/api/links/links/{id}",method="GET",le="0.01"} 96
tenon_http_request_duration_seconds_bucket{plugin="links",route="/api/links/links/{id}",method="GET",le="+Inf"} 100
tenon_http_request_duration_seconds_sum{plugin="links",route="/api/links/links/{id}",method="GET"} 0.4
tenon_http_request_duration_seconds_count{plugin="links",route="/api/links/links/{id}",method="GET"} 100
`;

describe("routeMetrics", () => {
  it("sums requests and times by route", () => {
    expect(routeMetrics(text, "links")).toEqual([
      {
        method: "GET",
        route: "/api/links/links/{id}",
        requests: 100,
        errors: 10,
        mean: 0.004,
        p95: 0.01,
      },
      { method: "POST", route: "/api/links/go", requests: 1, errors: 0, mean: 0, p95: 0 },
    ]);
  });

  it("is empty for a plugin without requests", () => {
    expect(routeMetrics(text, "tasks")).toEqual([]);
  });
});

describe("ratesOf", () => {
  const at = (second: number) => new Date(second * 1000);

  it("divides differences by the time between readings", () => {
    const load = readLoad(routeMetrics(text, "links"), at(0));
    expect(load).toMatchObject({ requests: 101, errors: 10 });
    const later = { ...load, time: at(2), requests: 111, errors: 12 };
    expect(ratesOf([load, later])).toEqual([{ time: at(2), requests: 5, errors: 1 }]);
  });

  it("counts from zero after a restart", () => {
    const before = { time: at(0), requests: 100, errors: 3, mean: 0 };
    const after = { time: at(1), requests: 7, errors: 0, mean: 0 };
    expect(ratesOf([before, after])).toEqual([{ time: at(1), requests: 7, errors: 0 }]);
  });
});

describe("milliseconds", () => {
  it("has three digits", () => {
    expect(milliseconds(0.0012345)).toBe("1.23 ms");
    expect(milliseconds(Infinity)).toBe("longer");
  });
});
