import { EmptyState, ErrorState, Problem, SkeletonRows } from "@tenon/ui";
import { PresenceStack, usePresence } from "@tenon/ui/records";
import { SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Sheet } from "../app/sheet.tsx";
import type { BoardData } from "../model/types.ts";
import { useCard, type Board } from "../tables.gen.ts";
import { Checklist } from "./checklist.tsx";
import { CardMenu } from "./card-menu.tsx";
import { Description } from "./description.tsx";
import { CardFiles } from "./files.tsx";
import { CardSide } from "./card-side.tsx";
import { useCardChange, type CardPartProps } from "./part.ts";
import { Talk } from "./talk.tsx";
import "../styles/card.css";

export interface CardDialogProps {
  id: string;
  board: Board;
  data: BoardData;
  onClose(): void;
}

/** A card with everything on it. It has an address of its own. */
export function CardDialog({ id, board, data, onClose }: CardDialogProps) {
  const { data: kept, error, refetch } = useCard(id);
  const isHere = kept?.record.board === board.id;
  const isGone =
    (kept && !isHere) || (error instanceof Problem && [400, 404].includes(error.status));
  return (
    <Sheet
      size="large"
      title={kept?.record.title ?? "Card"}
      actions={kept && isHere && <CardMenu card={kept.record} />}
      onClose={onClose}
    >
      {isGone ? (
        <EmptyState icon={SearchX} title="Card not found">
          It was deleted or moved to another board.
        </EmptyState>
      ) : error && !kept ? (
        <ErrorState error={error} title="Could not load the card" onRetry={() => void refetch()} />
      ) : kept ? (
        <CardBody card={kept.record} etag={kept.etag} data={data} onClose={onClose} />
      ) : (
        <SkeletonRows />
      )}
    </Sheet>
  );
}

function CardBody({
  card,
  etag,
  data,
  onClose,
}: CardPartProps & { etag: string | null; onClose(): void }) {
  const presence = usePresence("tasks", "cards", card.id);
  return (
    <div className="tasks-card-body">
      <div className="tasks-card-main">
        <PresenceStack {...presence} />
        <CardTitle card={card} data={data} />
        <Description card={card} data={data} etag={etag} />
        <Checklist card={card} data={data} />
        <CardFiles card={card} data={data} />
        <Talk card={card} data={data} />
      </div>
      <CardSide card={card} data={data} onClose={onClose} />
    </div>
  );
}

/** Saved when it is left or by Enter; an empty one goes back. */
function CardTitle({ card, data }: CardPartProps) {
  const change = useCardChange(card.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const title = draft ?? card.title;
  useEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.blockSize = "auto";
    area.style.blockSize = `${area.scrollHeight}px`;
  }, [title]);
  const save = () => {
    const wanted = draft?.trim().replace(/\s*\n\s*/g, " ");
    setDraft(null);
    if (wanted && wanted !== card.title) change({ title: wanted });
  };
  return (
    <textarea
      ref={field}
      className="tasks-card-name"
      aria-label="Title"
      rows={1}
      maxLength={500}
      readOnly={!data.isWriter}
      value={title}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.nativeEvent.isComposing) {
          event.preventDefault();
          event.currentTarget.blur();
        } else if (event.key === "Escape" && draft !== null) {
          event.preventDefault();
          event.stopPropagation();
          setDraft(null);
        }
      }}
    />
  );
}
