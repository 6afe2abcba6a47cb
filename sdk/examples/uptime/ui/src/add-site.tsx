import { Button, Dialog, Field, Input, Problem } from "@tenon/ui";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useCreateSite } from "./tables.gen.ts";

/** A button that opens the form of a new site. */
export function AddSite() {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const create = useCreateSite({ quiet: true });
  const errors = create.error instanceof Problem ? create.error.fields : {};

  const close = () => {
    setOpen(false);
    setName("");
    setUrl("");
    create.reset();
  };
  const submit = () => create.mutate({ name: name.trim(), url: url.trim() }, { onSuccess: close });

  return (
    <>
      <Button variant="primary" icon={Plus} onClick={() => setOpen(true)}>
        Add site
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title="Add site"
        onSubmit={submit}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit" busy={create.isPending}>
              Add
            </Button>
          </>
        }
      >
        <div className="t-form">
          <Field label="Name" error={errors.name}>
            <Input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Field label="URL" hint="Tenon requests this page." error={errors.url}>
            <Input
              type="url"
              value={url}
              placeholder="https://"
              onChange={(event) => setUrl(event.target.value)}
            />
          </Field>
        </div>
      </Dialog>
    </>
  );
}
