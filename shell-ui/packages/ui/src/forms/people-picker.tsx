import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { UsersRound } from "lucide-react";
import { useEffect, useState, type KeyboardEvent } from "react";
import { ComboBox as AriaComboBox } from "react-aria-components/ComboBox";
import { Group } from "react-aria-components/Group";
import { Input } from "react-aria-components/Input";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { FieldParts, FloatingBox, type AriaFieldProps } from "../aria/parts.tsx";
import { Avatar } from "../kit/avatar.tsx";
import { findPeople, usePeople, type Person } from "./people.ts";
import { TagList } from "./tag-list.tsx";

export interface PeoplePickerProps extends AriaFieldProps {
  /** Ids of who is chosen. */
  value: readonly string[];
  /** `people`: the same, with their names, as far as they are known. */
  onChange(value: readonly string[], people: readonly Person[]): void;
  /** Only users, or only groups; default: both. */
  kind?: Person["kind"];
  /** One at most: another takes their place. */
  single?: boolean;
  /** Ids of who is not offered. */
  exclude?: readonly string[];
  placeholder?: string;
}

// Milliseconds without a key press before a search.
const pause = 150;

function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}

/**
 * Users and groups, found by the beginning of a name. Arrows and Enter choose, Backspace in the empty field takes the
 * last one out, and so does Delete on their name. Needs the page's `QueryClient`.
 */
export function PeoplePicker({
  value,
  onChange,
  kind,
  single,
  exclude = [],
  placeholder,
  ...field
}: PeoplePickerProps) {
  const [text, setText] = useState("");
  const [isUsed, setIsUsed] = useState(false);
  // Whom the box holds for a moment: a change of its value is what closes the list and clears the text.
  const [taken, setTaken] = useState<string | null>(null);
  useEffect(() => {
    if (taken !== null) setTaken(null);
  }, [taken]);
  const [said, setSaid] = useState("");
  const [picked, setPicked] = useState<ReadonlyMap<string, Person>>(new Map());
  const wanted = useDebounced(text.trim());
  const { data, isError, isPlaceholderData } = useQuery({
    queryKey: ["core", "people", "found", { wanted, kind }],
    queryFn: ({ signal }) => findPeople(wanted, kind, signal),
    enabled: isUsed,
    placeholderData: keepPreviousData,
  });
  const named = usePeople(value.filter((id) => !picked.has(id)));
  const personOf = (id: string): Person =>
    picked.get(id) ??
    named?.find((person) => person.id === id) ?? {
      kind: "user",
      id,
      name: named ? "Unknown" : "…",
    };

  const isSearching = wanted !== text.trim() || isPlaceholderData || !(data || isError);
  const offered = (data?.items ?? []).filter(
    ({ id, name }) =>
      id !== taken &&
      !value.includes(id) &&
      !exclude.includes(id) &&
      // A result of an earlier search can be chosen only if it matches the current text.
      (!isSearching || name.toLowerCase().includes(text.trim().toLowerCase())),
  );
  const choose = (person: Person) => {
    const chosen = single ? [person.id] : [...value, person.id];
    setTaken(person.id);
    setPicked(new Map(picked).set(person.id, person));
    setSaid(`${person.name} added`);
    onChange(
      chosen,
      chosen.map((id) => (id === person.id ? person : personOf(id))),
    );
  };
  const remove = (ids: readonly string[]) => {
    const left = value.filter((id) => !ids.includes(id));
    setSaid(`${ids.map((id) => personOf(id).name).join(", ")} removed`);
    onChange(left, left.map(personOf));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = value.at(-1);
    if (event.key === "Backspace" && text === "" && last !== undefined) remove([last]);
  };
  return (
    <div className="t-people">
      <AriaComboBox
        className="t-field"
        items={offered}
        value={taken}
        onChange={(key) => {
          const person = offered.find(({ id }) => id === key);
          if (person) choose(person);
        }}
        onInputChange={setText}
        onFocus={() => setIsUsed(true)}
        onKeyDown={onKeyDown}
        isInvalid={Boolean(field.error)}
        allowsEmptyCollection
        menuTrigger="input"
      >
        <FieldParts {...field}>
          <Group className="t-input t-aria-group">
            <Input placeholder={placeholder} autoComplete="off" />
          </Group>
        </FieldParts>
        <FloatingBox>
          <ListBox
            className="t-aria-list"
            renderEmptyState={() => (
              <div className="t-people-none">
                {isError
                  ? "Could not load the names."
                  : isSearching
                    ? "Searching…"
                    : "No matching names"}
              </div>
            )}
          >
            {(person: Person) => (
              <ListBoxItem className="t-aria-item" id={person.id} textValue={person.name}>
                {person.kind === "group" ? (
                  <span className="t-people-group">
                    <UsersRound size={14} />
                  </span>
                ) : (
                  <Avatar name={person.name} />
                )}
                <span className="t-ellipsis">{person.name}</span>
                {person.kind === "group" && <small className="t-muted">Group</small>}
              </ListBoxItem>
            )}
          </ListBox>
        </FloatingBox>
      </AriaComboBox>
      {value.length > 0 && (
        <TagList
          label={`${field.label}: chosen`}
          hideLabel
          tags={value.map((id) => ({ id, title: personOf(id).name }))}
          onRemove={remove}
        />
      )}
      <span className="t-visually-hidden" role="status">
        {said}
      </span>
    </div>
  );
}
