import { createContext, use, useEffect, useRef } from "react";
import { createStore, type Dispose, type Store } from "./store.ts";

/** Something a person can do by name (palette) or by key. */
export interface Command {
  id: string;
  title: string;
  /** Heading in the palette and in the shortcut sheet. */
  group?: string;
  /** Keys as in `mod+k`, `shift+?`, or a sequence `g h`. `mod` is Ctrl, or Cmd on a Mac. */
  shortcut?: string;
  /** CSS selector: the keys act only while the focus is inside an element that matches. */
  within?: string;
  /** More words that find it. */
  keywords?: string;
  /** Name of a lucide icon. */
  icon?: string;
  /** Left out of the palette, shown in the shortcut sheet. */
  hidden?: boolean;
  run(): void | Promise<void>;
}

export interface CommandRegistry {
  readonly commands: Store<readonly Command[]>;
  /** A later command with the same id replaces an earlier one until it is removed. */
  add(command: Command): Dispose;
}

export function createCommandRegistry(): CommandRegistry {
  const commands = createStore<readonly Command[]>([]);
  return {
    commands,
    add(command) {
      commands.set((all) => [...all, command]);
      return () => commands.set((all) => all.filter((other) => other !== command));
    },
  };
}

const CommandContext = createContext<CommandRegistry>(createCommandRegistry());
export const CommandProvider = CommandContext.Provider;

export function useCommandRegistry(): CommandRegistry {
  return use(CommandContext);
}

/** Adds a command, and its shortcut, while the component is mounted. `null` adds none. */
export function useCommand(command: Command | null): void {
  const registry = useCommandRegistry();
  const latest = useRef(command);
  useEffect(() => {
    latest.current = command;
  });
  const { id, title, group, shortcut, within, keywords, icon, hidden } = command ?? {};
  useEffect(() => {
    if (id === undefined || title === undefined) return;
    return registry.add({
      id,
      title,
      group,
      shortcut,
      within,
      keywords,
      icon,
      hidden,
      run: () => latest.current?.run(),
    });
  }, [registry, id, title, group, shortcut, within, keywords, icon, hidden]);
}
