import { useQueryClient } from "@tanstack/react-query";
import { Field, Input, toast } from "@tenon/ui";
import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { pluginsKey, type PluginRecord } from "../console-api.ts";
import { FormDialog, text } from "../form-dialog.tsx";
import { exportFile, exportsKey, removePlugin, type DataChoice } from "./packages-api.ts";

interface RemoveDialogProps {
  plugin: PluginRecord;
  open: boolean;
  onClose(): void;
}

const list = "/settings/plugins";

const actions: Readonly<Record<DataChoice, string>> = {
  keep: "Remove plugin",
  export: "Export data and remove",
  purge: "Remove plugin and data",
};

const choices: readonly { choice: DataChoice; title: string; means: string }[] = [
  {
    choice: "keep",
    title: "Keep its data",
    means: "Available again when you reinstall the plugin.",
  },
  {
    choice: "export",
    title: "Export its data, then delete it",
    means:
      "Saves its records, files and settings to one file that you can restore when you reinstall.",
  },
  {
    choice: "purge",
    title: "Delete its data",
    means: "Deletes all its records and files. This cannot be undone.",
  },
];

/** Takes an installed plugin away. Its data goes only where its id was typed. */
export function RemoveDialog({ plugin: { id, name, version }, open, onClose }: RemoveDialogProps) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const queries = useQueryClient();
  const [data, setData] = useState<DataChoice>("keep");
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
      description={`Version ${version} and its pages are removed immediately for all users. You can reinstall its package later.`}
      action={actions[data]}
      danger
      changes={pluginsKey}
      accepts={(values) => {
        const isTyped = data !== "purge" || text(values, "id").trim() === id;
        setWrong(!isTyped);
        return isTyped;
      }}
      save={async () => {
        const exported = await removePlugin(id, data);
        if (pathname !== list) void navigate(list);
        return exported;
      }}
      onSaved={(exported) => {
        if (!exported) {
          toast(data === "keep" ? `${name} removed. Its data is kept.` : `${name} removed`);
          return;
        }
        void queries.invalidateQueries({ queryKey: exportsKey });
        toast(`${name} removed. Its data is exported.`, {
          action: { label: "Download", run: () => window.location.assign(exportFile(exported)) },
        });
      }}
    >
      {() => (
        <>
          <fieldset className="shell-choices" aria-label="Data">
            {choices.map(({ choice, title, means }) => (
              <label key={choice}>
                <input
                  type="radio"
                  name="data"
                  data-autofocus={choice === "keep" || undefined}
                  checked={data === choice}
                  onChange={() => setData(choice)}
                />
                <span>{title}</span>
                <span className="t-muted">{means}</span>
              </label>
            ))}
          </fieldset>
          {data === "purge" && (
            <Field
              label={`Type “${id}” to delete its data`}
              error={isWrong ? `Type “${id}” exactly.` : null}
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
