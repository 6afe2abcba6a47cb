import "../styles/aria.css";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { FieldError, type ValidationResult } from "react-aria-components/FieldError";
import { Label } from "react-aria-components/Label";
import { type PopoverProps, Popover } from "react-aria-components/Popover";
import { Text } from "react-aria-components/Text";
import { usePortalContainer } from "./portal.ts";

export interface AriaFieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | null;
}

/** Label, control, hint and error, spaced as in `Field`. */
export function FieldParts({
  label,
  hint,
  error,
  children,
}: AriaFieldProps & { children: ReactNode }) {
  return (
    <>
      <Label>{label}</Label>
      {children}
      {hint && (
        <Text slot="description" className="t-hint">
          {hint}
        </Text>
      )}
      <FieldError className="t-field-error">
        {({ validationErrors }: ValidationResult) => (
          <>
            <CircleAlert size={16} />
            {error ?? validationErrors.join(" ")}
          </>
        )}
      </FieldError>
    </>
  );
}

export interface FloatingBoxProps extends PopoverProps {
  /** Belongs to another box, which knows where to put it. */
  nested?: boolean;
}

/** Floats inside of the plugin's root, so that the plugin's styles reach what it shows there. */
export function FloatingBox({ nested, children, ...rest }: FloatingBoxProps) {
  const container = usePortalContainer();
  return (
    <Popover
      {...rest}
      className="t-aria-popover"
      UNSTABLE_portalContainer={nested ? undefined : container}
    >
      {children}
    </Popover>
  );
}
