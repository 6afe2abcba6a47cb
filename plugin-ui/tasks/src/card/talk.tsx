import { useUser } from "@tenon/host";
import { Avatar, Button, RelativeTime, toast } from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { useMemo, useState } from "react";
import { dayText } from "../model/days.ts";
import { useNames } from "../model/names.ts";
import {
  useComments,
  useCreateComment,
  useInfiniteActivity,
  useRemoveComment,
  useUpdateComment,
  type ActivityRecord,
  type Comment,
} from "../tables.gen.ts";
import type { CardPartProps } from "./part.ts";
import { MarkdownText } from "./markdown-text.tsx";
import { MentionField } from "./mention-field.tsx";

type Entry =
  | { kind: "comment"; at: string; id: string; comment: Comment }
  | { kind: "activity"; at: string; id: string; activity: ActivityRecord };

// Ids sort by time too: of one moment they decide.
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Shows comments and activity, the newest last. */
export function Talk({ card, data }: CardPartProps) {
  const options = useMemo(
    () => ({ filter: filter`card = ${card.id}`, sort: ["-created"] as const, limit: 100 }),
    [card.id],
  );
  const comments = useComments(options).data;
  const activity = useInfiniteActivity(options);
  const create = useCreateComment();
  const entries = useMemo(() => {
    const all: Entry[] = [
      ...(comments?.items ?? []).map((comment): Entry => ({
        kind: "comment",
        at: comment.created,
        id: comment.id,
        comment,
      })),
      ...activity.items.map((one): Entry => ({
        kind: "activity",
        at: one.created,
        id: one.id,
        activity: one,
      })),
    ];
    return all.toSorted((a, b) => compare(a.at, b.at) || compare(a.id, b.id));
  }, [comments, activity.items]);
  const names = useNames(
    useMemo(
      () =>
        entries.flatMap((entry) =>
          entry.kind === "comment"
            ? [...entry.comment.mentions, entry.comment.created_by ?? ""].filter(Boolean)
            : (entry.activity.actor ?? []),
        ),
      [entries],
    ),
  );
  return (
    <section className="tasks-part" aria-labelledby="tasks-talk">
      <h3 id="tasks-talk">Comments and activity</h3>
      {activity.hasNextPage && (
        <Button size="small" variant="ghost" onClick={() => void activity.fetchNextPage()}>
          Show earlier activity
        </Button>
      )}
      <ol className="tasks-talk">
        {entries.map((entry) =>
          entry.kind === "comment" ? (
            <CommentView key={entry.id} comment={entry.comment} names={names} data={data} />
          ) : (
            <li key={entry.id} className="tasks-happened">
              <ActivityText activity={entry.activity} names={names} />
            </li>
          ),
        )}
      </ol>
      {data.isWriter && (
        <MentionField
          label="Comment"
          action="Comment"
          onSend={(text, mentions) =>
            create.mutateAsync({ board: card.board, card: card.id, text, mentions })
          }
        />
      )}
    </section>
  );
}

function whatHappened(
  kind: ActivityRecord["kind"],
  actor: string | null,
  before: string | null,
  after: string | null,
): string {
  switch (kind) {
    case "made":
      return actor === null ? `repeated the card in ${after}` : `added the card to ${after}`;
    case "moved":
      return `moved it from ${before} to ${after}`;
    case "renamed":
      return `renamed it from “${before}”`;
    case "described":
      return "changed the description";
    case "dated":
      if (after === null) return "removed the due date";
      return `${before === null ? "set the due date to" : "changed the due date to"} ${dayText(after)}`;
    case "archived":
      return "archived it";
    case "restored":
      return "restored it";
    case "checked":
      return `ticked “${after}”`;
    case "unchecked":
      return `unticked “${after}”`;
  }
}

function ActivityText({
  activity: { kind, actor, before, after, created },
  names,
}: {
  activity: ActivityRecord;
  names: ReadonlyMap<string, string>;
}) {
  const who = actor === null ? "The board" : (names.get(actor) ?? "…");
  return (
    <>
      <span>
        <strong>{who}</strong> {whatHappened(kind, actor, before, after)}
      </span>{" "}
      <RelativeTime value={created} />
    </>
  );
}

function CommentView({
  comment,
  names,
  data,
}: {
  comment: Comment;
  names: ReadonlyMap<string, string>;
  data: CardPartProps["data"];
}) {
  const { id: me } = useUser();
  const [isEditing, setIsEditing] = useState(false);
  const update = useUpdateComment();
  const remove = useRemoveComment();
  const create = useCreateComment();
  const who = names.get(comment.created_by ?? "") ?? "…";
  const isMine = comment.created_by === me && data.isWriter;
  const drop = () => {
    const { board, card, text, mentions } = comment;
    remove.mutate({ id: comment.id });
    toast("Comment deleted", {
      action: { label: "Undo", run: () => create.mutate({ board, card, text, mentions }) },
    });
  };
  return (
    <li className="tasks-comment">
      <Avatar name={who} />
      <div>
        <header>
          <strong>{who}</strong>
          <span className="t-muted">
            <RelativeTime value={comment.created} />
            {comment.updated !== comment.created && " · edited"}
          </span>
          {isMine && !isEditing && (
            <span className="tasks-comment-actions">
              <Button size="small" variant="ghost" onClick={() => setIsEditing(true)}>
                Edit
              </Button>
              <Button size="small" variant="ghost" onClick={drop}>
                Delete
              </Button>
            </span>
          )}
        </header>
        {isEditing ? (
          <MentionField
            label="Comment"
            action="Save"
            text={comment.text}
            mentions={comment.mentions.map((id) => ({ id, name: names.get(id) ?? "" }))}
            onCancel={() => setIsEditing(false)}
            onSend={async (text, mentions) => {
              await update.mutateAsync({ id: comment.id, patch: { text, mentions } });
              setIsEditing(false);
            }}
          />
        ) : (
          <MarkdownText
            text={comment.text}
            names={comment.mentions.flatMap((id) => names.get(id) ?? [])}
          />
        )}
      </div>
    </li>
  );
}
