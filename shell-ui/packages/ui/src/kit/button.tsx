import type { ComponentProps, ReactNode } from "react";
import { Link } from "react-router";
import { classNames } from "./class-names.ts";
import type { IconType } from "./icon.ts";
import { ariaShortcut } from "./shortcut.ts";
import { Tooltip } from "./tooltip.tsx";

export interface ButtonLook {
  /** One `primary` a view. */
  variant?: "default" | "primary" | "danger" | "ghost";
  size?: "small" | "medium";
  icon?: IconType;
}

export interface ButtonProps extends ComponentProps<"button">, ButtonLook {
  /** Work is under way: keeps its width and takes no further clicks. */
  busy?: boolean;
}

function look({ variant, size }: ButtonLook, className?: string) {
  return {
    className: classNames("t-button", className),
    "data-variant": variant,
    "data-size": size,
  };
}

export function Spinner() {
  return <span className="t-spinner" aria-hidden />;
}

export function Button({
  variant,
  size,
  icon: Icon,
  busy,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...look({ variant, size }, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest["aria-disabled"]}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <Spinner /> : Icon && <Icon size={16} />}
      {children}
    </button>
  );
}

export interface LinkButtonProps extends ComponentProps<typeof Link>, ButtonLook {}

/** A link that looks like a button. */
export function LinkButton({
  variant,
  size,
  icon: Icon,
  className,
  children,
  ...rest
}: LinkButtonProps) {
  return (
    <Link {...rest} {...look({ variant, size }, className)}>
      {Icon && <Icon size={16} />}
      {children}
    </Link>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "aria-label"> {
  icon: IconType;
  /** Names it for screen readers and in the tooltip. */
  label: string;
  /** Shown in the tooltip, as `mod+b`. */
  shortcut?: string;
  children?: ReactNode;
}

export function IconButton({
  label,
  shortcut,
  icon: Icon,
  variant = "ghost",
  size,
  className,
  busy,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip label={label} shortcut={shortcut}>
      <button
        type="button"
        {...rest}
        {...look({ variant, size }, className)}
        data-icon-only
        aria-label={label}
        aria-keyshortcuts={ariaShortcut(shortcut)}
        aria-busy={busy || undefined}
      >
        {busy ? <Spinner /> : <Icon size={16} />}
      </button>
    </Tooltip>
  );
}
