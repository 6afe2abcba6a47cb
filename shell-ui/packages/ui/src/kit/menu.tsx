import { Check } from "lucide-react";
import {
  cloneElement,
  createContext,
  use,
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";
import { flushSync } from "react-dom";
import { Link } from "react-router";
import { classNames } from "./class-names.ts";
import type { IconType } from "./icon.ts";
import { Kbd } from "./kbd.tsx";
import { place, type Placement } from "./place.ts";
import { ariaShortcut } from "./shortcut.ts";

const CloseContext = createContext<() => void>(() => undefined);

interface MenuTrigger {
  id?: string;
  onClick?: ComponentProps<"button">["onClick"];
  onKeyDown?: ComponentProps<"button">["onKeyDown"];
  "aria-haspopup"?: "menu";
  "aria-expanded"?: boolean;
  "aria-controls"?: string;
}

export interface MenuProps {
  /** A button; it is named by itself. */
  trigger: ReactElement<MenuTrigger>;
  label: string;
  side?: Placement["side"];
  align?: Placement["align"];
  children: ReactNode;
}

const itemSelector = '[role^="menuitem"]:not([aria-disabled="true"])';

/** A menu button: arrows, Home, End, letters, Enter; Escape and a click outside close it. */
export function Menu({ trigger, label, side, align, children }: MenuProps) {
  const popover = useRef<HTMLDivElement>(null);
  const anchor = useRef<HTMLElement>(null);
  const id = useId();
  // Items exist while the menu does: a list may have a menu in each row.
  const [rendered, setRendered] = useState(false);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const close = () => popover.current?.hidePopover();
  const items = () => [...(popover.current?.querySelectorAll<HTMLElement>(itemSelector) ?? [])];

  const open = (from: HTMLElement) => {
    const menu = popover.current;
    if (!menu) return;
    anchor.current = from;
    clearTimeout(timer.current);
    flushSync(() => setRendered(true));
    menu.showPopover();
    place(menu, from.getBoundingClientRect(), { side, align });
    items()[0]?.focus();
  };

  return (
    <>
      {cloneElement(trigger, {
        "aria-haspopup": "menu",
        "aria-controls": id,
        onClick(event) {
          trigger.props.onClick?.(event);
          open(event.currentTarget);
        },
        onKeyDown(event) {
          trigger.props.onKeyDown?.(event);
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          open(event.currentTarget);
          if (event.key === "ArrowUp") items().at(-1)?.focus();
        },
      })}
      <div
        ref={popover}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="t-popover t-menu"
        onToggle={(event) => {
          const isOpen = event.newState === "open";
          anchor.current?.setAttribute("aria-expanded", String(isOpen));
          if (!isOpen) timer.current = window.setTimeout(() => setRendered(false), 150);
        }}
        onKeyDown={(event) => moveInMenu(event, items(), close)}
      >
        {rendered && <CloseContext value={close}>{children}</CloseContext>}
      </div>
    </>
  );
}

function moveInMenu(event: KeyboardEvent, items: HTMLElement[], close: () => void): void {
  const at = items.indexOf(document.activeElement as HTMLElement);
  const go = (index: number) => {
    event.preventDefault();
    items.at(index % items.length)?.focus();
  };
  if (event.key === "ArrowDown") go(at + 1);
  else if (event.key === "ArrowUp") go(at - 1);
  else if (event.key === "Home") go(0);
  else if (event.key === "End") go(-1);
  else if (event.key === "Tab") close();
  else if (event.key.length === 1 && /\S/.test(event.key) && !event.ctrlKey && !event.metaKey) {
    const rotated = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    rotated
      .find((item) => item.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase()))
      ?.focus();
  }
}

interface ItemLook {
  icon?: IconType;
  shortcut?: string;
  children: ReactNode;
}

function ItemBody({ icon: Icon, shortcut, checked, children }: ItemLook & { checked?: boolean }) {
  return (
    <>
      {Icon && <Icon size={16} />}
      <span className="t-menu-label">{children}</span>
      {shortcut && <Kbd keys={shortcut} />}
      {checked && <Check size={16} />}
    </>
  );
}

export interface MenuItemProps extends ItemLook {
  onSelect(): void;
  danger?: boolean;
  disabled?: boolean;
  /** Given: a choice that is on or off. */
  checked?: boolean;
}

export function MenuItem({ onSelect, danger, disabled, checked, ...body }: MenuItemProps) {
  const close = use(CloseContext);
  return (
    <button
      type="button"
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={checked}
      aria-disabled={disabled}
      aria-keyshortcuts={ariaShortcut(body.shortcut)}
      tabIndex={-1}
      className="t-menu-item"
      data-danger={danger || undefined}
      onClick={() => {
        if (disabled) return;
        close();
        onSelect();
      }}
    >
      <ItemBody {...body} checked={checked} />
    </button>
  );
}

export interface MenuLinkProps
  extends ItemLook, Pick<ComponentProps<typeof Link>, "to" | "reloadDocument"> {
  /** The browser saves what it gets under this name. */
  download?: string;
  className?: string;
}

export function MenuLink({ icon, shortcut, children, className, ...rest }: MenuLinkProps) {
  const close = use(CloseContext);
  return (
    <Link
      {...rest}
      role="menuitem"
      tabIndex={-1}
      className={classNames("t-menu-item", className)}
      onClick={close}
    >
      <ItemBody icon={icon} shortcut={shortcut}>
        {children}
      </ItemBody>
    </Link>
  );
}

export function MenuSeparator() {
  return <hr />;
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return (
    <div className="t-menu-heading" role="presentation">
      {children}
    </div>
  );
}
