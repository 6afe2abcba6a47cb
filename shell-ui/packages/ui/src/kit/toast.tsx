import { createStore, useStore } from "@tenon/host";
import { CircleAlert, X } from "lucide-react";
import { useEffect, useRef } from "react";
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
const most = 3;

/** Says what happened, quietly. Returns a function that takes it away. */
export function toast(title: string, options: ToastOptions = {}): () => void {
  const key = ++lastKey;
  toasts.set((all) => [...all.slice(1 - most), { ...options, key, title }]);
  return () => dismiss(key);
}

function dismiss(key: number) {
  toasts.set((all) => all.filter((item) => item.key !== key));
}

/** Where toasts appear; the shell has one. */
export function Toaster() {
  const items = useStore(toasts);
  const region = useRef<HTMLDivElement>(null);
  const any = items.length > 0;
  useEffect(() => {
    const element = region.current;
    // Shown anew for each toast, so that it lies above a dialog opened meanwhile.
    if (element?.matches(":popover-open")) element.hidePopover();
    if (any) element?.showPopover();
  }, [any, items]);
  return (
    <div ref={region} popover="manual" className="t-toasts" role="region" aria-label="Messages">
      <div role="status" aria-live="polite" style={{ display: "contents" }}>
        {items.map((item) => (
          <ToastCard key={item.key} item={item} />
        ))}
      </div>
    </div>
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
