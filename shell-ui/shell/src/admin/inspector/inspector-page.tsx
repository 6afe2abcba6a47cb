import "../../styles/list-pages.css";
import "./inspector.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useServerEvent, type ServerEvent } from "@tenon/host";
import {
  Card,
  clientFor,
  EmptyState,
  ErrorState,
  Page,
  RelativeTime,
  Section,
  SegmentedControl,
  SkeletonRows,
  StatTile,
  StatTiles,
  TableCard,
  type ListPage,
} from "@tenon/ui";
import { LineChart } from "@tenon/ui/charts";
import { Activity, Table2, Zap } from "lucide-react";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { QueryScope } from "../../data/query-scope.tsx";
import { JobStateBadge } from "../jobs/job-parts.tsx";
import { jobsKey, readJobs } from "../jobs/jobs-api.ts";
import { useLiveJobs } from "../jobs/use-jobs.ts";
import { usePlugins } from "../plugins/use-plugins.ts";
import {
  milliseconds,
  ratesOf,
  readLoad,
  routeMetrics,
  type LoadReading,
  type RouteMetrics,
} from "./route-metrics.ts";

const refreshMs = 2000;
/** Two minutes. */
const maxReadings = 60;
const maxEvents = 50;
const maxRows = 20;
const number = new Intl.NumberFormat();

/** Shows an author what a plugin does: its routes with their times, rows, jobs and events. */
export default function InspectorPage() {
  return (
    <QueryScope>
      <Inspector />
    </QueryScope>
  );
}

function Inspector() {
  const { id = "" } = useParams();
  const { data } = usePlugins();
  const plugin = data?.items.find((other) => other.id === id);
  const name = plugin?.name ?? id;
  const breadcrumbs = [
    { title: "Plugins", to: "/settings/plugins" },
    { title: name, to: `/settings/plugins/${id}` },
  ];
  return (
    <Page title="Inspector" breadcrumbs={breadcrumbs}>
      <div className="shell-sections">
        <RoutesSection plugin={id} />
        <TablesSection plugin={id} tables={plugin?.tables ?? []} />
        <JobsSection plugin={id} />
      </div>
    </Page>
  );
}

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

function RoutesSection({ plugin }: { plugin: string }) {
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

type Row = Record<string, unknown> & { id: string };

function TablesSection({ plugin, tables }: { plugin: string; tables: readonly string[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const table = chosen ?? tables[0];
  if (!table) return null;
  return (
    <Section
      title="Tables"
      description="The newest records as you see them: the access rules of the table apply to you."
    >
      <div className="shell-scroll">
        <SegmentedControl
          label="Table"
          value={table}
          onChange={setChosen}
          options={tables.map((name) => ({ value: name, label: name }))}
        />
      </div>
      <Rows key={table} plugin={plugin} table={table} />
    </Section>
  );
}

function Rows({ plugin, table }: { plugin: string; table: string }) {
  const api = clientFor(`/api/${plugin}`);
  const { data, error, refetch } = useQuery({
    queryKey: ["core", "inspector", plugin, table],
    queryFn: ({ signal }) =>
      api.get<ListPage<Row> & { total: number; total_is?: string }>(table, {
        query: { limit: maxRows, count: "true" },
        signal,
      }),
    refetchInterval: refreshMs,
    retry: false,
  });
  if (error)
    return (
      <ErrorState
        error={error}
        title={`Could not load the records of ${table}`}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <SkeletonRows />;
  const columns = [...new Set(data.items.flatMap((row) => Object.keys(row)))];
  return (
    <>
      <p className="t-muted">
        {data.total_is === "at_least" && "At least "}
        {data.total} {data.total === 1 ? "record" : "records"}
      </p>
      {data.items.length === 0 ? (
        <EmptyState icon={Table2} title="No records that you may see" />
      ) : (
        <TableCard label="Records" columns={columns} className="shell-inspector-rows">
          {data.items.map((row) => (
            <tr key={row.id}>
              {columns.map((column) => (
                <td key={column}>{shown(row[column])}</td>
              ))}
            </tr>
          ))}
        </TableCard>
      )}
      <Events topic={`${plugin}.${table}`} />
    </>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Events({ topic }: { topic: string }) {
  const [events, setEvents] = useState<readonly (ServerEvent & { at: string })[]>([]);
  useServerEvent(topic, (event) =>
    setEvents((before) =>
      [{ ...event, at: new Date().toISOString() }, ...before].slice(0, maxEvents),
    ),
  );
  return (
    <>
      <h3>Events of {topic}</h3>
      {events.length === 0 ? (
        <EmptyState icon={Zap} title="None since you opened this page" />
      ) : (
        <Card>
          <ol className="shell-inspector-events" aria-label={`Events of ${topic}`}>
            {events.map((event, index) => (
              <li key={events.length - index}>
                <RelativeTime value={event.at} /> <code>{JSON.stringify(event.data)}</code>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </>
  );
}

function JobsSection({ plugin }: { plugin: string }) {
  useLiveJobs();
  const { data } = useQuery({
    queryKey: [...jobsKey, "inspector", plugin],
    queryFn: ({ signal }) => readJobs({ plugin, state: "" }, null, signal),
  });
  const jobs = data?.items.slice(0, maxRows);
  if (!jobs || jobs.length === 0) return null;
  return (
    <Section title="Jobs" description="The newest jobs of this plugin.">
      <TableCard label="Jobs" columns={["Kind", "State", "Created", "Error"]}>
        {jobs.map((job) => (
          <tr key={job.id}>
            <td>
              <Link to={`/settings/jobs/${job.id}`}>{job.kind}</Link>
            </td>
            <td>
              <JobStateBadge job={job} />
            </td>
            <td>
              <RelativeTime value={job.created} />
            </td>
            <td>{job.error}</td>
          </tr>
        ))}
      </TableCard>
    </Section>
  );
}
