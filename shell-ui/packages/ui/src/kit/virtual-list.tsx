import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface VirtualListProps<T> {
  items: readonly T[];
  itemKey(item: T): string;
  /** Pixels; all rows are alike. */
  rowHeight: number;
  label: string;
  renderItem(item: T, state: { active: boolean; selected: boolean }): ReactNode;
  selectedKey?: string | null;
  /** Click or Enter. */
  onOpen(item: T): void;
  /** Space. */
  onToggle?(item: T): void;
  /** Delete. */
  onDelete?(item: T): void;
  /** The row that has the keyboard has come into sight or changed: a good time to preload. */
  onActive?(item: T): void;
  className?: string;
}

const overscan = 6;

/** A list of any length that renders what is in sight. Arrows, Home, End, Page keys move in it. */
export function VirtualList<T>({
  items,
  itemKey,
  rowHeight,
  label,
  renderItem,
  selectedKey,
  onOpen,
  onToggle,
  onDelete,
  onActive,
  className,
}: VirtualListProps<T>) {
  const id = useId();
  const viewport = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [activeKey, setActiveKey] = useState<string | null>(null);

  useLayoutEffect(() => {
    const element = viewport.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const keyIndex = (key: string | null | undefined) =>
    key == null ? -1 : items.findIndex((item) => itemKey(item) === key);
  const activeIndex = keyIndex(activeKey) >= 0 ? keyIndex(activeKey) : keyIndex(selectedKey);

  const reveal = (index: number) => {
    const element = viewport.current;
    if (!element) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  };

  // Opened from elsewhere: scroll to it.
  useEffect(() => {
    const index = keyIndex(selectedKey);
    if (index >= 0) reveal(index);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selectedKey]);

  const activate = (index: number) => {
    const item = items[index];
    if (!item) return;
    setActiveKey(itemKey(item));
    reveal(index);
    onActive?.(item);
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const last = items.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: Math.min(last, activeIndex + 1),
      ArrowUp: Math.max(0, activeIndex - 1),
      PageDown: Math.min(last, activeIndex + page),
      PageUp: Math.max(0, activeIndex - page),
      Home: 0,
      End: last,
    };
    const active = items[activeIndex];
    const target = moves[event.key];
    if (target !== undefined) activate(target);
    else if (active && event.key === "Enter") onOpen(active);
    else if (active && event.key === " " && onToggle) onToggle(active);
    else if (active && (event.key === "Delete" || event.key === "Backspace") && onDelete)
      onDelete(active);
    else return;
    event.preventDefault();
  };

  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan);
  const end = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + overscan);
  return (
    <div
      ref={viewport}
      className={classNames("t-virtual-list", className)}
      role="listbox"
      aria-label={label}
      aria-activedescendant={
        activeIndex >= first && activeIndex < end ? `${id}-${activeIndex}` : undefined
      }
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        // A pointer chooses its row itself, and nothing may move below it.
        const byKeyboard = event.currentTarget.matches(":focus-visible");
        if (byKeyboard && activeIndex < 0) activate(Math.ceil(view.top / rowHeight));
      }}
      onScroll={(event) => {
        const { scrollTop: top, clientHeight: height } = event.currentTarget;
        setView({ top, height });
      }}
    >
      <div style={{ blockSize: items.length * rowHeight }}>
        {items.slice(first, end).map((item, offset) => {
          const index = first + offset;
          const key = itemKey(item);
          const state = { active: index === activeIndex, selected: key === selectedKey };
          return (
            <div
              key={key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={state.selected}
              aria-posinset={index + 1}
              aria-setsize={items.length}
              data-active={state.active || undefined}
              style={{ insetBlockStart: index * rowHeight, blockSize: rowHeight }}
              onClick={() => {
                setActiveKey(key);
                onOpen(item);
              }}
              onPointerEnter={() => onActive?.(item)}
            >
              {renderItem(item, state)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
