import { X } from "lucide-react";
import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Button, IconButton } from "./button.tsx";

export interface DialogProps {
  open: boolean;
  /** Called on Escape, the close button, or a click outside. */
  onClose(): void;
  title: string;
  description?: ReactNode;
  /** Buttons at the bottom, the main one last. */
  actions?: ReactNode;
  size?: "medium" | "large";
  /** Makes the dialog a form: Enter sends it. */
  onSubmit?(form: HTMLFormElement): void;
  children?: ReactNode;
}

const firstFocus =
  '[data-autofocus], .t-dialog-body :is(input, textarea, select):not(:disabled, [hidden]), footer [data-variant="primary"]';

/** A modal on `<dialog>`: focus goes in, stays, and returns to where it was. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  actions,
  size,
  onSubmit,
  children,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [rendered, setRendered] = useState(open);
  if (open && !rendered) setRendered(true);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open) {
      if (!dialog.open) dialog.showModal();
      (dialog.querySelector<HTMLElement>(firstFocus) ?? dialog).focus();
      return;
    }
    if (dialog.open) dialog.close();
    // The content stays while the dialog fades.
    const timer = setTimeout(() => setRendered(false), 150);
    return () => clearTimeout(timer);
  }, [open]);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit?.(event.currentTarget);
  };
  const footer = actions && <footer>{actions}</footer>;
  const body = (description || children) && (
    <div className="t-dialog-body">
      {description && (
        <div id={`${id}-text`} className="t-muted">
          {description}
        </div>
      )}
      {children}
    </div>
  );
  return (
    <dialog
      ref={ref}
      className="t-dialog"
      tabIndex={-1}
      data-size={size}
      aria-labelledby={id}
      aria-describedby={description ? `${id}-text` : undefined}
      onClose={onClose}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === ref.current && onClose()}
    >
      {rendered && (
        <>
          <header>
            <div>
              <h2 id={id}>{title}</h2>
            </div>
            <IconButton icon={X} label="Close" onClick={onClose} />
          </header>
          {onSubmit ? (
            <form className="t-dialog-form" onSubmit={submit}>
              {body}
              {footer}
            </form>
          ) : (
            <>
              {body}
              {footer}
            </>
          )}
        </>
      )}
    </dialog>
  );
}

export interface ConfirmDialogProps {
  open: boolean;
  onClose(): void;
  onConfirm(): void;
  /** Names the thing: "Delete “Release plan” for good?" */
  title: string;
  children?: ReactNode;
  /** The verb. */
  action: string;
  danger?: boolean;
  busy?: boolean;
}

/** Only before what cannot be taken back; else act at once and offer Undo in a toast. */
export function ConfirmDialog({
  open,
  onClose,
  onConfirm,
  title,
  children,
  action,
  danger,
  busy,
}: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description={children}
      actions={
        <>
          <Button onClick={onClose} data-autofocus={danger || undefined}>
            Cancel
          </Button>
          <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  );
}
