import { useId, type ReactNode } from "react";

export interface TabItem {
  id: string;
  title: ReactNode;
  content: ReactNode;
}

export interface TabsProps {
  label: string;
  items: readonly TabItem[];
  value: string;
  onChange(id: string): void;
}

/** Tabs inside a page. Where a reload must restore them, keep `value` in the URL. */
export function Tabs({ label, items, value, onChange }: TabsProps) {
  const id = useId();
  const move = (event: React.KeyboardEvent) => {
    const at = items.findIndex((item) => item.id === value);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? -1
          : step
            ? (at + step) % items.length
            : null;
    if (next === null) return;
    event.preventDefault();
    const item = items.at(next);
    if (!item) return;
    onChange(item.id);
    document.getElementById(`${id}-${item.id}`)?.focus();
  };
  const current = items.find((item) => item.id === value);
  return (
    <>
      <div className="t-tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {items.map((item) => (
          <button
            key={item.id}
            type="button"
            role="tab"
            id={`${id}-${item.id}`}
            aria-selected={item.id === value}
            aria-controls={item.id === value ? `${id}-panel` : undefined}
            tabIndex={item.id === value ? 0 : -1}
            onClick={() => onChange(item.id)}
          >
            {item.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {current?.content}
      </div>
    </>
  );
}
