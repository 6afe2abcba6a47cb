import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Card,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  StatTile,
  StatTiles,
  TableCard,
} from "@tenon/ui";
import { LineChart } from "@tenon/ui/charts";
import { Activity } from "lucide-react";
import { maxReadings, refreshMs } from "./limits.ts";
import {
  milliseconds,
  ratesOf,
  readLoad,
  routeMetrics,
  type LoadReading,
  type RouteMetrics,
} from "./route-metrics.ts";

const number = new Intl.NumberFormat();

async function readMetrics(signal: AbortSignal): Promise<string> {
  const response = await fetch("/metrics", { signal });
  if (!response.ok) throw new Error(`The server returned ${response.status} for /metrics.`);
  return response.text();
}

/** The routes now, and the numbers of requests at the last readings. */
interface Readings {
  routes: readonly RouteMetrics[];
  loads: readonly LoadReading[];
}

/** The routes of a plugin with their requests, errors and times. */
export function RoutesSection({ plugin }: { plugin: string }) {
  const queries = useQueryClient();
  const queryKey = ["core", "metrics", plugin];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Readings> => {
      const routes = routeMetrics(await readMetrics(signal), plugin);
      const before = queries.getQueryData<Readings>(queryKey)?.loads ?? [];
      return { routes, loads: [...before, readLoad(routes)].slice(-maxReadings) };
    },
    refetchInterval: refreshMs,
  });
  const routes = data?.routes;
  return (
    <Section title="Routes" description="Requests since the server started, with their times.">
      {error && !data ? (
        <ErrorState
          error={error}
          title="Could not load the metrics"
          onRetry={() => void refetch()}
        />
      ) : !routes ? (
        <SkeletonRows />
      ) : routes.length === 0 ? (
        <EmptyState icon={Activity} title="No requests yet" />
      ) : (
        <>
          <Load loads={data?.loads ?? []} />
          <TableCard label="Routes" columns={["Route", "Requests", "Errors", "Mean", "95 %"]}>
            {routes.map(({ method, route, requests, errors, mean, p95 }) => (
              <tr key={`${method} ${route}`}>
                <td>
                  <code>
                    {method} {route}
                  </code>
                </td>
                <td>{requests}</td>
                <td>{errors}</td>
                <td>{requests > 0 ? milliseconds(mean) : "–"}</td>
                <td>{requests > 0 ? milliseconds(p95) : "–"}</td>
              </tr>
            ))}
          </TableCard>
        </>
      )}
    </Section>
  );
}

function Load({ loads }: { loads: readonly LoadReading[] }) {
  const rates = ratesOf(loads);
  const last = loads.at(-1);
  return (
    <>
      <StatTiles>
        <StatTile label="Requests" value={number.format(last?.requests ?? 0)} />
        <StatTile
          label="Errors"
          value={number.format(last?.errors ?? 0)}
          tone={last && last.errors > 0 ? "danger" : undefined}
        />
        <StatTile label="Mean time" value={milliseconds(last?.mean ?? 0)} />
      </StatTiles>
      <Card className="shell-inspector-load">
        <LineChart
          label="Requests per second"
          points={rates.map(({ time }) => time)}
          series={[
            { name: "Requests per second", values: rates.map(({ requests }) => requests) },
            { name: "Errors per second", values: rates.map(({ errors }) => errors) },
          ]}
          formatPoint={(time) => time.toLocaleTimeString()}
          height={180}
          empty="Measuring requests per second…"
        />
      </Card>
    </>
  );
}
