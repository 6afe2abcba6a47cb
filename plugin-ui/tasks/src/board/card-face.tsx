import { Avatar, VisuallyHidden } from "@tenon/ui";
import {
  AlignLeft,
  CalendarDays,
  MessageSquare,
  Paperclip,
  Repeat,
  SquareCheck,
} from "lucide-react";
import { dayText, dueTone } from "../model/days.ts";
import { noCounts, type BoardData, type CardRow } from "../model/types.ts";
import type { Label } from "../tables.gen.ts";

export function LabelChip({ label }: { label: Label }) {
  return (
    <span className="tasks-label" data-color={label.color}>
      {label.name}
    </span>
  );
}

export function DueBadge({ due, isDone }: { due: string; isDone: boolean }) {
  const tone = dueTone(due, isDone);
  return (
    <span className="tasks-due" data-tone={tone}>
      <CalendarDays size={14} />
      <VisuallyHidden>{tone === "late" ? "Overdue since" : "Due"}</VisuallyHidden>
      {dayText(due)}
    </span>
  );
}

const maxFaces = 3;

export function Faces({
  people,
  names,
}: {
  people: readonly string[];
  names: ReadonlyMap<string, string>;
}) {
  if (people.length === 0) return null;
  const known = people.map((id) => names.get(id) ?? "…");
  return (
    <span className="tasks-faces" title={known.join(", ")}>
      <VisuallyHidden>{`Assigned to ${known.join(", ")}`}</VisuallyHidden>
      {known.slice(0, maxFaces).map((name, index) => (
        <Avatar key={index} name={name} />
      ))}
      {known.length > maxFaces && (
        <span className="t-avatar" aria-hidden>
          +{known.length - maxFaces}
        </span>
      )}
    </span>
  );
}

/** What a card shows of itself on the board. */
export function CardFace({
  card,
  data,
  isDone,
}: {
  card: CardRow;
  data: BoardData;
  isDone: boolean;
}) {
  const { items, done, comments } = data.counts.get(card.id) ?? noCounts;
  const labels = card.labels.flatMap((id) => data.labels.get(id) ?? []);
  const files = Array.isArray(card.files) ? card.files.length : 0;
  const hasFacts =
    card.due !== null ||
    card.described ||
    card.repeat !== null ||
    items + comments + files + card.assignees.length > 0;
  return (
    <>
      {labels.length > 0 && (
        <span className="tasks-labels">
          {labels.map((label) => (
            <LabelChip key={label.id} label={label} />
          ))}
        </span>
      )}
      <span className="tasks-card-title">{card.title}</span>
      {hasFacts && (
        <span className="tasks-card-facts">
          {card.due !== null && <DueBadge due={card.due} isDone={isDone} />}
          {card.repeat !== null && (
            <span title={`Repeats ${card.repeat}`}>
              <Repeat size={14} />
              <VisuallyHidden>Repeats {card.repeat}</VisuallyHidden>
            </span>
          )}
          {card.described && (
            <span title="Has a description">
              <AlignLeft size={14} />
              <VisuallyHidden>Has a description</VisuallyHidden>
            </span>
          )}
          {items > 0 && (
            <span data-complete={done === items || undefined}>
              <SquareCheck size={14} />
              {done}/{items}
              <VisuallyHidden>done</VisuallyHidden>
            </span>
          )}
          {comments > 0 && (
            <span>
              <MessageSquare size={14} />
              {comments}
              <VisuallyHidden>{comments === 1 ? "comment" : "comments"}</VisuallyHidden>
            </span>
          )}
          {files > 0 && (
            <span>
              <Paperclip size={14} />
              {files}
              <VisuallyHidden>{files === 1 ? "file" : "files"}</VisuallyHidden>
            </span>
          )}
          <Faces people={card.assignees} names={data.names} />
        </span>
      )}
    </>
  );
}
