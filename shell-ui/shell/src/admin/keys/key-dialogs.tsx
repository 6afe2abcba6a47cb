import { Field, Input, TextArea, toast } from "@tenon/ui";
import { FormDialog, text } from "../form-dialog.tsx";
import { keysKey, revokeKey, trustKey, type KeyRecord } from "../plugins/packages-api.ts";

/** The key and whose it is. */
export function KeyFields({ errors }: { errors: Readonly<Record<string, string>> }) {
  return (
    <>
      <Field
        label="Public key"
        hint="Paste the whole .pub file of the publisher."
        error={errors.key}
        required
      >
        <TextArea name="key" rows={3} className="shell-key-text" spellCheck={false} />
      </Field>
      <Field label="Publisher" hint="Shown in the list of keys." error={errors.name}>
        <Input name="name" autoComplete="off" maxLength={100} />
      </Field>
    </>
  );
}

export const nameOfKey = ({ name, number }: Pick<KeyRecord, "name" | "number">) => name || number;

export function TrustKeyDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Trust a key"
      description="Plugins signed with this key will run inside your server. Trust it only if you know the publisher."
      action="Trust key"
      changes={keysKey}
      save={(values) => trustKey(text(values, "key"), text(values, "name"))}
      onSaved={(key) => toast(`Key ${nameOfKey(key)} trusted`)}
    >
      {(errors) => <KeyFields errors={errors} />}
    </FormDialog>
  );
}

interface RevokeKeyDialogProps {
  known: KeyRecord | null;
  /** Names of the plugins that it signed. */
  signed: readonly string[];
  onClose(): void;
}

/** A key that was revoked cannot be trusted again. */
export function RevokeKeyDialog({ known, signed, onClose }: RevokeKeyDialogProps) {
  return (
    <FormDialog
      open={known !== null}
      onClose={onClose}
      title={`Revoke the key ${known?.name ? `of ${known.name}` : (known?.number ?? "")}?`}
      description={
        <>
          Packages signed with this key can no longer be installed, and the key cannot be trusted
          again.
          {signed.length > 0 &&
            ` ${signed.join(", ")} ${signed.length === 1 ? "runs" : "run"} until the server restarts and will not load after that.`}
        </>
      }
      action="Revoke key"
      danger
      changes={keysKey}
      save={(values) => revokeKey(known?.number ?? "", text(values, "reason"))}
      onSaved={(key) => toast(`Key ${nameOfKey(key)} revoked`)}
    >
      {(errors) => (
        <Field
          label="Reason"
          hint="Shown when a package signed with this key is rejected."
          error={errors.reason}
        >
          <Input name="reason" autoComplete="off" maxLength={500} />
        </Field>
      )}
    </FormDialog>
  );
}
