import { useQuery } from "@tanstack/react-query";
import { useServerEvent, type ServerEvent } from "@tenon/host";
import {
  Card,
  clientFor,
  EmptyState,
  ErrorState,
  RelativeTime,
  Section,
  SegmentedControl,
  SkeletonRows,
  TableCard,
  type ListPage,
} from "@tenon/ui";
import { Table2, Zap } from "lucide-react";
import { useState } from "react";
import { maxEvents, maxRows, refreshMs } from "./limits.ts";

type Row = Record<string, unknown> & { id: string };

/** The newest records of a plugin's tables, and their events. */
export function TablesSection({ plugin, tables }: { plugin: string; tables: readonly string[] }) {
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
