import "../plugins/packages.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Badge,
  Card,
  EmptyState,
  errorMessage,
  ErrorState,
  IconButton,
  Menu,
  MenuItem,
  MenuSeparator,
  RelativeTime,
  SkeletonRows,
  toast,
} from "@tenon/ui";
import { Ban, Ellipsis, Eraser, Key, KeyRound } from "lucide-react";
import { useState } from "react";
import { readUsers, usersKey } from "../console-api.ts";
import { nameOfKey, RevokeKeyDialog } from "./key-dialogs.tsx";
import { forgetKey, keysKey, readKeys, trustKey, type KeyRecord } from "../plugins/packages-api.ts";
import { usePlugins } from "../plugins/use-plugins.ts";

/** Lists the trusted and the revoked keys of publishers. */
export function KeyList() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keysKey,
    queryFn: ({ signal }) => readKeys(signal),
  });
  const [revoking, setRevoking] = useState<KeyRecord | null>(null);
  const plugins = usePlugins().data?.items ?? [];
  if (isPending) return <SkeletonRows count={3} />;
  if (!data) {
    return (
      <ErrorState error={error} title="Could not load the keys" onRetry={() => void refetch()} />
    );
  }
  if (data.items.length === 0) {
    return (
      <EmptyState icon={KeyRound} title="No trusted keys">
        A key identifies the publisher of a package and proves that the package was not changed.
        Only packages signed with a trusted key can be installed.
      </EmptyState>
    );
  }
  return (
    <>
      <p className="t-muted shell-lead">
        Only packages signed with a trusted key can be installed. A revoked key cannot be trusted
        again.
      </p>
      <Card>
        <ul className="t-rows">
          {data.items.map((known) => (
            <KeyRow key={known.number} known={known} onRevoke={() => setRevoking(known)} />
          ))}
        </ul>
      </Card>
      <RevokeKeyDialog
        known={revoking}
        signed={plugins.flatMap(({ signer, name }) => (signer === revoking?.number ? [name] : []))}
        onClose={() => setRevoking(null)}
      />
    </>
  );
}

function useNameOf(id: string): string {
  const { data } = useQuery({
    queryKey: usersKey,
    queryFn: ({ signal }) => readUsers(signal),
    enabled: id !== "local",
  });
  if (id === "local") return "the command line";
  return data?.find((user) => user.id === id)?.name ?? "an unknown user";
}

function KeyRow({ known, onRevoke }: { known: KeyRecord; onRevoke(): void }) {
  const { number, name, trust, reason, changed, changed_by: by } = known;
  const isRevoked = trust === "revoked";
  const who = useNameOf(by);
  const forget = useForget();
  const label = `Actions for ${nameOfKey(known)}`;
  return (
    <li className="t-row">
      <span className="shell-row-tile">
        <Key size={18} />
      </span>
      <div className="t-row-main">
        <div className="shell-user-name">
          <span className="t-ellipsis">{name || "No name"}</span>
          <Badge tone={isRevoked ? "danger" : "success"}>{isRevoked ? "Revoked" : "Trusted"}</Badge>
        </div>
        <div className="t-muted shell-key-line">
          <code>{number}</code> · {isRevoked ? "revoked" : "trusted"}{" "}
          <RelativeTime value={changed} /> by {who}
          {reason && ` · ${reason}`}
        </div>
      </div>
      {!isRevoked && (
        <Menu label={label} align="end" trigger={<IconButton icon={Ellipsis} label={label} />}>
          <MenuItem icon={Eraser} onSelect={() => forget(known)}>
            Remove
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger icon={Ban} onSelect={onRevoke}>
            Revoke…
          </MenuItem>
        </Menu>
      )}
    </li>
  );
}

/** Forgets a key at once, with Undo: it is trusted again. */
function useForget() {
  const queries = useQueryClient();
  const refetchKeys = () => queries.invalidateQueries({ queryKey: keysKey });
  const fail = (error: Error) => void toast(errorMessage(error), { tone: "danger" });
  const { mutate: undo } = useMutation({
    mutationFn: ({ key, name }: KeyRecord) => trustKey(key, name),
    onError: fail,
    onSettled: refetchKeys,
  });
  const { mutate } = useMutation({
    mutationFn: ({ number }: KeyRecord) => forgetKey(number),
    onSuccess(_, known) {
      toast(`Key ${nameOfKey(known)} removed`, {
        action: { label: "Undo", run: () => undo(known) },
      });
    },
    onError: fail,
    onSettled: refetchKeys,
  });
  return mutate;
}
