import { Plus, X } from "lucide-react";
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { useTags } from "../model/queries.ts";
import { limits } from "../model/types.ts";

/** Computes new tags from the present ones, which may differ by then from the ones seen. */
export type TagsEdit = (tags: readonly string[]) => readonly string[];

export interface TagsFieldProps {
  tags: readonly string[];
  readOnly?: boolean;
  onChange(edit: TagsEdit): void;
}

const maxOffered = 8;
const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** The tags of a note: chips, and a field that offers the tags there are. */
export function TagsField({ tags, readOnly, onChange }: TagsFieldProps) {
  const [editing, setEditing] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const remove = (tag: string) => onChange((now) => now.filter((other) => other !== tag));
  return (
    <div className="notes-tags">
      <ul aria-label="Tags">
        {tags.map((tag) => (
          <li key={tag} className="notes-tag">
            <span className="t-ellipsis">{tag}</span>
            {!readOnly && (
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                onClick={() => remove(tag)}
              >
                <X size={12} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {editing ? (
        <TagInput
          taken={tags}
          onAdd={(tag) => {
            onChange((now) => (now.some((other) => same(other, tag)) ? now : [...now, tag]));
          }}
          onRemoveLast={() => {
            const last = tags.at(-1);
            if (last !== undefined) remove(last);
          }}
          onClose={(refocus) => {
            setEditing(false);
            if (refocus) requestAnimationFrame(() => adder.current?.focus());
          }}
        />
      ) : (
        tags.length < limits.tags &&
        !readOnly && (
          <button
            ref={adder}
            type="button"
            className="notes-tag-add"
            onClick={() => setEditing(true)}
          >
            <Plus size={12} />
            {tags.length === 0 ? "Add tags" : "Tag"}
          </button>
        )
      )}
    </div>
  );
}

function TagInput({
  taken,
  onAdd,
  onRemoveLast,
  onClose,
}: {
  taken: readonly string[];
  onAdd(tag: string): void;
  onRemoveLast(): void;
  onClose(refocus: boolean): void;
}) {
  const id = useId();
  const { tags } = useTags();
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(-1);
  const wanted = typed.trim().replace(/^#/, "");
  const offered = tags
    .filter(({ name }) => !taken.some((tag) => same(tag, name)))
    .filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
    .sort(
      (a, b) =>
        Number(startsWith(b.name, wanted)) - Number(startsWith(a.name, wanted)) ||
        b.notes - a.notes,
    )
    .slice(0, maxOffered);

  const add = (tag: string) => {
    const clean = tag.trim().replace(/^#/, "").slice(0, limits.tag);
    if (clean) onAdd(clean);
    setTyped("");
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const chosen = offered[active]?.name;
    if (event.key === "Enter" || event.key === ",") {
      if (chosen ?? wanted) add(chosen ?? wanted);
      else onClose(true);
    } else if (event.key === "Escape") onClose(true);
    else if (event.key === "Backspace" && typed === "") onRemoveLast();
    else if (event.key === "ArrowDown") setActive((at) => Math.min(at + 1, offered.length - 1));
    else if (event.key === "ArrowUp") setActive((at) => Math.max(at - 1, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="notes-tag-input">
      <input
        autoFocus
        role="combobox"
        aria-label="Add a tag"
        aria-expanded={offered.length > 0}
        aria-controls={id}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        placeholder="Tag"
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.tag}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value.replaceAll(",", ""));
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (wanted) add(wanted);
          onClose(false);
        }}
      />
      {offered.length > 0 && (
        <ul id={id} role="listbox" aria-label="Tag suggestions" className="notes-tag-options">
          {offered.map(({ id: key, name, notes }, index) => (
            <li
              key={key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onMouseDown={(event) => {
                event.preventDefault();
                add(name);
              }}
            >
              <span className="t-ellipsis">{name}</span>
              <span className="t-muted">{notes}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function startsWith(name: string, wanted: string): boolean {
  return name.toLowerCase().startsWith(wanted.toLowerCase());
}
