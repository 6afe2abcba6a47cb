import { useQueryClient } from "@tanstack/react-query";
import { Button, Dialog, errorMessage, Field, Input, Problem, toast } from "@tenon/ui";
import { useState } from "react";
import { openNotebooks } from "../app/preference.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import { notesApi } from "../model/notes-api.ts";
import { pathText } from "../model/notebook-tree.ts";
import { countsChanged, everythingChanged, useNotebooks, useTags } from "../model/queries.ts";
import { newId } from "../model/uuid.ts";
import { limits, type Notebook, type Tag } from "../model/types.ts";
import type { DialogProps } from "./dialogs.tsx";

interface NameDialogProps extends DialogProps {
  title: string;
  label: string;
  value: string;
  hint?: string;
  action: string;
  maxLength: number;
  /** Rejects with what the field shall say. */
  onSave(name: string): Promise<void>;
}

function NameDialog({
  open,
  onClose,
  title,
  label,
  value,
  hint,
  action,
  maxLength,
  onSave,
}: NameDialogProps) {
  const [name, setName] = useState(value);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    const wanted = name.trim();
    if (wanted === "") {
      setError("Enter a name");
      return;
    }
    setBusy(true);
    try {
      await onSave(wanted);
      onClose();
    } catch (problem) {
      setError(
        problem instanceof Problem
          ? (problem.fields.name ?? problem.message)
          : errorMessage(problem),
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <Field label={label} error={error} hint={hint}>
        <Input
          value={name}
          maxLength={maxLength}
          autoComplete="off"
          onChange={(event) => {
            setName(event.target.value);
            setError(null);
          }}
          onFocus={(event) => event.target.select()}
        />
      </Field>
    </Dialog>
  );
}

export function NewNotebook({ parent, ...props }: DialogProps & { parent: string | null }) {
  const client = useQueryClient();
  const { items } = useNotebooks();
  const { go } = useNotesLocation();
  return (
    <NameDialog
      {...props}
      title="New notebook"
      label="Name"
      value=""
      hint={parent ? `In ${pathText(items, parent)}` : undefined}
      action="Create"
      maxLength={limits.notebookName}
      onSave={async (name) => {
        const created = await notesApi.createNotebook({ id: newId(), name, parent });
        if (parent) openNotebooks.set((open) => (open.includes(parent) ? open : [...open, parent]));
        await client.invalidateQueries({ queryKey: ["notes", "notebooks"] });
        go({ view: { kind: "notebook", id: created.id } });
      }}
    />
  );
}

export function RenameNotebook({ notebook, ...props }: DialogProps & { notebook: Notebook }) {
  const client = useQueryClient();
  return (
    <NameDialog
      {...props}
      title={`Rename “${notebook.name}”`}
      label="Name"
      value={notebook.name}
      action="Rename"
      maxLength={limits.notebookName}
      onSave={async (name) => {
        if (name === notebook.name) return;
        await notesApi.changeNotebook(notebook.id, { name });
        countsChanged(client);
        toast(`Renamed to “${name}”`, {
          action: {
            label: "Undo",
            run: () =>
              void notesApi
                .changeNotebook(notebook.id, { name: notebook.name })
                .then(() => countsChanged(client))
                .catch((error: unknown) => toast(errorMessage(error), { tone: "danger" })),
          },
        });
      }}
    />
  );
}

/** A name that another tag has merges both, after it was said. */
export function RenameTag({ tag, ...props }: DialogProps & { tag: Tag }) {
  const client = useQueryClient();
  const { location, go } = useNotesLocation();
  const { tags } = useTags();
  const [merge, setMerge] = useState<Tag | null>(null);
  const isHere =
    location.view.kind === "tag" && location.view.name.toLowerCase() === tag.name.toLowerCase();
  const save = async (name: string, merges: boolean) => {
    const renamed = await notesApi.renameTag(tag.id, name, merges);
    everythingChanged(client);
    if (isHere)
      go({ view: { kind: "tag", name: renamed.name }, note: location.note }, { replace: true });
  };
  if (merge) {
    return (
      <Dialog
        {...props}
        title={`Merge “${tag.name}” into “${merge.name}”`}
        description={`The tag “${merge.name}” already exists. All notes tagged “${tag.name}” will be tagged “${merge.name}” instead. This cannot be undone.`}
        actions={
          <>
            <Button onClick={() => setMerge(null)}>Back</Button>
            <Button
              variant="primary"
              onClick={() =>
                void save(merge.name, true)
                  .then(props.onClose)
                  .catch((error: unknown) => toast(errorMessage(error), { tone: "danger" }))
              }
            >
              Merge
            </Button>
          </>
        }
      />
    );
  }
  return (
    <NameDialog
      {...props}
      title={`Rename the tag “${tag.name}”`}
      label="Name"
      value={tag.name}
      hint="Use the name of another tag to merge them."
      action="Rename"
      maxLength={limits.tag}
      onSave={async (name) => {
        const clean = name.replace(/^#/, "");
        if (clean === tag.name) return;
        try {
          await save(clean, false);
        } catch (error) {
          if (!(error instanceof Problem) || error.code !== "notes.tag_exists") throw error;
          const other = tags.find((known) => known.name.toLowerCase() === clean.toLowerCase());
          setMerge(other ?? { id: "", name: clean, notes: 0 });
          throw new Problem({
            status: 409,
            code: error.code,
            message: "This tag name is taken",
          });
        }
      }}
    />
  );
}
