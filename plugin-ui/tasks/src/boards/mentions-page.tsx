import { useQuery } from "@tanstack/react-query";
import { useServerEvent } from "@tenon/host";
import {
  Avatar,
  clientFor,
  EmptyState,
  ErrorState,
  Page,
  RelativeTime,
  SkeletonRows,
  type ListPage,
} from "@tenon/ui";
import { AtSign } from "lucide-react";
import { useMemo } from "react";
import { Link } from "react-router";
import { useNaming } from "../model/names.ts";
import { cardPath, home } from "../model/location.ts";
import { useReadAgain } from "../model/paced-refetch.ts";
import type { Board, Card, Comment } from "../tables.gen.ts";
import "../styles/mentions.css";

interface Mention extends Pick<
  Comment,
  "id" | "board" | "card" | "text" | "created" | "created_by"
> {
  expand: { board: Pick<Board, "title"> | null; card: Pick<Card, "title"> | null };
}

const queryKey = ["tasks", "mentions"] as const;
const maxShown = 100;
// Any comment that the person may see may be one, and each reading is of all of them.
const pause = 1_000;

/** Comments that name the person, on all boards, the newest first. */
export default function MentionsPage() {
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const query = {
        filter: "@user in mentions",
        sort: "-created",
        expand: "board,card",
        limit: maxShown,
      };
      return clientFor("/api/tasks").get<ListPage<Mention>>("comments", { query, signal });
    },
  });
  const changed = useReadAgain(queryKey, pause);
  useServerEvent("tasks.comments", changed, { onMissed: changed, table: true });
  const nameOf = useNaming(
    useMemo(() => data?.items.flatMap(({ created_by }) => created_by ?? []) ?? [], [data]),
  );
  return (
    <Page title="Mentions" breadcrumbs={[{ title: "Tasks", to: home }]}>
      {error ? (
        <ErrorState
          error={error}
          title="Could not load the mentions"
          onRetry={() => void refetch()}
        />
      ) : !data ? (
        <SkeletonRows />
      ) : data.items.length === 0 ? (
        <EmptyState icon={AtSign} title="No mentions yet">
          Comments that mention you with @ appear here.
        </EmptyState>
      ) : (
        <ul className="tasks-mentions">
          {data.items.map((mention) => (
            <MentionRow key={mention.id} mention={mention} who={nameOf(mention.created_by)} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function MentionRow({ mention, who }: { mention: Mention; who: string }) {
  const { board, card, text, created, expand } = mention;
  return (
    <li>
      <Avatar name={who} />
      <div>
        <Link to={cardPath(board, card)}>{expand.card?.title ?? "Card"}</Link>
        <p className="tasks-mention-text">{text}</p>
        <p className="t-muted">
          {who} · {expand.board?.title ?? "Board"} · <RelativeTime value={created} />
        </p>
      </div>
    </li>
  );
}
