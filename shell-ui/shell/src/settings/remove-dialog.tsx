import { Field, Input, toast } from "@tenon/ui";
import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { pluginsKey, type PluginRecord } from "./console-api.ts";
import { FormDialog, text } from "./form-dialog.tsx";
import { removePlugin } from "./packages-api.ts";

interface RemoveDialogProps {
  plugin: PluginRecord;
  open: boolean;
  onClose(): void;
}

const list = "/settings/plugins";

/** Takes an installed plugin away. Its data goes only where its id was typed. */
export function RemoveDialog({ plugin: { id, name, version }, open, onClose }: RemoveDialogProps) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [data, setData] = useState<"keep" | "purge">("keep");
  const [isWrong, setWrong] = useState(false);
  const close = () => {
    setData("keep");
    setWrong(false);
    onClose();
  };
  return (
    <FormDialog
      open={open}
      onClose={close}
      title={`Remove ${name}?`}
      description={`Version ${version} and its pages go at once, for everybody. Install its package again to have them back.`}
      action={data === "keep" ? "Remove plugin" : "Remove plugin and data"}
      danger
      changes={pluginsKey}
      accepts={(values) => {
        const isTyped = data === "keep" || text(values, "id").trim() === id;
        setWrong(!isTyped);
        return isTyped;
      }}
      save={async () => {
        await removePlugin(id, data);
        if (pathname !== list) void navigate(list);
      }}
      onSaved={() =>
        toast(data === "keep" ? `${name} is removed; its data is kept` : `${name} is removed`)
      }
    >
      {() => (
        <>
          <fieldset className="shell-choices" aria-label="Its data">
            <label>
              <input
                type="radio"
                name="data"
                data-autofocus
                checked={data === "keep"}
                onChange={() => setData("keep")}
              />
              <span>Keep its data</span>
              <span className="t-muted">It is there again when the plugin is installed again.</span>
            </label>
            <label>
              <input
                type="radio"
                name="data"
                checked={data === "purge"}
                onChange={() => setData("purge")}
              />
              <span>Delete its data</span>
              <span className="t-muted">
                All its records and files. They cannot be brought back.
              </span>
            </label>
          </fieldset>
          {data === "purge" && (
            <Field
              label={`Type “${id}” to delete its data`}
              error={isWrong ? `This is not “${id}”.` : null}
              required
            >
              <Input name="id" autoComplete="off" autoCapitalize="off" spellCheck={false} />
            </Field>
          )}
        </>
      )}
    </FormDialog>
  );
}
