import { Field, Input, Select, toast } from "@tenon/ui";
import { useState } from "react";
import { addUser, changeUser, usersKey, type NewUser, type UserRecord } from "../console-api.ts";
import { FormDialog, text } from "../form-dialog.tsx";

/** Sixteen signs that can be read aloud and typed. */
function suggestPassword(): string {
  const signs = "abcdefghijkmnpqrstuvwxyz23456789";
  const random = crypto.getRandomValues(new Uint8Array(16));
  return [...random]
    .map((byte) => signs[byte % signs.length])
    .join("")
    .replace(/(.{4})(?=.)/g, "$1-");
}

function NewPassword({ error }: { error?: string }) {
  const [password] = useState(suggestPassword);
  return (
    <Field
      label="Password"
      hint="Copy it now. It is not shown again, and the user can change it under Account."
      error={error}
      required
    >
      <Input name="password" defaultValue={password} autoComplete="off" spellCheck={false} />
    </Field>
  );
}

const roleHints = {
  member: "A member can use the enabled plugins.",
  admin: "An admin can enable plugins and manage users.",
};

function RoleField({ error }: { error?: string }) {
  const [role, setRole] = useState<keyof typeof roleHints>("member");
  return (
    <Field label="Role" hint={roleHints[role]} error={error}>
      <Select
        name="role"
        value={role}
        onChange={({ target }) => setRole(target.value as keyof typeof roleHints)}
      >
        <option value="member">Member</option>
        <option value="admin">Admin</option>
      </Select>
    </Field>
  );
}

export function AddUserDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Add user"
      action="Add user"
      changes={usersKey}
      save={(values) =>
        addUser({
          name: text(values, "name"),
          login: text(values, "login"),
          role: text(values, "role") as NewUser["role"],
          password: text(values, "password"),
        })
      }
      onSaved={({ name }) => toast(`${name} can now sign in`)}
    >
      {(fields) => (
        <>
          <Field label="Name" error={fields.name} required>
            <Input name="name" autoComplete="off" />
          </Field>
          <Field
            label="Username"
            hint="Letters, digits and . _ - @ +"
            error={fields.login}
            required
          >
            <Input name="login" autoComplete="off" autoCapitalize="off" spellCheck={false} />
          </Field>
          <RoleField error={fields.role} />
          <NewPassword error={fields.password} />
        </>
      )}
    </FormDialog>
  );
}

interface UserDialogProps {
  user: UserRecord | null;
  onClose(): void;
}

export function RenameDialog({ user, onClose }: UserDialogProps) {
  return (
    <FormDialog
      open={user !== null}
      onClose={onClose}
      title={`Rename ${user?.name ?? ""}`}
      action="Rename"
      changes={usersKey}
      save={(values) => changeUser(user?.id ?? "", { name: text(values, "name") })}
      onSaved={() => undefined}
    >
      {(fields) => (
        <Field label="Name" error={fields.name} required>
          <Input name="name" defaultValue={user?.name} autoComplete="off" />
        </Field>
      )}
    </FormDialog>
  );
}

export function ResetPasswordDialog({ user, onClose }: UserDialogProps) {
  return (
    <FormDialog
      open={user !== null}
      onClose={onClose}
      title={`Reset the password of ${user?.name ?? ""}`}
      description="This signs the user out everywhere."
      action="Reset password"
      changes={usersKey}
      save={(values) => changeUser(user?.id ?? "", { password: text(values, "password") })}
      onSaved={({ name }) => toast(`Password of ${name} reset`)}
    >
      {(fields) => <NewPassword error={fields.password} />}
    </FormDialog>
  );
}
