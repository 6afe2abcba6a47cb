import { cloneElement, useEffect, useRef, useState, type ReactElement, type Ref } from "react";
import { Kbd } from "./kbd.tsx";
import { place, type Placement } from "./place.ts";

export interface TooltipProps {
  label: string;
  shortcut?: string;
  side?: Placement["side"];
  /** One element that takes pointer and focus handlers and is named by itself. */
  children: ReactElement<TriggerProps>;
}

interface TriggerProps {
  onPointerEnter?: (event: React.PointerEvent<HTMLElement>) => void;
  onPointerLeave?: (event: React.PointerEvent<HTMLElement>) => void;
  onPointerDown?: (event: React.PointerEvent<HTMLElement>) => void;
  onFocus?: (event: React.FocusEvent<HTMLElement>) => void;
  onBlur?: (event: React.FocusEvent<HTMLElement>) => void;
  ref?: Ref<HTMLElement>;
}

const delay = 500;

/** Shows a name on hover and on keyboard focus. For the eye only: the trigger must be named itself. */
export function Tooltip({ label, shortcut, side = "bottom", children }: TooltipProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const timer = useRef(0);
  const hide = () => {
    clearTimeout(timer.current);
    setAnchor(null);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const { props } = children;
  return (
    <>
      {cloneElement(children, {
        onPointerEnter(event) {
          props.onPointerEnter?.(event);
          const target = event.currentTarget;
          if (event.pointerType !== "mouse") return;
          timer.current = window.setTimeout(() => setAnchor(target), delay);
        },
        onPointerLeave(event) {
          props.onPointerLeave?.(event);
          hide();
        },
        onPointerDown(event) {
          props.onPointerDown?.(event);
          hide();
        },
        onFocus(event) {
          props.onFocus?.(event);
          const target = event.currentTarget;
          if (!target.matches(":focus-visible")) return;
          // A menu that closes gives its focus back first; nothing may open meanwhile.
          timer.current = window.setTimeout(() => setAnchor(target));
        },
        onBlur(event) {
          props.onBlur?.(event);
          hide();
        },
      })}
      {anchor && (
        <Bubble anchor={anchor} label={label} shortcut={shortcut} side={side} onEscape={hide} />
      )}
    </>
  );
}

function Bubble({
  anchor,
  label,
  shortcut,
  side,
  onEscape,
}: {
  anchor: HTMLElement;
  label: string;
  shortcut?: string;
  side: Placement["side"];
  onEscape: () => void;
}) {
  const bubble = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = bubble.current;
    element?.showPopover();
    if (element) place(element, anchor.getBoundingClientRect(), { side, align: "center", gap: 6 });
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && onEscape();
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  return (
    <div ref={bubble} popover="manual" className="t-popover t-tooltip" aria-hidden>
      {label}
      {shortcut && <Kbd keys={shortcut} />}
    </div>
  );
}
