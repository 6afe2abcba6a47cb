import { usePermission } from "@tenon/host";
import {
  Badge,
  Button,
  ConfirmDialog,
  errorMessage,
  ErrorState,
  IconButton,
  Menu,
  MenuItem,
  Notice,
  Page,
  RelativeTime,
  Section,
  SkeletonRows,
  StatTile,
  StatTiles,
  TableCard,
  toast,
  useApi,
} from "@tenon/ui";
import { LineChart } from "@tenon/ui/charts";
import { filter } from "@tenon/ui/records";
import { CircleAlert, Ellipsis, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { milliseconds, SiteState, useDaysAgo } from "./site-state.tsx";
import { useCheckGroups, useChecks, useRemoveSite, useSite, type Site } from "./tables.gen.ts";
import "./styles.css";

const recentChecks = 10;

function Figures({ site }: { site: Site }) {
  const monthAgo = useDaysAgo(30);
  const groups = useCheckGroups({
    group: ["passed"],
    agg: ["count", "avg(milliseconds)"],
    filter: filter`site = ${site.id} and created > ${monthAgo}`,
  });
  const items = groups.data?.items ?? [];
  const passed = items.find((group) => group.passed);
  const all = items.reduce((sum, group) => sum + group.count, 0);
  const share = all === 0 ? "–" : `${((100 * (passed?.count ?? 0)) / all).toFixed(2)} %`;
  return (
    <StatTiles>
      <StatTile label="Up in 30 days" value={share} />
      <StatTile label="Average response" value={milliseconds(passed?.["avg(milliseconds)"])} />
      <StatTile label="Checks" value={all} />
    </StatTiles>
  );
}

function Checks({ site }: { site: Site }) {
  const { data, isPending, error, refetch } = useChecks({
    filter: filter`site = ${site.id}`,
    sort: ["-created"],
    limit: 200,
  });
  if (isPending) return <SkeletonRows />;
  if (error)
    return <ErrorState title="Could not load the checks" error={error} onRetry={refetch} />;
  const checks = data.items.toReversed();
  return (
    <div className="uptime-checks">
      <Section title="Response time">
        <LineChart
          label={`Response time of ${site.name}`}
          points={checks.map(({ created }) => new Date(created))}
          series={[
            {
              name: "Response time",
              values: checks.map((check) => (check.passed ? check.milliseconds : null)),
            },
          ]}
          formatValue={milliseconds}
          empty="Not checked yet"
        />
      </Section>
      {data.items.length > 0 && (
        <Section title="Last checks">
          <TableCard label="Last checks" columns={["Time", "Result", "Response time"]}>
            {data.items.slice(0, recentChecks).map((check) => (
              <tr key={check.id}>
                <td>
                  <RelativeTime value={check.created} />
                </td>
                <td>
                  {check.passed ? (
                    <Badge tone="success">Up</Badge>
                  ) : (
                    <Badge tone="danger">Down</Badge>
                  )}
                  {check.reason && <span className="uptime-reason t-muted">{check.reason}</span>}
                </td>
                <td>{milliseconds(check.milliseconds)}</td>
              </tr>
            ))}
          </TableCard>
        </Section>
      )}
    </div>
  );
}

function CheckNow({ site }: { site: Site }) {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    try {
      await api.post(`sites/${site.id}/check`);
    } catch (error) {
      toast(errorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="primary" icon={RefreshCw} busy={busy} onClick={() => void check()}>
      Check now
    </Button>
  );
}

function Actions({ site }: { site: Site }) {
  const navigate = useNavigate();
  const remove = useRemoveSite();
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Menu
        trigger={<IconButton icon={Ellipsis} label="More actions" />}
        label="More actions"
        align="end"
      >
        <MenuItem icon={Trash2} danger onSelect={() => setAsks(true)}>
          Delete
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        onConfirm={() =>
          remove.mutate({ id: site.id }, { onSuccess: () => void navigate("/app/uptime") })
        }
        title={`Delete “${site.name}”?`}
        action="Delete"
        danger
      >
        The results of its checks are deleted, too.
      </ConfirmDialog>
    </>
  );
}

export default function SitePage() {
  const { site: id = "" } = useParams();
  const mayManage = usePermission("uptime.manage");
  const { data, isPending, error, refetch } = useSite(id);
  const breadcrumbs = [{ title: "Uptime", to: "/app/uptime" }];
  if (isPending || error) {
    return (
      <Page title="Site" breadcrumbs={breadcrumbs}>
        {isPending ? (
          <SkeletonRows />
        ) : (
          <ErrorState title="Could not load the site" error={error} onRetry={refetch} />
        )}
      </Page>
    );
  }
  const site = data.record;
  return (
    <Page
      title={site.name}
      breadcrumbs={breadcrumbs}
      meta={<SiteState site={site} />}
      actions={mayManage && <Actions site={site} />}
      primary={mayManage && <CheckNow site={site} />}
    >
      {site.state === "down" && (
        <Notice tone="danger" icon={CircleAlert} live={false}>
          {site.reason}
        </Notice>
      )}
      <a className="uptime-url" href={site.url} target="_blank" rel="noreferrer">
        {site.url}
      </a>
      <Figures site={site} />
      <Checks site={site} />
    </Page>
  );
}
