import "./settings.css";
import { useQuery } from "@tanstack/react-query";
import {
  EmptyState,
  ErrorState,
  IconButton,
  LinkButton,
  Menu,
  MenuItem,
  MenuSeparator,
  Page,
  Problem,
  SkeletonRows,
} from "@tenon/ui";
import { Ellipsis, Pencil, SearchX, Trash2 } from "lucide-react";
import { useState } from "react";
import { useParams } from "react-router";
import { QueryScope } from "../data/query-scope.tsx";
import { DeleteGroupDialog, EditGroupDialog } from "./group-dialogs.tsx";
import { GroupMembers } from "./group-members.tsx";
import { groupKey, readGroup, type GroupRecord } from "./groups-api.ts";

const breadcrumbs = [{ title: "Groups", to: "/settings/groups" }];

export default function GroupDetailPage() {
  return (
    <QueryScope>
      <Detail />
    </QueryScope>
  );
}

function Detail() {
  const { id = "" } = useParams();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: groupKey(id),
    queryFn: ({ signal }) => readGroup(id, signal),
  });
  if (data) return <Group group={data} />;
  return (
    <Page title="Group" breadcrumbs={breadcrumbs}>
      {isPending ? (
        <SkeletonRows />
      ) : error instanceof Problem && error.status === 404 ? (
        <EmptyState
          icon={SearchX}
          title="There is no such group"
          action={<LinkButton to="/settings/groups">All groups</LinkButton>}
        >
          It may have been deleted.
        </EmptyState>
      ) : (
        <ErrorState
          error={error}
          title="The group could not be read"
          onRetry={() => void refetch()}
        />
      )}
    </Page>
  );
}

function Group({ group }: { group: GroupRecord }) {
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const close = () => setDialog(null);
  const label = `Actions for ${group.name}`;
  return (
    <Page
      title={group.name}
      breadcrumbs={breadcrumbs}
      actions={
        <Menu label={label} align="end" trigger={<IconButton icon={Ellipsis} label={label} />}>
          <MenuItem icon={Pencil} onSelect={() => setDialog("edit")}>
            Edit name and description
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger icon={Trash2} onSelect={() => setDialog("delete")}>
            Delete group
          </MenuItem>
        </Menu>
      }
    >
      {group.description && <p className="t-muted shell-lead">{group.description}</p>}
      <GroupMembers group={group} />
      <EditGroupDialog group={group} open={dialog === "edit"} onClose={close} />
      <DeleteGroupDialog group={group} open={dialog === "delete"} onClose={close} />
    </Page>
  );
}
