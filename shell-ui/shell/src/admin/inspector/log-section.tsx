import { Badge, EmptyState, RelativeTime, Section, SkeletonRows, TableCard } from "@tenon/ui";
import { ScrollText } from "lucide-react";
import type { LogLevel, LogRecord } from "./inspector-api.ts";

const tones = { debug: undefined, info: "info", warning: "warning", error: "danger" } as const;

/** The newest log lines of a plugin, the newest first. */
export function LogSection({ records }: { records: readonly LogRecord[] | undefined }) {
  return (
    <Section title="Log" description="The last 200 lines of this plugin, as they come.">
      {!records ? (
        <SkeletonRows />
      ) : records.length === 0 ? (
        <EmptyState icon={ScrollText} title="No log lines yet" />
      ) : (
        <TableCard
          label="Log"
          columns={["Time", "Level", "Message"]}
          className="shell-inspector-log"
        >
          {records.toReversed().map((record) => (
            <tr key={record.number}>
              <td>
                <RelativeTime value={record.time} />
              </td>
              <td>
                <Level level={record.level} />
              </td>
              <td>
                {record.message}
                <Details record={record} />
              </td>
            </tr>
          ))}
        </TableCard>
      )}
    </Section>
  );
}

function Level({ level }: { level: LogLevel }) {
  return <Badge tone={tones[level]}>{level}</Badge>;
}

function Details({ record: { fields, route, request_id: request } }: { record: LogRecord }) {
  const entries = Object.entries({
    ...fields,
    ...(route && { route }),
    ...(request && { request }),
  });
  if (entries.length === 0) return null;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
