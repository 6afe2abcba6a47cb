import { createStore, useStore } from "@tenon/host";
import { CircleAlert, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Button, IconButton } from "./button.tsx";

export interface ToastOptions {
  tone?: "neutral" | "danger";
  /** One thing to do about it, such as Undo. */
  action?: { label: string; run(): void };
  /** Milliseconds; 0 stays until closed. An error stays. */
  duration?: number;
}

interface Toast extends ToastOptions {
  key: number;
  title: string;
}

const toasts = createStore<readonly Toast[]>([]);
let lastKey = 0;
const maxToasts = 3;

/** Says what happened, quietly. Returns a function that takes it away. */
export function toast(title: string, options: ToastOptions = {}): () => void {
  const key = ++lastKey;
  toasts.set((all) => [...all.slice(1 - maxToasts), { ...options, key, title }]);
  return () => dismiss(key);
}

/** Takes all away: a test starts without those of the test before. */
export const dismissAll = () => toasts.set([]);

function dismiss(key: number) {
  toasts.set((all) => all.filter((item) => item.key !== key));
}

/** The dialog that has the focus, else the last that is open: all outside of it is inert. */
const topmost = () =>
  document.activeElement?.closest("dialog[open]") ??
  [...document.querySelectorAll("dialog[open]")].at(-1) ??
  document.body;

/** Shows the toasts; the shell has one. Toasts move into a dialog while it is open. */
export function Toaster() {
  const items = useStore(toasts);
  const [region] = useState(() => document.createElement("div"));
  const any = items.length > 0;
  useEffect(() => {
    region.className = "t-toasts";
    region.popover = "manual";
    const follow = () => {
      const place = topmost();
      if (region.parentNode === place) return;
      place.append(region);
      if (any) region.showPopover();
    };
    // Shown again for each toast, so that it is above elements that opened in the meantime.
    if (region.matches(":popover-open")) region.hidePopover();
    follow();
    if (!any) return;
    if (!region.matches(":popover-open")) region.showPopover();
    const observer = new MutationObserver(follow);
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["open"] });
    return () => observer.disconnect();
  }, [any, items, region]);
  useEffect(() => () => region.remove(), [region]);
  return createPortal(
    <div role="region" aria-label="Notifications">
      <div role="status">
        {items.map((item) => (
          <ToastCard key={item.key} item={item} />
        ))}
      </div>
    </div>,
    region,
  );
}

function ToastCard({ item }: { item: Toast }) {
  const { key, title, tone, action } = item;
  const duration = item.duration ?? (tone === "danger" ? 0 : action ? 8000 : 4000);
  const timer = useRef(0);
  const start = () => {
    if (duration) timer.current = window.setTimeout(() => dismiss(key), duration);
  };
  const stop = () => clearTimeout(timer.current);
  useEffect(() => {
    start();
    return stop;
    // The card lives as long as its toast, whose duration does not change.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <div
      className="t-toast"
      data-tone={tone}
      onPointerEnter={stop}
      onPointerLeave={start}
      onFocus={stop}
      onBlur={start}
    >
      {tone === "danger" && <CircleAlert size={16} />}
      <div>{title}</div>
      {action && (
        <Button
          size="small"
          onClick={() => {
            dismiss(key);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label="Dismiss" size="small" onClick={() => dismiss(key)} />
    </div>
  );
}
