import "../../styles/list-pages.css";
import { useQuery } from "@tanstack/react-query";
import { IconButton, Menu, MenuItem, MenuSeparator, Page } from "@tenon/ui";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { DeleteGroupDialog, EditGroupDialog } from "./group-dialogs.tsx";
import { GroupMembers } from "./group-members.tsx";
import { groupKey, readGroup, type GroupRecord } from "./groups-api.ts";
import { ResourcePage } from "../resource-page.tsx";

const list = { title: "Groups", to: "/settings/groups" };

const useGroup = (id: string) =>
  useQuery({ queryKey: groupKey(id), queryFn: ({ signal }) => readGroup(id, signal) });

export default function GroupDetailPage() {
  return (
    <ResourcePage noun="group" list={list} missing="It may have been deleted." useOne={useGroup}>
      {(group) => <Group group={group} />}
    </ResourcePage>
  );
}

function Group({ group }: { group: GroupRecord }) {
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const close = () => setDialog(null);
  const label = `Actions for ${group.name}`;
  return (
    <Page
      title={group.name}
      breadcrumbs={[list]}
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
