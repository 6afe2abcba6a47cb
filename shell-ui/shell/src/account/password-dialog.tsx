import { useMutation } from "@tanstack/react-query";
import { Button, Dialog, Field, Notice, Problem, toast } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { PasswordInput } from "../parts/password-input.tsx";
import { changePassword } from "./account-api.ts";

export function PasswordDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (values: FormData) =>
      changePassword(String(values.get("old_password")), String(values.get("new_password"))),
    onSuccess() {
      close();
      toast("Password changed. Your other sessions were signed out.");
    },
  });
  const close = () => {
    reset();
    onClose();
  };
  const problem = error instanceof Problem ? error : null;
  const isWrong = problem?.code === "identity.wrong_password";
  const fields = problem?.fields ?? {};
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Change password"
      onSubmit={(form) => isPending || mutate(new FormData(form))}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" busy={isPending}>
            Change password
          </Button>
        </>
      }
    >
      <div className="t-form">
        {error && !isWrong && !problem?.errors.length && (
          <Notice tone="danger" icon={CircleAlert}>
            {problem?.message ?? "Could not change the password. Try again."}
          </Notice>
        )}
        <Field
          label="Current password"
          error={isWrong ? "The current password is wrong." : fields.old_password}
          required
        >
          <PasswordInput name="old_password" autoComplete="current-password" />
        </Field>
        <Field
          label="New password"
          hint="At least 8 characters. A passphrase is best."
          error={fields.new_password ?? fields.password}
          required
        >
          <PasswordInput name="new_password" autoComplete="new-password" />
        </Field>
      </div>
    </Dialog>
  );
}
