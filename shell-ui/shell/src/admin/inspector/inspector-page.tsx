import "../../styles/list-pages.css";
import "./inspector.css";
import { ErrorState, Page } from "@tenon/ui";
import { useParams } from "react-router";
import { QueryScope } from "../../data/query-scope.tsx";
import { usePlugins } from "../plugins/use-plugins.ts";
import { AccessSection } from "./access-section.tsx";
import { useRecords } from "./inspector-api.ts";
import { JobsSection } from "./jobs-section.tsx";
import { LogSection } from "./log-section.tsx";
import { RequestsSection } from "./requests-section.tsx";
import { RoutesSection } from "./routes-section.tsx";
import { StatementsSection } from "./statements-section.tsx";
import { TablesSection } from "./tables-section.tsx";

/** Shows an author what a plugin does: its log, requests, SQL, routes, records, events and jobs. */
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
  const tables = plugin?.tables ?? [];
  return (
    <Page title="Inspector" breadcrumbs={breadcrumbs}>
      <div key={id} className="shell-sections">
        <p className="t-muted">
          Log, requests and SQL are those of the server process that serves this page. If several
          servers run, each shows its own.
        </p>
        <PluginRecords plugin={id} />
        <RoutesSection plugin={id} />
        <TablesSection plugin={id} tables={tables} />
        {tables.length > 0 && <AccessSection plugin={id} tables={tables} />}
        <JobsSection plugin={id} />
      </div>
    </Page>
  );
}

function PluginRecords({ plugin }: { plugin: string }) {
  const { recorded, error, refetch } = useRecords(plugin);
  if (error && !recorded)
    return (
      <ErrorState error={error} title="Could not load the log" onRetry={() => void refetch()} />
    );
  return (
    <>
      <LogSection records={recorded?.log} />
      <RequestsSection requests={recorded?.requests} />
      <StatementsSection
        statements={recorded?.statements}
        leftOut={recorded?.left_out_statements ?? 0}
      />
    </>
  );
}
