import { usePermission } from "@tenon/host";
import {
  Card,
  EmptyState,
  ErrorState,
  Page,
  phone,
  RelativeTime,
  SkeletonRows,
  StatTile,
  StatTiles,
  useMediaQuery,
} from "@tenon/ui";
import { DataTable, type Sort } from "@tenon/ui/data";
import { filter } from "@tenon/ui/records";
import { Activity } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { AddSite } from "./add-site.tsx";
import { milliseconds, SiteState, useDaysAgo } from "./site-state.tsx";
import {
  useCheckGroups,
  useInfiniteSites,
  useSiteGroups,
  type Site,
  type SitesSort,
} from "./tables.gen.ts";
import "./styles.css";

function Figures() {
  const yesterday = useDaysAgo(1);
  const sites = useSiteGroups({ group: ["state"] });
  const checks = useCheckGroups({
    agg: ["avg(milliseconds)"],
    filter: filter`passed = true and created > ${yesterday}`,
  });
  const count = (state: string) => sites.data?.items.find((group) => group.state === state)?.count;
  const down = count("down") ?? 0;
  const average = checks.data?.items[0]?.["avg(milliseconds)"];
  return (
    <StatTiles>
      <StatTile label="Up" value={count("up") ?? 0} />
      <StatTile label="Down" value={down} tone={down > 0 ? "danger" : undefined} />
      <StatTile label="Average response in 24 hours" value={milliseconds(average)} />
    </StatTiles>
  );
}

function Sites({ mayManage }: { mayManage: boolean }) {
  const [sort, setSort] = useState<Sort>({ column: "name", descending: false });
  const column = sort.column as SitesSort;
  const isPhone = useMediaQuery(phone);
  const { items, isPending, error, refetch } = useInfiniteSites({
    sort: [sort.descending ? `-${column}` : column],
    limit: 200,
  });
  if (isPending) return <SkeletonRows />;
  if (error) return <ErrorState title="Could not load the sites" error={error} onRetry={refetch} />;
  if (items.length === 0) {
    return (
      <EmptyState icon={Activity} title="No sites yet" action={mayManage && <AddSite />}>
        Tenon checks each site every few minutes and shows when it is down.
      </EmptyState>
    );
  }
  return (
    <>
      <Figures />
      <Card className="uptime-sites">
        <DataTable
          label="Sites"
          items={items}
          itemKey={({ id }) => id}
          sort={sort}
          onSort={setSort}
          columns={[
            {
              id: "name",
              title: "Site",
              isRowHeader: true,
              sortable: true,
              render: (site: Site) => (
                <div className="uptime-site">
                  <Link to={site.id}>{site.name}</Link>
                  <span className="t-muted">{site.url}</span>
                </div>
              ),
            },
            {
              id: "state",
              title: "State",
              sortable: true,
              render: (site: Site) => <SiteState site={site} />,
            },
            {
              id: "since",
              title: "Since",
              sortable: true,
              render: ({ since }: Site) => since && <RelativeTime value={since} />,
            },
            {
              id: "checked",
              title: "Last check",
              sortable: true,
              render: ({ checked }: Site) => checked && <RelativeTime value={checked} />,
            },
          ].filter(({ id }) => !isPhone || id === "name" || id === "state")}
        />
      </Card>
    </>
  );
}

export function SitesPage() {
  const mayManage = usePermission("uptime.manage");
  return (
    <Page title="Uptime" primary={mayManage && <AddSite />}>
      <Sites mayManage={mayManage} />
    </Page>
  );
}
