import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog, Field, Input, Problem, toast } from "@tenon/ui";
import { useNavigate } from "react-router";
import { FormDialog, text } from "../form-dialog.tsx";
import { addGroup, changeGroup, deleteGroup, groupsKey, type GroupRecord } from "./groups-api.ts";

const fieldsOf = (values: FormData) => ({
  name: text(values, "name"),
  description: text(values, "description"),
});

function GroupFieldInputs({
  group,
  errors,
}: {
  group?: GroupRecord;
  errors: Readonly<Record<string, string>>;
}) {
  return (
    <>
      <Field label="Name" error={errors.name} required>
        <Input name="name" defaultValue={group?.name} autoComplete="off" />
      </Field>
      <Field label="Description" hint="What this group is for." error={errors.description}>
        <Input name="description" defaultValue={group?.description} autoComplete="off" />
      </Field>
    </>
  );
}

/** Leads to the new group, where its members are chosen. */
export function AddGroupDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const navigate = useNavigate();
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Add group"
      action="Add group"
      changes={groupsKey}
      save={(values) => addGroup(fieldsOf(values))}
      onSaved={({ id }) => void navigate(`/settings/groups/${id}`)}
    >
      {(errors) => <GroupFieldInputs errors={errors} />}
    </FormDialog>
  );
}

interface GroupDialogProps {
  group: GroupRecord;
  open: boolean;
  onClose(): void;
}

export function EditGroupDialog({ group, open, onClose }: GroupDialogProps) {
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={`Edit ${group.name}`}
      action="Save"
      changes={groupsKey}
      save={(values) => changeGroup(group.id, fieldsOf(values))}
      onSaved={() => undefined}
    >
      {(errors) => <GroupFieldInputs group={group} errors={errors} />}
    </FormDialog>
  );
}

/** A deleted group cannot come back: what is shared with it knows it by its id. */
export function DeleteGroupDialog({ group, open, onClose }: GroupDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending } = useMutation({
    mutationFn: () => deleteGroup(group.id),
    onSuccess() {
      toast(`${group.name} deleted`);
      void navigate("/settings/groups");
      queries.removeQueries({ queryKey: [...groupsKey, group.id] });
      void queries.invalidateQueries({ queryKey: groupsKey, exact: true });
    },
    onError(error) {
      onClose();
      toast(error instanceof Problem ? error.message : "Could not delete the group", {
        tone: "danger",
      });
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={() => mutate()}
      title={`Delete “${group.name}”?`}
      action="Delete group"
      danger
      busy={isPending}
    >
      Its {group.members === 1 ? "member loses" : `${group.members} members lose`} access to
      everything shared with the group. This cannot be undone.
    </ConfirmDialog>
  );
}
