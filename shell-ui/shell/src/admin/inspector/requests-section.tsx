import { useQuery } from "@tanstack/react-query";
import { Badge, EmptyState, RelativeTime, Section, SkeletonRows, TableCard } from "@tenon/ui";
import { ArrowLeftRight } from "lucide-react";
import { readUsers, usersKey } from "../console-api.ts";
import type { RequestRecord, RequestSpan } from "./inspector-api.ts";
import { milliseconds } from "./route-metrics.ts";

/** The newest requests of a plugin with their parts, the newest first. */
export function RequestsSection({ requests }: { requests: readonly RequestRecord[] | undefined }) {
  const { data: users } = useQuery({
    queryKey: usersKey,
    queryFn: ({ signal }) => readUsers(signal),
  });
  const loginOf = (id: string) => users?.find((user) => user.id === id)?.login ?? id;
  return (
    <Section
      title="Requests"
      description="The last 100 requests since you opened this page. Bodies, queries and values are not recorded."
    >
      {!requests ? (
        <SkeletonRows />
      ) : requests.length === 0 ? (
        <EmptyState icon={ArrowLeftRight} title="No requests since you opened this page" />
      ) : (
        <TableCard
          label="Requests"
          columns={["Time", "Request", "Status", "User", "Duration"]}
          className="shell-inspector-requests"
        >
          {requests.toReversed().map((request) => (
            <tr key={request.number}>
              <td>
                <RelativeTime value={request.time} />
              </td>
              <td>
                <details>
                  <summary>
                    <code>
                      {request.method} {request.path}
                    </code>
                  </summary>
                  <Trace request={request} />
                </details>
              </td>
              <td>
                <Badge tone={toneOf(request.status)}>{request.status}</Badge>
              </td>
              <td>{request.user ? loginOf(request.user) : "–"}</td>
              <td>{milliseconds(request.duration_ms / 1000)}</td>
            </tr>
          ))}
        </TableCard>
      )}
    </Section>
  );
}

function toneOf(status: number) {
  return status >= 500 ? "danger" : status >= 400 ? "warning" : "success";
}

function Trace({ request }: { request: RequestRecord }) {
  return (
    <>
      <p className="t-muted">Request {request.request_id}</p>
      {request.spans.length > 0 && (
        <ol>
          {request.spans.map((span, index) => (
            <Part key={index} span={span} total={request.duration_ms} />
          ))}
        </ol>
      )}
      {request.left_out_spans > 0 && (
        <p className="t-muted">{request.left_out_spans} further parts were not recorded.</p>
      )}
    </>
  );
}

function Part({ span, total }: { span: RequestSpan; total: number }) {
  return (
    <li>
      <span>{span.name}</span>
      <span>{milliseconds(span.duration_ms / 1000)}</span>
      {/* The name and the time have the facts. */}
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect
          x={Math.min(99, Math.max(0, (span.begin_ms / total) * 100))}
          width={Math.max(1, (span.duration_ms / total) * 100)}
          height="4"
        />
      </svg>
      {span.statement && <code>{span.statement}</code>}
      {span.failed && <Badge tone="danger">failed</Badge>}
    </li>
  );
}
