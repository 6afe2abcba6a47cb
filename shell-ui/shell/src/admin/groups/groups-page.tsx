import "../../styles/list-pages.css";
import { useQuery } from "@tanstack/react-query";
import { Button, Card, EmptyState, ErrorState, Page, SearchInput, SkeletonRows } from "@tenon/ui";
import { Plus, Users } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { QueryScope } from "../../data/query-scope.tsx";
import { AddGroupDialog } from "./group-dialogs.tsx";
import { groupsKey, readGroups, type GroupRecord } from "./groups-api.ts";

const manyGroups = 12;

export default function GroupsPage() {
  const [adding, setAdding] = useState(false);
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add group
    </Button>
  );
  return (
    <Page title="Groups" width="wide" primary={add}>
      <QueryScope>
        <GroupList />
        <AddGroupDialog open={adding} onClose={() => setAdding(false)} />
      </QueryScope>
    </Page>
  );
}

function GroupList() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: groupsKey,
    queryFn: ({ signal }) => readGroups(signal),
  });
  const [filter, setFilter] = useState("");
  if (isPending) return <SkeletonRows count={4} />;
  if (!data) {
    return (
      <ErrorState error={error} title="Could not load the groups" onRetry={() => void refetch()} />
    );
  }
  if (data.length === 0) {
    return (
      <EmptyState icon={Users} title="No groups yet">
        A group is a set of users, such as a team, that you can share with in one step.
      </EmptyState>
    );
  }
  const wanted = filter.trim().toLowerCase();
  const shown = data.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {data.length >= manyGroups && (
        <div className="shell-filter">
          <SearchInput
            label="Filter groups"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <span className="t-muted" role="status">
            {wanted ? `${shown.length} of ${data.length}` : `${data.length} groups`}
          </span>
        </div>
      )}
      {shown.length === 0 ? (
        <EmptyState title={`No groups match “${filter}”`} />
      ) : (
        <Card>
          <ul className="t-rows shell-users">
            {shown.map((group) => (
              <GroupRow key={group.id} group={group} />
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function GroupRow({ group: { id, name, description, members } }: { group: GroupRecord }) {
  return (
    <li className="t-row">
      <span className="shell-row-tile">
        <Users size={18} />
      </span>
      <div className="t-row-main">
        <div className="shell-user-name">
          <Link className="t-ellipsis" to={`/settings/groups/${id}`}>
            {name}
          </Link>
        </div>
        <div className="t-muted t-ellipsis">
          {members === 1 ? "1 member" : `${members} members`}
          {description && ` · ${description}`}
        </div>
      </div>
    </li>
  );
}
