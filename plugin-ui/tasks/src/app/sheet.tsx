import { IconButton } from "@tenon/ui";
import { X } from "lucide-react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, type ReactNode } from "react";
import "../styles/sheet.css";

export interface SheetProps {
  /** Names it. */
  title: string;
  size?: "medium" | "large";
  /** Buttons before *Close*. */
  actions?: ReactNode;
  onClose(): void;
  children: ReactNode;
}

/** Whether something above it takes Escape first. */
function isCovered(): boolean {
  return [...document.querySelectorAll("dialog[open], :popover-open")].some(
    (one) => !one.matches(".t-toasts"),
  );
}

/**
 * Lies over the plugin's page as a dialog does, but in the page: what floats next to it (lists of people, calendars,
 * messages with *Undo*) can be reached, which a modal `<dialog>` makes inert. The page below is to be `inert`.
 */
export function Sheet({ title, size = "medium", actions, onClose, children }: SheetProps) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    ref.current?.focus();
    return () => {
      // The page below is inert until this is gone.
      setTimeout(() => {
        const isFree = document.activeElement === null || document.activeElement === document.body;
        if (isFree && before instanceof HTMLElement) before.focus();
      });
    };
  }, []);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isCovered()) return;
    event.preventDefault();
    onClose();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
  return (
    <div
      className="tasks-sheet-backdrop"
      onPointerDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <section
        ref={ref}
        role="dialog"
        aria-label={title}
        tabIndex={-1}
        className="tasks-sheet"
        data-size={size}
      >
        <span className="tasks-sheet-close">
          {actions}
          <IconButton icon={X} label="Close" onClick={onClose} />
        </span>
        {children}
      </section>
    </div>
  );
}
