import "./palette.css";
import { useCommandRegistry, useStore, type Command } from "@tenon/host";
import { Kbd, Spinner } from "@tenon/ui";
import { CornerDownLeft, Search } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useNavigate } from "react-router";
import { overlay } from "../frame/overlay.ts";
import { useRecentPages } from "../navigation/recent-pages.ts";
import { PluginIcon } from "../plugins/plugin-icon.tsx";
import { useServices } from "../services.ts";
import { score } from "./score.ts";
import { useSearch } from "./use-search.ts";

interface Entry {
  key: string;
  title: string;
  /** The plugin, notebook or board of the entry. */
  context?: string;
  /** The text around a match, on a line of its own. */
  snippet?: string;
  icon?: string;
  shortcut?: string;
  run(): void;
}

interface Group {
  /** Unique among the groups; titles are not. */
  key: string;
  title: string;
  /** The entries are for an earlier text: the source has not responded for the current one. */
  isStale?: boolean;
  entries: readonly Entry[];
}

const maxRecentPages = 6;
const shellGroups = ["Go to", "General"];

/** Search and commands in one: type, choose with the arrows, Enter. */
export default function Palette() {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<Entry>();
  const ref = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { groups, busy } = useGroups(typed);
  const entries = groups.flatMap((group) => group.entries);
  const current = groups.flatMap((group) => (group.isStale ? [] : group.entries));
  // Results that arrive later do not move the selection: Enter runs what the person saw selected.
  const selected =
    entries.find(({ key }) => key === chosen?.key) ??
    current.find(({ title }) => title === chosen?.title) ??
    current[0];
  if (selected?.key !== chosen?.key) setChosen(selected);
  const at = entries.findIndex(({ key }) => key === selected?.key);
  const close = () => overlay.set(null);

  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, typed]);

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const next = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1 }[event.key];
    if (next !== undefined) setChosen(entries.at(next % Math.max(1, entries.length)));
    else if (event.key === "Enter") run(selected);
    else return;
    event.preventDefault();
  };

  let index = -1;
  return (
    <dialog
      ref={ref}
      className="t-dialog shell-palette"
      aria-label="Search and commands"
      onClose={close}
      onMouseDown={(event) => event.target === ref.current && close()}
    >
      <div className="shell-palette-input">
        {busy ? <Spinner /> : <Search size={16} />}
        <input
          role="combobox"
          aria-label="Search and commands"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          placeholder="Search, or type a command"
          value={typed}
          autoFocus
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <Kbd keys="escape" />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
        className="shell-palette-list"
      >
        {groups.map((group) => (
          <div key={group.key} role="group" aria-label={group.title}>
            <div className="t-menu-heading" aria-hidden>
              {group.title}
            </div>
            {group.entries.map((entry) => {
              const own = ++index;
              return (
                <div
                  key={entry.key}
                  id={`${id}-${own}`}
                  role="option"
                  aria-selected={own === at}
                  className="shell-palette-entry"
                  onPointerMove={() => setChosen(entry)}
                  onClick={() => run(entry)}
                >
                  <PluginIcon name={entry.icon ?? "corner-down-right"} />
                  <span className="shell-palette-text">
                    <span className="t-ellipsis">{entry.title}</span>
                    {entry.snippet && (
                      <span className="t-ellipsis shell-palette-snippet">{entry.snippet}</span>
                    )}
                  </span>
                  {entry.context && (
                    <span className="t-ellipsis shell-palette-context">{entry.context}</span>
                  )}
                  {entry.shortcut ? (
                    <Kbd keys={entry.shortcut} />
                  ) : (
                    own === at && <CornerDownLeft size={14} />
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {entries.length === 0 && (
        <p className="shell-palette-none t-muted" role="status">
          {busy ? "Searching" : `No results for “${typed.trim()}”`}
        </p>
      )}
    </dialog>
  );
}

function useGroups(typed: string): { groups: readonly Group[]; busy: boolean } {
  const commands = useStore(useCommandRegistry().commands);
  const { plugins } = useStore(useServices().registry.store);
  const recent = useRecentPages();
  const navigate = useNavigate();
  const found = useSearch(typed);

  const text = typed.trim();
  const own = useMemo(() => commandGroups(commands, text), [commands, text]);

  const pages = recent
    .filter(
      ({ plugin, title }) =>
        plugins.some(({ id }) => id === plugin) && (!text || score(text, title)),
    )
    .slice(0, maxRecentPages)
    .map(({ path, title, plugin }) => {
      const owner = plugins.find(({ id }) => id === plugin);
      return {
        plugin,
        key: `recent:${path}`,
        title,
        context: owner?.name,
        icon: owner?.navigation?.[0]?.icon,
        run: () => void navigate(path),
      };
    });

  const hits: Group[] = found.groups.map(({ key, title, icon, hits }) => ({
    key: `search:${key}`,
    title,
    isStale: found.query !== text,
    entries: hits.map((hit) => ({
      key: `${key}:${hit.id}`,
      title: hit.title,
      context: hit.context,
      snippet: hit.snippet,
      icon,
      run: () => void navigate(hit.path),
    })),
  }));
  const shown = new Set(
    found.groups.flatMap(({ plugin, hits }) => hits.map(({ title }) => `${plugin} ${title}`)),
  );
  const entries = pages.filter(({ plugin, title }) => !shown.has(`${plugin} ${title}`));
  const recently: Group[] =
    entries.length > 0 ? [{ key: "recent", title: "Recently opened", entries }] : [];
  return {
    // A command that matches is what the person typed the name of.
    groups: text ? [...own, ...recently, ...hits] : [...recently, ...own],
    busy: found.busy,
  };
}

/** All commands by their groups, those of plugins first; with a text those that match, the best one first. */
function commandGroups(commands: readonly Command[], text: string): readonly Group[] {
  const byId = new Map<string, Command>();
  for (const command of commands) if (!command.hidden) byId.set(command.id, command);
  const entryOf = ({ id, title, icon, shortcut, run }: Command): Entry => ({
    key: `command:${id}`,
    title,
    icon,
    shortcut,
    run: () => void run(),
  });
  if (text) {
    const entries = [...byId.values()]
      .map((command) => ({
        entry: { ...entryOf(command), context: command.group },
        rank: score(text, command.title, `${command.keywords ?? ""} ${command.group ?? ""}`),
      }))
      .filter(({ rank }) => rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .map(({ entry }) => entry);
    return entries.length > 0 ? [{ key: "commands", title: "Commands", entries }] : [];
  }
  const groups = new Map<string, Entry[]>();
  for (const command of byId.values()) {
    const title = command.group ?? "Commands";
    groups.set(title, [...(groups.get(title) ?? []), entryOf(command)]);
  }
  return [...groups]
    .map(([title, entries]) => ({ key: `commands:${title}`, title, entries }))
    .sort((a, b) => shellGroups.indexOf(a.title) - shellGroups.indexOf(b.title));
}
