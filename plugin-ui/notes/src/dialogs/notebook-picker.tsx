import { Check, Notebook as NotebookIcon, Inbox } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { SearchInput } from "@tenon/ui";
import { pathOf } from "../model/notebook-tree.ts";
import type { Notebook } from "../model/types.ts";

export interface NotebookPickerProps {
  notebooks: readonly Notebook[];
  /** All, for the names above; `notebooks` by default. */
  all?: readonly Notebook[];
  /** The name for lying in no notebook. */
  top: string;
  current: string | null;
  onChoose(id: string | null): void;
}

const maxShown = 200;

/** Chooses a notebook by typing and arrows, or by a click. */
export function NotebookPicker({
  notebooks,
  all = notebooks,
  top,
  current,
  onChoose,
}: NotebookPickerProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const choices = useMemo(() => {
    const locations = notebooks.map((notebook) => ({
      id: notebook.id as string | null,
      name: notebook.name,
      above: pathOf(all, notebook.parent)
        .map(({ name }) => name)
        .join(" / "),
    }));
    locations.sort((a, b) => `${a.above}/${a.name}`.localeCompare(`${b.above}/${b.name}`));
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    return [{ id: null, name: top, above: "" }, ...locations]
      .filter(({ name, above }) =>
        words.every((word) => `${above} ${name}`.toLowerCase().includes(word)),
      )
      .slice(0, maxShown);
  }, [notebooks, all, top, typed]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);

  return (
    <div className="notes-picker">
      <SearchInput
        label="Find a notebook"
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={choices.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const last = choices.length - 1;
          if (event.key === "ArrowDown") setActive((at) => Math.min(at + 1, last));
          else if (event.key === "ArrowUp") setActive((at) => Math.max(at - 1, 0));
          else if (event.key === "Enter") {
            const choice = choices[active];
            if (choice) onChoose(choice.id);
          } else return;
          event.preventDefault();
        }}
      />
      <ul ref={list} id={id} role="listbox" aria-label="Notebooks">
        {choices.map((choice, index) => (
          <li
            key={choice.id ?? "top"}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => onChoose(choice.id)}
            onPointerMove={() => setActive(index)}
          >
            {choice.id === null ? <Inbox size={16} /> : <NotebookIcon size={16} />}
            <span className="t-ellipsis">{choice.name}</span>
            {choice.above && <span className="notes-picker-above t-ellipsis">{choice.above}</span>}
            {choice.id === current && <Check size={16} aria-label="Current notebook" />}
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="t-muted">No matching notebooks</p>}
    </div>
  );
}
