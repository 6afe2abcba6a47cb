import { useStore } from "@tenon/host";
import {
  Badge,
  Button,
  Card,
  EmptyState,
  ErrorState,
  LinkButton,
  Page,
  RelativeTime,
  Section,
  SkeletonRows,
  TableCard,
  toast,
} from "@tenon/ui";
import { SearchX } from "lucide-react";
import { useParams } from "react-router";
import { Contribution } from "../../contributions/contribution.tsx";
import { QueryScope } from "../../data/query-scope.tsx";
import { useServices } from "../../services.ts";
import type { PluginRecord } from "../console-api.ts";
import { DetailRow } from "../detail-row.tsx";
import { PluginActions } from "./plugin-actions.tsx";
import { PluginMigration, PluginReason, PluginStateBadge, PluginSwitch } from "./plugin-parts.tsx";
import { PublicPaths } from "./public-paths.tsx";
import { PluginSettingsSection } from "./plugin-settings.tsx";
import { Tags } from "./tags.tsx";
import { usePlugins } from "./use-plugins.ts";

const breadcrumbs = [{ title: "Plugins", to: "/settings/plugins" }];

export default function PluginDetailPage() {
  return (
    <QueryScope>
      <Detail />
    </QueryScope>
  );
}

function Detail() {
  const { id = "" } = useParams();
  const { data, error, isPending, refetch } = usePlugins();
  const plugin = data?.items.find((other) => other.id === id);
  if (!plugin) {
    return (
      <Page title={id} breadcrumbs={breadcrumbs}>
        {isPending ? (
          <SkeletonRows />
        ) : error ? (
          <ErrorState
            error={error}
            title="Could not load the plugin"
            onRetry={() => void refetch()}
          />
        ) : (
          <EmptyState
            icon={SearchX}
            title={`Plugin “${id}” not found`}
            action={<LinkButton to="/settings/plugins">All plugins</LinkButton>}
          />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={plugin.name}
      breadcrumbs={breadcrumbs}
      meta={<PluginStateBadge plugin={plugin} />}
      actions={
        <>
          {plugin.state === "active" && (
            <LinkButton to={`/settings/plugins/${plugin.id}/inspector`}>Inspector</LinkButton>
          )}
          <PluginActions plugin={plugin} />
        </>
      }
      primary={<PluginSwitch plugin={plugin} />}
    >
      <PluginMigration plugin={plugin} />
      <PluginReason plugin={plugin} />
      <div className="shell-sections">
        <LastCrash plugin={plugin} />
        <Facts plugin={plugin} />
        <PluginSettingsSection plugin={plugin} />
        <SettingsPanels id={plugin.id} />
        <Permissions plugin={plugin} />
        <PublicPaths plugin={plugin} />
        <Outgoing plugin={plugin} />
        <ResponseHeaders plugin={plugin} />
        <Tables plugin={plugin} />
      </div>
    </Page>
  );
}

/** Settings of its own that the plugin shows next to those of plugin.json. */
function SettingsPanels({ id }: { id: string }) {
  const { plugins } = useStore(useServices().registry.store);
  const plugin = plugins.find((other) => other.id === id);
  return plugin?.contributions?.["settings.panels"]?.map((entry) => (
    <Contribution key={entry.id} point="settings.panels" plugin={plugin} entry={entry} />
  ));
}

/** What the plugin did when it crashed the server before this one, for its author. */
function LastCrash({ plugin: { id, version, last_crash: crash } }: { plugin: PluginRecord }) {
  if (!crash) return null;
  const report = [
    `Plugin: ${id}`,
    `Installed version: ${version}`,
    `Time: ${crash.time}`,
    `Ended by: ${crash.by}`,
    `During: ${crash.operation}`,
    ...crash.trace,
  ].join("\n");
  const copy = () =>
    void navigator.clipboard.writeText(report).then(
      () => toast("Crash report copied"),
      () => toast("Could not copy the crash report", { tone: "danger" }),
    );
  return (
    <Section
      title="Last crash"
      description="Send this to the author of the plugin."
      // Browsers have a clipboard on HTTPS and on this computer alone.
      action={"clipboard" in navigator && <Button onClick={copy}>Copy report</Button>}
    >
      <Card>
        <dl className="shell-facts shell-crash-facts">
          <DetailRow name="Time">
            <RelativeTime value={crash.time} />
          </DetailRow>
          <DetailRow name="Ended by">{crash.by}</DetailRow>
          <DetailRow name="During">{crash.operation}</DetailRow>
          {crash.request && (
            <DetailRow name="Request">
              <code>{crash.request}</code>
            </DetailRow>
          )}
        </dl>
        {crash.trace.length > 0 && (
          <pre className="shell-crash" tabIndex={0} aria-label="Stack">
            {crash.trace.join("\n")}
          </pre>
        )}
      </Card>
    </Section>
  );
}

const number = new Intl.NumberFormat();

function Facts({ plugin }: { plugin: PluginRecord }) {
  const {
    description,
    version,
    author,
    id,
    abi,
    routes,
    requests,
    errors,
    generation,
    resident,
    signer,
    previous,
  } = plugin;
  return (
    <Section title="About" description={description}>
      <Card>
        <dl className="shell-facts">
          <DetailRow name="Version">{version}</DetailRow>
          {previous && <DetailRow name="Previous version">{previous}</DetailRow>}
          <DetailRow name={signer ? "Package signed by" : "Source"}>
            {signer ? <code>{signer}</code> : "Built in"}
          </DetailRow>
          <DetailRow name="Author">{author || "–"}</DetailRow>
          <DetailRow name="ID">
            <code>{id}</code>
          </DetailRow>
          <DetailRow name="ABI version">
            {abi ? `${abi.major}.${abi.minor}` : "None: it has no library"}
          </DetailRow>
          <DetailRow name="Routes">{number.format(routes)}</DetailRow>
          <DetailRow name="Requests since start">{number.format(requests)}</DetailRow>
          <DetailRow name="Errors since start">{number.format(errors)}</DetailRow>
          <DetailRow name="Generation">{generation}</DetailRow>
          {resident > 0 && (
            <DetailRow name="Still in memory">
              <Badge tone="warning">
                {resident} {resident === 1 ? "generation" : "generations"}
              </Badge>
            </DetailRow>
          )}
        </dl>
      </Card>
    </Section>
  );
}

function Permissions({ plugin: { permissions } }: { plugin: PluginRecord }) {
  if (permissions.length === 0) return null;
  return (
    <Section title="Permissions" description="What people can do, by role">
      <TableCard label="Permissions" columns={["Permission", "ID", "Roles"]}>
        {permissions.map(({ id, title, roles }) => (
          <tr key={id}>
            <td>{title}</td>
            <td>
              <code>{id}</code>
            </td>
            <td>{roles.join(", ")}</td>
          </tr>
        ))}
      </TableCard>
    </Section>
  );
}

function Outgoing({ plugin: { outgoing: servers } }: { plugin: PluginRecord }) {
  if (servers.length === 0) return null;
  return (
    <Section
      title="Requests to other servers"
      description="The plugin may send requests, and with them data, to these servers. * means any."
    >
      <Tags names={servers} />
    </Section>
  );
}

function ResponseHeaders({ plugin: { response_headers: names } }: { plugin: PluginRecord }) {
  if (names.length === 0) return null;
  return (
    <Section
      title="Response headers"
      description="The plugin may set these headers. They control what other sites may do with its responses."
    >
      <Tags names={names} />
    </Section>
  );
}

function Tables({ plugin: { tables } }: { plugin: PluginRecord }) {
  if (tables.length === 0) return null;
  return (
    <Section title="Tables" description="Stored in the plugin’s own database.">
      <Tags names={tables} />
    </Section>
  );
}
