import { EmptyState, Section, SkeletonRows, TableCard } from "@tenon/ui";
import { Database } from "lucide-react";
import type { StatementRecord } from "./inspector-api.ts";
import { milliseconds } from "./route-metrics.ts";

/** The statements of a plugin, those that took the most time first. */
export function StatementsSection({
  statements,
  leftOut,
}: {
  statements: readonly StatementRecord[] | undefined;
  leftOut: number;
}) {
  return (
    <Section
      title="SQL"
      description="Statements since you opened this page, by their total time. Values are not recorded."
    >
      {!statements ? (
        <SkeletonRows />
      ) : statements.length === 0 ? (
        <EmptyState icon={Database} title="No statements since you opened this page" />
      ) : (
        <TableCard
          label="SQL"
          columns={["Statement", "Runs", "Failed", "Total", "Slowest"]}
          className="shell-inspector-sql"
        >
          {statements.map((one) => (
            <tr key={one.statement}>
              <td>
                <code>{one.statement}</code>
              </td>
              <td>{one.count}</td>
              <td>{one.failed}</td>
              <td>{milliseconds(one.total_ms / 1000)}</td>
              <td>{milliseconds(one.max_ms / 1000)}</td>
            </tr>
          ))}
        </TableCard>
      )}
      {leftOut > 0 && (
        <p className="t-muted">
          {leftOut} runs of further statements were not counted: at most 200 are recorded.
        </p>
      )}
    </Section>
  );
}
