import { useUser } from "@tenon/host";
import {
  Button,
  IconButton,
  Menu,
  MenuHeading,
  MenuItem,
  MenuSeparator,
  SearchInput,
  toast,
} from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { Bookmark, CalendarDays, ChevronDown, Tag, User, X } from "lucide-react";
import { useEffect, useMemo, useState, type ComponentProps } from "react";
import { useSearchParams } from "react-router";
import { isFiltered, noFilters, type BoardLocation, type Due } from "../model/location.ts";
import type { BoardData } from "../model/types.ts";
import { useCreateView, useRemoveView, useViews, type View } from "../tables.gen.ts";
import { ask } from "./ask.ts";

const dueTexts: Record<Due, string> = { late: "Overdue", week: "Next 7 days", none: "No due date" };
const pause = 200;

const toggled = (all: readonly string[], one: string) =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one];

export interface FilterBarProps {
  data: BoardData;
  location: BoardLocation;
  go(location: BoardLocation): void;
  search: string;
}

export function FilterBar({ data, location, go, search }: FilterBarProps) {
  const { filters } = location;
  const { id: me, name: myName } = useUser();
  const set = (change: Partial<typeof filters>) =>
    go({ ...location, filters: { ...filters, ...change } });
  const people = useMemo(() => {
    const all = new Set([...data.cards.flatMap(({ assignees }) => assignees), ...filters.people]);
    all.delete(me);
    return [...all]
      .map((id) => ({ id, name: data.names.get(id) ?? "…" }))
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }, [data.cards, data.names, filters.people, me]);
  const labels = [...data.labels.values()];
  const labelNames = filters.labels.flatMap((id) => data.labels.get(id)?.name ?? []);
  const peopleNames = filters.people.map((id) => (id === me ? "Me" : (data.names.get(id) ?? "…")));

  return (
    <div className="tasks-filters" role="search">
      <WordsField text={filters.text} onChange={(text) => set({ text })} />
      <Menu
        label="Assigned to"
        trigger={<Choice icon={User} name="Assigned" chosen={peopleNames} />}
      >
        <MenuItem
          checked={filters.people.includes(me)}
          onSelect={() => set({ people: toggled(filters.people, me) })}
        >
          {myName} (me)
        </MenuItem>
        {people.map(({ id, name }) => (
          <MenuItem
            key={id}
            checked={filters.people.includes(id)}
            onSelect={() => set({ people: toggled(filters.people, id) })}
          >
            {name}
          </MenuItem>
        ))}
      </Menu>
      {labels.length > 0 && (
        <Menu label="Label" trigger={<Choice icon={Tag} name="Label" chosen={labelNames} />}>
          {labels.map(({ id, name, color }) => (
            <MenuItem
              key={id}
              checked={filters.labels.includes(id)}
              onSelect={() => set({ labels: toggled(filters.labels, id) })}
            >
              <span className="tasks-dot" data-color={color} />
              {name}
            </MenuItem>
          ))}
        </Menu>
      )}
      <Menu
        label="Due"
        trigger={
          <Choice
            icon={CalendarDays}
            name="Due"
            chosen={filters.due ? [dueTexts[filters.due]] : []}
          />
        }
      >
        {(Object.keys(dueTexts) as Due[]).map((due) => (
          <MenuItem
            key={due}
            checked={filters.due === due}
            onSelect={() => set({ due: filters.due === due ? null : due })}
          >
            {dueTexts[due]}
          </MenuItem>
        ))}
      </Menu>
      {isFiltered(filters) && (
        <>
          <IconButton
            icon={X}
            label="Clear filters"
            onClick={() => go({ ...location, filters: noFilters })}
          />
          <span className="t-muted tasks-found" role="status">
            {data.shown.length === 1 ? "1 card" : `${data.shown.length.toLocaleString()} cards`}
          </span>
        </>
      )}
      <ViewsMenu
        board={data.board}
        search={search}
        canShare={data.isWriter}
        isMentioned={filters.mentioned}
        onMentioned={() => set({ mentioned: !filters.mentioned })}
      />
    </div>
  );
}

function WordsField({ text, onChange }: { text: string; onChange(text: string): void }) {
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  // Cleared or set from elsewhere.
  if (text !== known) {
    setKnown(text);
    setTyped(text);
  }
  useEffect(() => {
    if (typed === known) return;
    const timer = setTimeout(() => {
      setKnown(typed);
      onChange(typed);
    }, pause);
    return () => clearTimeout(timer);
  });
  return (
    <SearchInput
      label="Filter"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && typed !== "") {
          event.preventDefault();
          setTyped("");
        }
      }}
    />
  );
}

function Choice({
  icon,
  name,
  chosen,
  ...trigger
}: Omit<ComponentProps<"button">, "name"> & {
  icon: typeof Tag;
  name: string;
  chosen: readonly string[];
}) {
  return (
    <Button
      {...trigger}
      icon={icon}
      variant="ghost"
      size="small"
      data-chosen={chosen.length > 0 || undefined}
      aria-label={chosen.length > 0 ? `${name}: ${chosen.join(", ")}` : name}
    >
      <span className="t-ellipsis">
        {chosen.length > 1 ? `${chosen[0]} +${chosen.length - 1}` : (chosen[0] ?? name)}
      </span>
      <ChevronDown size={14} />
    </Button>
  );
}

const mentionsOfMe = "Mentions me";

/** Filters and layouts under names. */
function ViewsMenu({
  board,
  search,
  canShare,
  isMentioned,
  onMentioned,
}: {
  board: string;
  search: string;
  canShare: boolean;
  isMentioned: boolean;
  onMentioned(): void;
}) {
  const [, setParams] = useSearchParams();
  const options = useMemo(
    () => ({ filter: filter`board = ${board}`, sort: ["name"] as const, limit: 100 }),
    [board],
  );
  const { data } = useViews(options);
  const remove = useRemoveView();
  const create = useCreateView();
  const views = data?.items ?? [];
  const current = views.find(({ query }) => query === search);
  const drop = (view: View) => {
    remove.mutate({ id: view.id });
    const { name, shared, query } = view;
    toast(`View “${name}” deleted`, {
      action: { label: "Undo", run: () => create.mutate({ board, name, shared, query }) },
    });
  };
  return (
    <Menu
      label="Views"
      align="end"
      trigger={
        <Button icon={Bookmark} variant="ghost" size="small">
          <span className="t-ellipsis">
            {current?.name ?? (isMentioned ? mentionsOfMe : "Views")}
          </span>
          <ChevronDown size={14} />
        </Button>
      }
    >
      <MenuItem checked={isMentioned} onSelect={onMentioned}>
        {mentionsOfMe}
      </MenuItem>
      <MenuSeparator />
      {views.length > 0 && <MenuHeading>Views</MenuHeading>}
      {views.map((view) => (
        <MenuItem key={view.id} checked={view === current} onSelect={() => setParams(view.query)}>
          {view.name}
          {view.shared && <small className="t-muted"> · shared</small>}
        </MenuItem>
      ))}
      {views.length > 0 && <MenuSeparator />}
      <MenuItem
        disabled={search === "" || Boolean(current)}
        onSelect={() => ask({ kind: "save-view" })}
      >
        {canShare ? "Save view" : "Save private view"}
      </MenuItem>
      {current && (
        <MenuItem danger onSelect={() => drop(current)}>
          Delete “{current.name}”
        </MenuItem>
      )}
    </Menu>
  );
}
