import "../../styles/list-pages.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useUser } from "@tenon/host";
import {
  Avatar,
  Badge,
  Button,
  Card,
  EmptyState,
  ErrorState,
  IconButton,
  Menu,
  MenuItem,
  MenuSeparator,
  Page,
  Problem,
  SearchInput,
  SkeletonRows,
  toast,
} from "@tenon/ui";
import {
  Ellipsis,
  KeyRound,
  Pencil,
  UserCheck,
  UserPlus,
  UserX,
  ShieldCheck,
  User,
} from "lucide-react";
import { useState } from "react";
import { QueryScope } from "../../data/query-scope.tsx";
import { changeUser, readUsers, usersKey, type UserRecord } from "../console-api.ts";
import { AddUserDialog, RenameDialog, ResetPasswordDialog } from "./user-dialogs.tsx";

const manyUsers = 12;

export default function UsersPage() {
  const [adding, setAdding] = useState(false);
  return (
    <Page
      title="Users"
      width="wide"
      primary={
        <Button variant="primary" icon={UserPlus} onClick={() => setAdding(true)}>
          Add user
        </Button>
      }
    >
      <QueryScope>
        <UserList />
        <AddUserDialog open={adding} onClose={() => setAdding(false)} />
      </QueryScope>
    </Page>
  );
}

function UserList() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: usersKey,
    queryFn: ({ signal }) => readUsers(signal),
  });
  const [filter, setFilter] = useState("");
  const [renaming, setRenaming] = useState<UserRecord | null>(null);
  const [resetting, setResetting] = useState<UserRecord | null>(null);
  if (isPending) return <SkeletonRows count={4} />;
  if (!data) {
    return (
      <ErrorState error={error} title="Could not load the users" onRetry={() => void refetch()} />
    );
  }
  const wanted = filter.trim().toLowerCase();
  const shown = data.filter(({ name, login }) => `${name} ${login}`.toLowerCase().includes(wanted));
  return (
    <>
      {data.length >= manyUsers && (
        <div className="shell-filter">
          <SearchInput
            label="Filter users"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <span className="t-muted" role="status">
            {wanted ? `${shown.length} of ${data.length}` : `${data.length} users`}
          </span>
        </div>
      )}
      {shown.length === 0 && <EmptyState title={`No users match “${filter}”`} />}
      <Card hidden={shown.length === 0}>
        <ul className="t-rows shell-users">
          {shown.map((user) => (
            <UserRow
              key={user.id}
              user={user}
              onRename={() => setRenaming(user)}
              onReset={() => setResetting(user)}
            />
          ))}
        </ul>
      </Card>
      <RenameDialog user={renaming} onClose={() => setRenaming(null)} />
      <ResetPasswordDialog user={resetting} onClose={() => setResetting(null)} />
    </>
  );
}

type Change = Partial<Pick<UserRecord, "role" | "disabled">>;

function said({ name }: UserRecord, change: Change): string {
  if (change.disabled !== undefined) {
    return change.disabled ? `${name} disabled and signed out` : `${name} enabled`;
  }
  return change.role === "admin" ? `${name} is now an admin` : `${name} is now a member`;
}

/** Changes a user at once; Undo restores the former values. */
function useChangeUser() {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ user, change }: { user: UserRecord; change: Change }) =>
      changeUser(user.id, change),
    onSuccess(_record, { user, change }) {
      const before: Change =
        change.disabled === undefined ? { role: user.role } : { disabled: user.disabled };
      toast(said(user, change), {
        action: {
          label: "Undo",
          run: () => mutation.mutate({ user: { ...user, ...change }, change: before }),
        },
      });
    },
    onError(error) {
      toast(error instanceof Problem ? error.message : "Could not change the user", {
        tone: "danger",
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: usersKey }),
  });
  return mutation;
}

function UserRow({
  user,
  onRename,
  onReset,
}: {
  user: UserRecord;
  onRename(): void;
  onReset(): void;
}) {
  const { mutate } = useChangeUser();
  const isSelf = useUser().id === user.id;
  return (
    <li className="t-row">
      <Avatar name={user.name} />
      <div className="t-row-main">
        <div className="shell-user-name">
          <span className="t-ellipsis">{user.name}</span>
          {isSelf && <Badge>You</Badge>}
          {user.disabled && <Badge tone="warning">Disabled</Badge>}
        </div>
        <div className="t-muted t-ellipsis">
          {user.login} · {user.role === "admin" ? "Admin" : "Member"}
        </div>
      </div>
      <Menu
        label={`Actions for ${user.name}`}
        align="end"
        trigger={<IconButton icon={Ellipsis} label={`Actions for ${user.name}`} />}
      >
        <MenuItem icon={Pencil} onSelect={onRename}>
          Rename
        </MenuItem>
        <MenuItem icon={KeyRound} onSelect={onReset}>
          Reset password
        </MenuItem>
        {!isSelf && (
          <>
            {user.role === "admin" ? (
              <MenuItem icon={User} onSelect={() => mutate({ user, change: { role: "member" } })}>
                Make member
              </MenuItem>
            ) : (
              <MenuItem
                icon={ShieldCheck}
                onSelect={() => mutate({ user, change: { role: "admin" } })}
              >
                Make admin
              </MenuItem>
            )}
            <MenuSeparator />
            {user.disabled ? (
              <MenuItem
                icon={UserCheck}
                onSelect={() => mutate({ user, change: { disabled: false } })}
              >
                Enable
              </MenuItem>
            ) : (
              <MenuItem
                danger
                icon={UserX}
                onSelect={() => mutate({ user, change: { disabled: true } })}
              >
                Disable
              </MenuItem>
            )}
          </>
        )}
      </Menu>
    </li>
  );
}
