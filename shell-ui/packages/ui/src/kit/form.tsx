import { CircleAlert, Search } from "lucide-react";
import { createContext, use, useId, type ComponentProps, type ReactNode } from "react";
import { classNames } from "./class-names.ts";
import type { IconType } from "./icon.ts";

interface FieldWiring {
  id: string;
  describedBy?: string;
  invalid: boolean;
  required?: boolean;
}

const FieldContext = createContext<FieldWiring | null>(null);

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  required?: boolean;
  /** One `Input`, `TextArea`, `Select`, or `Checkbox` or `Switch` without a label of its own. */
  children: ReactNode;
}

/** Ties label, hint and error to the control in it. */
export function Field({ label, children, ...texts }: FieldProps) {
  const { id, wiring, hint, error } = useFieldParts(texts);
  return (
    <div className="t-field">
      <label htmlFor={id}>{label}</label>
      <FieldContext value={wiring}>{children}</FieldContext>
      {hint}
      {error}
    </div>
  );
}

export interface FormRowProps extends FieldProps {
  /** Set it for several controls, or for one with a label of its own. */
  group?: boolean;
}

/**
 * A field of a form that is as wide as the page: label and hint are next to the control, or above it if there is less
 * space.
 */
export function FormRow({ label, group, children, ...texts }: FormRowProps) {
  const { id, wiring, hint, error } = useFieldParts(texts);
  const labelId = `${id}-label`;
  return (
    <div
      className="t-form-row"
      role={group ? "group" : undefined}
      aria-labelledby={group ? labelId : undefined}
      aria-describedby={group ? wiring.describedBy : undefined}
    >
      <div>
        <div className="t-form-row-label">
          {group ? <div id={labelId}>{label}</div> : <label htmlFor={id}>{label}</label>}
          {hint}
        </div>
        <div className="t-form-row-control">
          <FieldContext value={group ? null : wiring}>{children}</FieldContext>
          {error}
        </div>
      </div>
    </div>
  );
}

function useFieldParts({ hint, error, required }: Pick<FieldProps, "hint" | "error" | "required">) {
  const id = useId();
  const describedBy =
    classNames(hint ? `${id}-hint` : null, error ? `${id}-error` : null) || undefined;
  return {
    id,
    wiring: { id, describedBy, invalid: Boolean(error), required },
    hint: hint ? (
      <div id={`${id}-hint`} className="t-hint">
        {hint}
      </div>
    ) : null,
    error: error ? (
      <div id={`${id}-error`} className="t-field-error">
        <CircleAlert size={16} />
        {error}
      </div>
    ) : null,
  };
}

function useFieldProps() {
  const field = use(FieldContext);
  return field
    ? {
        id: field.id,
        "aria-describedby": field.describedBy,
        "aria-invalid": field.invalid || undefined,
        required: field.required,
      }
    : {};
}

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input {...useFieldProps()} {...rest} className={classNames("t-input", className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea {...useFieldProps()} {...rest} className={classNames("t-input", className)} />;
}

export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select {...useFieldProps()} {...rest} className={classNames("t-input", className)} />;
}

export interface SearchInputProps extends ComponentProps<"input"> {
  label: string;
}

export function SearchInput({ label, className, ...rest }: SearchInputProps) {
  return (
    <div className="t-search">
      <Search size={16} />
      <input
        type="search"
        placeholder={label}
        {...rest}
        aria-label={label}
        className={classNames("t-input", className)}
      />
    </div>
  );
}

export interface CheckboxProps extends Omit<ComponentProps<"input">, "type"> {
  /** Its label; not needed in a `FormRow` or `Field`, which has one. */
  children?: ReactNode;
}

export function Checkbox({ children, className, ...rest }: CheckboxProps) {
  const field = useFieldProps();
  return (
    <label className={classNames("t-check", className)}>
      <input {...(children ? {} : field)} {...rest} type="checkbox" />
      {children && <span>{children}</span>}
    </label>
  );
}

export interface SwitchProps extends Omit<ComponentProps<"input">, "type" | "onChange"> {
  /** Names it; shown unless `hideLabel`. Not needed in a `FormRow` or `Field`, which has a label. */
  label?: string;
  hideLabel?: boolean;
  onChange(checked: boolean): void;
}

/** Takes effect at once; for a choice that is sent later, use a checkbox. */
export function Switch({ label, hideLabel, onChange, ...rest }: SwitchProps) {
  const field = useFieldProps();
  return (
    <label className="t-switch">
      <input
        {...(label ? {} : field)}
        {...rest}
        type="checkbox"
        role="switch"
        onChange={(event) => onChange(event.target.checked)}
      />
      {label && <span className={hideLabel ? "t-visually-hidden" : undefined}>{label}</span>}
    </label>
  );
}

export interface SegmentedControlProps<T extends string> {
  label: string;
  value: T;
  onChange(value: T): void;
  options: readonly { value: T; label: string; icon?: IconType }[];
}

/** One of a few, all in sight. */
export function SegmentedControl<T extends string>({
  label,
  value,
  onChange,
  options,
}: SegmentedControlProps<T>) {
  const name = useId();
  return (
    <fieldset className="t-segments" aria-label={label}>
      {options.map(({ value: option, label: text, icon: Icon }) => (
        <label key={option}>
          <input
            type="radio"
            name={name}
            checked={option === value}
            onChange={() => onChange(option)}
          />
          {Icon && <Icon size={16} />}
          {text}
        </label>
      ))}
    </fieldset>
  );
}
