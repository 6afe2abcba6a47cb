import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { FloatingBox } from "../aria/parts.tsx";
import type { IconType } from "../kit/icon.ts";

export interface PopoverButtonProps {
  /** Names the button and the box. */
  label: string;
  icon?: IconType;
  variant?: "default" | "primary" | "ghost";
  /** Given a function that closes the box. */
  children: ReactNode | ((close: () => void) => ReactNode);
}

/** A button with a box of controls; for a list of actions take a menu. */
export function PopoverButton({ label, icon: Icon, variant, children }: PopoverButtonProps) {
  return (
    <DialogTrigger>
      <Button className="t-button" data-variant={variant}>
        {Icon && <Icon size={16} />}
        {label}
      </Button>
      <FloatingBox>
        <Dialog className="t-aria-body" aria-label={label}>
          {({ close }) => <>{typeof children === "function" ? children(close) : children}</>}
        </Dialog>
      </FloatingBox>
    </DialogTrigger>
  );
}
