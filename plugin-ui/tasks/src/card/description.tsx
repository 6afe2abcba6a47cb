import { useQueryClient } from "@tanstack/react-query";
import { Button, Kbd, Notice, Problem, TextArea } from "@tenon/ui";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { cards, type Card } from "../tables.gen.ts";
import { sayError } from "../board/use-moves.ts";
import type { CardPartProps } from "./part.ts";
import { MarkdownText } from "./markdown-text.tsx";

interface Draft {
  text: string;
  /** The text it was made from, and the tag of that. */
  from: string;
  tag: string | null;
}

/** Shows Markdown until the person writes. A concurrent change by another person is not overwritten without asking. */
export function Description({ card, data, etag }: CardPartProps & { etag: string | null }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [theirs, setTheirs] = useState<Card | null>(null);
  const text = card.description ?? "";

  const send = async (tag: string | null) => {
    if (!draft) return;
    const wanted = draft.text.trim() || null;
    if (wanted === card.description) {
      setDraft(null);
      return;
    }
    setIsBusy(true);
    try {
      queries.setQueryData(
        ["tasks", "cards", "one", card.id],
        await cards.update(card.id, { description: wanted }, tag),
      );
      await queries.invalidateQueries({ queryKey: ["tasks", "cards"] });
      setDraft(null);
      setTheirs(null);
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 412) await again(draft);
      else sayError(problem);
    } finally {
      setIsBusy(false);
    }
  };
  /** Something of the card changed meanwhile: of the description, or only of something else. */
  const again = async ({ from }: Draft) => {
    const now = await cards.get(card.id);
    if ((now.record.description ?? "") === from) await send(now.etag);
    else setTheirs(now.record);
  };

  if (!draft)
    return (
      <section className="tasks-part" aria-label="Description">
        {text && <MarkdownText text={text} />}
        {data.isWriter && (
          <Button
            variant="ghost"
            size="small"
            icon={Pencil}
            onClick={() => setDraft({ text, from: text, tag: etag })}
          >
            {text ? "Edit description" : "Add a description"}
          </Button>
        )}
      </section>
    );
  return (
    <section className="tasks-part" aria-label="Description">
      {theirs && (
        <Notice
          tone="warning"
          action={
            <>
              <Button
                size="small"
                onClick={() => {
                  setDraft(null);
                  setTheirs(null);
                }}
              >
                Use theirs
              </Button>
              <Button size="small" onClick={() => void send(null)}>
                Keep mine
              </Button>
            </>
          }
        >
          Someone else changed the description: “{(theirs.description ?? "").slice(0, 200)}”
        </Notice>
      )}
      <TextArea
        aria-label="Description, in Markdown"
        className="tasks-description-field"
        autoFocus
        maxLength={100000}
        value={draft.text}
        onChange={(event) => setDraft({ ...draft, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send(draft.tag);
          else if (event.key === "Escape" && draft.text === draft.from) {
            event.preventDefault();
            event.stopPropagation();
            setDraft(null);
          }
        }}
      />
      <div className="tasks-part-actions">
        <Button variant="primary" size="small" busy={isBusy} onClick={() => void send(draft.tag)}>
          Save
        </Button>
        <Button size="small" onClick={() => setDraft(null)}>
          Cancel
        </Button>
        <span className="t-hint">
          Markdown · <Kbd keys="mod+enter" /> saves
        </span>
      </div>
    </section>
  );
}
