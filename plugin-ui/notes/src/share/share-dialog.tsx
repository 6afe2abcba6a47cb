import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePlugin, useStore } from "@tenon/host";
import {
  Avatar,
  coreApi,
  Dialog,
  errorMessage,
  ErrorState,
  IconButton,
  Select,
  SkeletonRows,
  toast,
} from "@tenon/ui";
import { PeoplePicker, usePeople } from "@tenon/ui/forms";
import { Globe, UsersRound, X } from "lucide-react";
import type { DialogProps } from "../dialogs/dialogs.tsx";
import { notesApi } from "../model/notes-api.ts";
import { everythingChanged } from "../model/queries.ts";
import { limits, type Share, type Shares } from "../model/types.ts";
import "../styles/share.css";

export interface ShareDialogProps extends DialogProps {
  what: "notes" | "notebooks";
  id: string;
  name: string;
}

const levels = { reader: "Can view", writer: "Can edit" } as const;
const keyOf = ({ kind, id }: Share) => `${kind} ${id ?? ""}`;

/** Returns "Everyone in" with the installation's name, or "Everyone" until that is known. */
function useEveryone(): string {
  const { data } = useQuery({
    queryKey: ["core", "installation"],
    queryFn: ({ signal }) => coreApi.get<{ name: string }>("shell", { signal }),
    staleTime: Infinity,
  });
  return data ? `Everyone in ${data.name}` : "Everyone";
}

/** Who else may read or write a note, or a notebook with all in it. Each change is in force at once. */
export function ShareDialog({ what, id, name, ...props }: ShareDialogProps) {
  const client = useQueryClient();
  const me = useStore(usePlugin().session).user?.id;
  const queryKey = ["notes", "shares", what, id] as const;
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => notesApi.shares(what, id, { signal }),
    refetchOnMount: "always",
  });
  const change = async (shares: readonly Share[]) => {
    const before = client.getQueryData<Shares>(queryKey);
    if (before) client.setQueryData(queryKey, { ...before, shares });
    try {
      client.setQueryData(queryKey, await notesApi.share(what, id, shares));
    } catch (problem) {
      client.setQueryData(queryKey, before);
      toast(errorMessage(problem), { tone: "danger" });
    }
    everythingChanged(client);
  };
  return (
    <Dialog
      {...props}
      title={`Share “${name}”`}
      description={
        what === "notebooks"
          ? "Includes all notes and notebooks inside."
          : "Includes the files of the note."
      }
    >
      {error ? (
        <ErrorState
          error={error}
          title="Could not load the sharing settings"
          onRetry={() => void refetch()}
        />
      ) : data ? (
        <Sharing shares={data} me={me} onChange={(shares) => void change(shares)} />
      ) : (
        <SkeletonRows count={3} label="Loading" />
      )}
    </Dialog>
  );
}

function Sharing({
  shares: { owner, mine, shares, inherited },
  me,
  onChange,
}: {
  shares: Shares;
  me: string | undefined;
  onChange(shares: readonly Share[]): void;
}) {
  const people = shares.filter(({ kind }) => kind !== "everyone");
  const everyone = shares.find(({ kind }) => kind === "everyone");
  const everyoneText = useEveryone();
  const ids = [...people, ...inherited].flatMap(({ id }) => id ?? []);
  const named = usePeople([...new Set(ids)].sort());
  const nameOf = ({ kind, id }: Share) =>
    kind === "everyone"
      ? everyoneText
      : (named?.find((person) => person.id === id)?.name ?? (named ? "Unknown" : "…"));
  const set = (share: Share, level: string) =>
    onChange(
      shares.flatMap((other) =>
        keyOf(other) !== keyOf(share)
          ? other
          : level === ""
            ? []
            : { ...other, level: level as Share["level"] },
      ),
    );
  return (
    <div className="notes-share">
      {mine && shares.length < limits.shares && (
        <PeoplePicker
          label="Add people and groups"
          value={[]}
          exclude={[...people.flatMap(({ id }) => id ?? []), ...(owner ? [owner.id] : [])]}
          onChange={(_, added) =>
            onChange([
              ...shares,
              ...added.map(({ kind, id }) => ({ kind, id, level: "writer" }) as const),
            ])
          }
        />
      )}
      <ul aria-label="People with access">
        <li>
          <Avatar name={owner?.name || "Everyone"} />
          <span className="t-ellipsis">
            {owner ? owner.name || "Unknown" : "Everyone"}
            {owner && owner.id === me && " (you)"}
          </span>
          <span className="t-muted">Owner</span>
        </li>
        {people.map((share) => (
          <li key={keyOf(share)}>
            {share.kind === "group" ? <UsersRound size={16} /> : <Avatar name={nameOf(share)} />}
            <span className="t-ellipsis">{nameOf(share)}</span>
            {mine ? (
              <>
                <Level share={share} name={nameOf(share)} onChange={(level) => set(share, level)} />
                <IconButton
                  icon={X}
                  size="small"
                  label={`Remove ${nameOf(share)}`}
                  onClick={() => set(share, "")}
                />
              </>
            ) : (
              <span className="t-muted">{levels[share.level]}</span>
            )}
          </li>
        ))}
        {(mine || everyone) && (
          <li>
            <Globe size={16} />
            <span className="t-ellipsis">{everyoneText}</span>
            {mine ? (
              <Select
                aria-label={everyoneText}
                value={everyone?.level ?? ""}
                onChange={({ target: { value } }) =>
                  everyone
                    ? set(everyone, value)
                    : onChange([
                        ...shares,
                        { kind: "everyone", id: null, level: value as Share["level"] },
                      ])
                }
              >
                <option value="">No access</option>
                <option value="reader">{levels.reader}</option>
                <option value="writer">{levels.writer}</option>
              </Select>
            ) : (
              <span className="t-muted">{everyone && levels[everyone.level]}</span>
            )}
          </li>
        )}
      </ul>
      {inherited.length > 0 && (
        <>
          <h3>Access from the notebook</h3>
          <ul aria-label="Access from the notebook">
            {inherited.map((share) => (
              <li key={`${share.notebook.id} ${keyOf(share)}`}>
                {share.kind === "user" ? (
                  <Avatar name={nameOf(share)} />
                ) : share.kind === "group" ? (
                  <UsersRound size={16} />
                ) : (
                  <Globe size={16} />
                )}
                <span className="t-ellipsis">{nameOf(share)}</span>
                <span className="t-muted t-ellipsis">
                  {levels[share.level]} · {share.notebook.name}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {!mine && (
        <p className="t-muted">
          {owner
            ? `Only ${owner.name || "its owner"} can change who has access.`
            : "Everyone owns this."}
        </p>
      )}
    </div>
  );
}

function Level({
  share,
  name,
  onChange,
}: {
  share: Share;
  name: string;
  onChange(level: string): void;
}) {
  return (
    <Select
      aria-label={`Access of ${name}`}
      value={share.level}
      onChange={({ target: { value } }) => onChange(value)}
    >
      <option value="reader">{levels.reader}</option>
      <option value="writer">{levels.writer}</option>
    </Select>
  );
}
