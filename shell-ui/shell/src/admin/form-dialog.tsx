import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button, Dialog, Notice, Problem } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";

/** The text in a field of a form. */
export const text = (values: FormData, name: string) => String(values.get(name) ?? "");

export interface FormDialogProps<T> {
  open: boolean;
  onClose(): void;
  title: string;
  description?: ReactNode;
  action: string;
  /** The action cannot be undone. */
  danger?: boolean;
  /** Key of what is read again afterwards. */
  changes: readonly string[];
  /** Whether what was filled in may be sent. */
  accepts?(values: FormData): boolean;
  save(values: FormData): Promise<T>;
  onSaved(result: T): void;
  children(fields: Readonly<Record<string, string>>): ReactNode;
}

/** A form that stays open until the server took it. */
export function FormDialog<T>({
  open,
  onClose,
  title,
  description,
  action,
  danger,
  changes,
  accepts,
  save,
  onSaved,
  children,
}: FormDialogProps<T>) {
  const queries = useQueryClient();
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: save,
    async onSuccess(result) {
      await queries.invalidateQueries({ queryKey: changes });
      close();
      onSaved(result);
    },
  });
  const close = () => {
    reset();
    onClose();
  };
  const problem = error instanceof Problem ? error : null;
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      description={description}
      onSubmit={(form) => {
        const values = new FormData(form);
        if (!isPending && (accepts?.(values) ?? true)) mutate(values);
      }}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant={danger ? "danger" : "primary"} type="submit" busy={isPending}>
            {action}
          </Button>
        </>
      }
    >
      <div className="t-form">
        {error && !problem?.errors.length && (
          <Notice tone="danger" icon={CircleAlert}>
            {problem?.message ?? "Something went wrong. Try again."}
          </Notice>
        )}
        {children(problem?.fields ?? {})}
      </div>
    </Dialog>
  );
}
