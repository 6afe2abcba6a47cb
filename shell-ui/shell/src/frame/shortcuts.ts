import { useCommandRegistry, type Command } from "@tenon/host";
import { matchesChord } from "@tenon/ui/frame";
import { useEffect } from "react";

const sequenceTime = 1_000;

/** Elements in which letters are text. A page marks others, such as a pane right after typing, by the attribute. */
const typingTargets =
  "input:not([type=checkbox], [type=radio]), textarea, select, [data-no-letter-keys]";

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches(typingTargets))
  );
}

function hasFocusWithin({ target }: KeyboardEvent, selector: string | undefined): boolean {
  return selector === undefined || (target instanceof Element && target.closest(selector) !== null);
}

/** The command whose keys are complete with this event, and the keys that wait for more. */
export function matchShortcut(
  commands: readonly Command[],
  event: KeyboardEvent,
  begun: string | null,
): { command?: Command; begun: string | null } {
  let next: string | null = null;
  for (const command of [...commands].reverse()) {
    const [first = "", second] = command.shortcut?.split(" ") ?? [];
    if (!first || !hasFocusWithin(event, command.within)) continue;
    if (begun === null) {
      if (!matchesChord(event, first)) continue;
      if (second === undefined) return { command, begun: null };
      next = first;
    } else if (begun === first && second !== undefined && matchesChord(event, second)) {
      return { command, begun: null };
    }
  }
  return { begun: next };
}

/** Runs the commands of the registry by their keys. */
export function useShortcuts(): void {
  const { commands } = useCommandRegistry();
  useEffect(() => {
    let begun: string | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const withCommand = event.ctrlKey || event.metaKey;
      if (!withCommand && (isTyping(event.target) || document.querySelector("dialog[open]")))
        return;
      const match = matchShortcut(commands.get(), event, begun);
      clearTimeout(timer);
      begun = match.begun;
      if (begun !== null) timer = setTimeout(() => (begun = null), sequenceTime);
      if (!match.command) return;
      event.preventDefault();
      void match.command.run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", onKeyDown);
    };
  }, [commands]);
}
