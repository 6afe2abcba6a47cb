import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Avatar,
  Badge,
  Card,
  EmptyState,
  ErrorState,
  IconButton,
  Problem,
  SearchInput,
  SkeletonRows,
  toast,
} from "@tenon/ui";
import { PeoplePicker } from "@tenon/ui/forms";
import { Users, X } from "lucide-react";
import { useState } from "react";
import type { UserRecord } from "../console-api.ts";
import { changeMembers, groupKey, groupsKey, readMembers, type GroupRecord } from "./groups-api.ts";

const manyMembers = 12;

interface MemberChange {
  what: "add" | "remove";
  user: Pick<UserRecord, "id" | "name">;
}

/** Adds and removes at once; Undo takes it back. */
function useChangeMember(group: GroupRecord) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ what, user }: MemberChange) => changeMembers(group.id, { [what]: [user.id] }),
    onSuccess(_group, { what, user }) {
      const done = what === "add" ? "added to" : "removed from";
      toast(`${user.name} ${done} ${group.name}`, {
        action: {
          label: "Undo",
          run: () => mutation.mutate({ what: what === "add" ? "remove" : "add", user }),
        },
      });
    },
    onError(error) {
      toast(error instanceof Problem ? error.message : "Could not change the members", {
        tone: "danger",
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: groupsKey }),
  });
  return mutation;
}

/** Who belongs to a group, with the ways to change that. */
export function GroupMembers({ group }: { group: GroupRecord }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...groupKey(group.id), "members"],
    queryFn: ({ signal }) => readMembers(group.id, signal),
  });
  const { mutate } = useChangeMember(group);
  if (isPending) return <SkeletonRows count={4} />;
  if (!data) {
    return (
      <ErrorState error={error} title="Could not load the members" onRetry={() => void refetch()} />
    );
  }
  return (
    <>
      <div className="shell-add-member">
        <PeoplePicker
          label="Add a member"
          placeholder="Type a name"
          kind="user"
          value={[]}
          exclude={data.map(({ id }) => id)}
          onChange={(_ids, [user]) => user && mutate({ what: "add", user })}
        />
      </div>
      {data.length === 0 ? (
        <EmptyState icon={Users} title="No members yet">
          Search for a user above to add them.
        </EmptyState>
      ) : (
        <MemberList
          members={data}
          group={group}
          onRemove={(user) => mutate({ what: "remove", user })}
        />
      )}
    </>
  );
}

interface MemberListProps {
  members: readonly UserRecord[];
  group: GroupRecord;
  onRemove(user: UserRecord): void;
}

function MemberList({ members, group, onRemove }: MemberListProps) {
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const shown = members.filter(({ name, login }) =>
    `${name} ${login}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {members.length >= manyMembers && (
        <div className="shell-filter">
          <SearchInput
            label="Filter members"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <span className="t-muted" role="status">
            {wanted ? `${shown.length} of ${members.length}` : `${members.length} members`}
          </span>
        </div>
      )}
      {shown.length === 0 ? (
        <EmptyState title={`No members match “${filter}”`} />
      ) : (
        <Card>
          <ul className="t-rows shell-users" aria-label={`Members of ${group.name}`}>
            {shown.map((user) => (
              <li key={user.id} className="t-row">
                <Avatar name={user.name} />
                <div className="t-row-main">
                  <div className="shell-user-name">
                    <span className="t-ellipsis">{user.name}</span>
                    {user.disabled && <Badge tone="warning">Disabled</Badge>}
                  </div>
                  <div className="t-muted t-ellipsis">{user.login}</div>
                </div>
                <IconButton
                  icon={X}
                  label={`Remove ${user.name} from the group`}
                  onClick={() => onRemove(user)}
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
