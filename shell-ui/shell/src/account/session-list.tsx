import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Badge, Button, Card, ErrorState, RelativeTime, SkeletonRows, toast } from "@tenon/ui";
import { useServices } from "../services.ts";
import { endSession, readSessions, sessionsKey, type SessionRecord } from "./account-api.ts";
import { describeUserAgent } from "./user-agent.ts";

/** Lists the sessions of the user; each can be ended. */
export function SessionList() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => readSessions(signal),
  });
  if (isPending) return <SkeletonRows count={2} />;
  if (!data) {
    return (
      <ErrorState
        error={error}
        title="Could not load the sessions"
        onRetry={() => void refetch()}
      />
    );
  }
  const sessions = [...data.items].sort((a, b) => Number(b.current) - Number(a.current));
  return (
    <Card>
      <ul className="t-rows">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
    </Card>
  );
}

function SessionRow({ session }: { session: SessionRecord }) {
  const { signOut } = useServices();
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => endSession(session.id),
    onSuccess: () => toast("Session ended"),
    onError: () => toast("Could not end the session", { tone: "danger" }),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  const name = describeUserAgent(session.user_agent);
  return (
    <li className="t-row">
      <div className="t-row-main">
        <div className="shell-user-name">
          <span className="t-ellipsis" title={session.user_agent}>
            {name}
          </span>
          {session.current && <Badge tone="success">This browser</Badge>}
        </div>
        <div className="t-muted t-ellipsis">
          {session.address} · last seen <RelativeTime value={session.last_seen} />
        </div>
      </div>
      {session.current ? (
        <Button size="small" onClick={() => void signOut()}>
          Sign out
        </Button>
      ) : (
        <Button
          size="small"
          busy={isPending}
          aria-label={`End the session of ${name}`}
          onClick={() => mutate()}
        >
          End
        </Button>
      )}
    </li>
  );
}
