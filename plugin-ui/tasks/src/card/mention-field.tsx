import { useQuery } from "@tanstack/react-query";
import { Avatar, Button, coreApi, TextArea, VisuallyHidden, type ListPage } from "@tenon/ui";
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";

interface Named {
  id: string;
  name: string;
}

export interface MentionFieldProps {
  label: string;
  action: string;
  text?: string;
  mentions?: readonly Named[];
  /** `mentions`: ids of those whom the text names. */
  onSend(text: string, mentions: string[]): Promise<unknown>;
  onCancel?(): void;
}

const maxOffered = 6;

/** Returns the text being typed after an `@` before the caret. */
export function typedMention(text: string, caret: number): { at: number; words: string } | null {
  const match = /(?:^|[\s(])@([^\s@][^@\n]{0,40})?$/.exec(text.slice(0, caret));
  if (!match) return null;
  const words = match[1] ?? "";
  return { at: caret - words.length - 1, words };
}

/** Text in Markdown; `@` and the beginning of a name mention a person. */
export function MentionField({
  label,
  action,
  text = "",
  mentions = [],
  onSend,
  onCancel,
}: MentionFieldProps) {
  const list = useId();
  const field = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState(text);
  const [caret, setCaret] = useState(0);
  const [named, setNamed] = useState(mentions);
  const [active, setActive] = useState(0);
  const [closedAt, setClosedAt] = useState(-1);
  const [isBusy, setIsBusy] = useState(false);
  const typed = typedMention(draft, caret);
  const isOffering = typed !== null && typed.at !== closedAt;
  const { data } = useQuery({
    queryKey: ["core", "people", "mention", typed?.words ?? ""],
    queryFn: ({ signal }) =>
      coreApi.get<ListPage<Named>>("people", {
        query: { q: typed?.words ?? "", kind: "user", limit: maxOffered },
        signal,
      }),
    enabled: isOffering,
  });
  const offered = isOffering ? (data?.items ?? []) : [];
  const chosen = offered[Math.min(active, offered.length - 1)];
  // The caret after an inserted name, until the next letter is typed.
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const area = field.current?.querySelector("textarea");
    area?.focus();
    area?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = null;
  });

  const take = (person: Named) => {
    if (!typed) return;
    const begin = `${draft.slice(0, typed.at)}@${person.name} `;
    setDraft(begin + draft.slice(caret));
    setNamed([...named.filter(({ id }) => id !== person.id), person]);
    setClosedAt(typed.at);
    setCaret(begin.length);
    wanted.current = begin.length;
  };
  const send = async () => {
    if (draft.trim() === "" || isBusy) return;
    setIsBusy(true);
    try {
      const ids = named
        .filter(({ name }) => name && draft.includes(`@${name}`))
        .map(({ id }) => id);
      await onSend(draft.trim(), ids);
      setDraft("");
      setNamed([]);
    } catch {
      // It is said by a toast; the text stays.
    } finally {
      setIsBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (chosen && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const step = event.key === "ArrowDown" ? 1 : offered.length - 1;
      setActive((Math.min(active, offered.length - 1) + step) % offered.length);
    } else if (chosen && (event.key === "Enter" || event.key === "Tab") && !event.ctrlKey)
      take(chosen);
    else if (chosen && event.key === "Escape") setClosedAt(typed?.at ?? -1);
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
    else if (event.key === "Escape" && onCancel) onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={field} className="tasks-mention-field">
      <TextArea
        aria-label={label}
        placeholder="Write a comment, use @ to mention someone"
        rows={2}
        maxLength={20000}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${list}-${chosen.id}` : undefined}
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value);
          setCaret(event.target.selectionStart);
          setActive(0);
          setClosedAt(-1);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
      />
      <ul id={list} role="listbox" aria-label="People" hidden={offered.length === 0}>
        {offered.map((person) => (
          <li
            key={person.id}
            id={`${list}-${person.id}`}
            role="option"
            aria-selected={person === chosen}
            onPointerDown={(event) => {
              event.preventDefault();
              take(person);
            }}
          >
            <Avatar name={person.name} />
            {person.name}
          </li>
        ))}
      </ul>
      <VisuallyHidden>
        <span role="status">
          {offered.length > 0 &&
            `${offered.length} matches. Use the arrow keys and Enter to choose.`}
        </span>
      </VisuallyHidden>
      {(draft.trim() !== "" || onCancel) && (
        <div className="tasks-part-actions">
          <Button size="small" variant="primary" busy={isBusy} onClick={() => void send()}>
            {action}
          </Button>
          {onCancel && (
            <Button size="small" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
