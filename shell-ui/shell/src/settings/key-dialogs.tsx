import { Field, Input, TextArea, toast } from "@tenon/ui";
import { FormDialog, text } from "./form-dialog.tsx";
import { keysKey, revokeKey, trustKey, type KeyRecord } from "./packages-api.ts";

/** The key and whose it is. */
export function KeyFields({ errors }: { errors: Readonly<Record<string, string>> }) {
  return (
    <>
      <Field
        label="Public key"
        hint="The text of the author’s .pub file, or the second line of it."
        error={errors.key}
        required
      >
        <TextArea name="key" rows={3} className="shell-key-text" spellCheck={false} />
      </Field>
      <Field label="Whose it is" hint="A name that you know it by later." error={errors.name}>
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
      description="Packages that it signed may then be installed here. Compare it with what its author publishes: a plugin runs inside the server."
      action="Trust key"
      changes={keysKey}
      save={(values) => trustKey(text(values, "key"), text(values, "name"))}
      onSaved={(key) => toast(`${nameOfKey(key)} is trusted`)}
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
          Nothing that it signed can be installed any more, and the key cannot be trusted again.
          {signed.length > 0 &&
            ` ${signed.join(", ")} ${signed.length === 1 ? "goes" : "go"} on until the server starts again, and will not be loaded then.`}
        </>
      }
      action="Revoke key"
      danger
      changes={keysKey}
      save={(values) => revokeKey(known?.number ?? "", text(values, "reason"))}
      onSaved={(key) => toast(`${nameOfKey(key)} is revoked`)}
    >
      {(errors) => (
        <Field label="Reason" hint="Shown where a package is refused for it." error={errors.reason}>
          <Input name="reason" autoComplete="off" maxLength={500} />
        </Field>
      )}
    </FormDialog>
  );
}
