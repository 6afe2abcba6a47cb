import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, Checkbox, Dialog, errorMessage, Notice, SkeletonRows, toast } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import { pluginsKey, type PluginRecord } from "../console-api.ts";
import {
  readRollback,
  rollBack,
  rollbackKey,
  type RollbackPlan,
  type TableChanges,
} from "./packages-api.ts";

interface PluginDialogProps {
  plugin: PluginRecord;
  open: boolean;
  onClose(): void;
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Back to the version before; what is lost cannot be had again. */
export function RollbackDialog({ plugin, open, onClose }: PluginDialogProps) {
  const { id, name, previous } = plugin;
  const queries = useQueryClient();
  const plan = useQuery({
    queryKey: rollbackKey(id),
    queryFn: ({ signal }) => readRollback(id, signal),
    enabled: open,
    gcTime: 0,
  });
  const [isKept, setKept] = useState(false);
  const keeps = plan.data?.may_keep_data === true && isKept;
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => rollBack(id, keeps ? "keep" : "restore"),
    onSuccess({ version }) {
      onClose();
      toast(`${name} rolled back to ${version}`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: pluginsKey }),
  });
  const failure = error ?? plan.error;
  const close = () => {
    reset();
    setKept(false);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={`Roll ${name} back to ${plan.data?.to ?? previous}?`}
      actions={
        <>
          <Button onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button variant="danger" busy={isPending} disabled={!plan.data} onClick={() => mutate()}>
            Roll back
          </Button>
        </>
      }
    >
      <div className="shell-install">
        {failure && (
          <Notice tone="danger" icon={CircleAlert}>
            {errorMessage(failure)}
          </Notice>
        )}
        {plan.data ? (
          <Lost plan={plan.data} keeps={keeps} />
        ) : (
          plan.isPending && <SkeletonRows count={2} />
        )}
        {plan.data?.may_keep_data && (
          <Checkbox checked={isKept} onChange={({ target }) => setKept(target.checked)}>
            Keep the current data (works with both versions)
          </Checkbox>
        )}
      </div>
    </Dialog>
  );
}

function Lost({ plan, keeps }: { plan: RollbackPlan; keeps: boolean }) {
  const { from, to, left, restores_data: restores, changes } = plan;
  const since = time.format(new Date(left));
  if (keeps) {
    return (
      <p>
        Version {to}, last used on {since}, replaces {from}. The current data works with both
        versions, so nothing is lost.
      </p>
    );
  }
  if (!restores) {
    return (
      <p>
        Version {to}, last used on {since}, replaces {from}. The current data is kept.
      </p>
    );
  }
  return (
    <>
      <p>
        Version {to} replaces {from}. The data is restored to its state of {since}.
      </p>
      {changes?.length === 0 ? (
        <p>No data was changed since then.</p>
      ) : (
        <Notice tone="warning" icon={CircleAlert} live={false}>
          <strong>All data changes since then will be lost.</strong>
          {changes && <LostChanges changes={changes} />}
          <div>This cannot be undone.</div>
        </Notice>
      )}
    </>
  );
}

function LostChanges({ changes }: { changes: readonly TableChanges[] }) {
  return (
    <ul className="shell-lost" aria-label="Lost changes">
      {changes.map((one) => (
        <li key={one.table}>
          <strong>{one.table}</strong> {inWords(one)}
        </li>
      ))}
    </ul>
  );
}

const number = new Intl.NumberFormat();

/** “12 added, 3 changed”. */
function inWords({ added, changed, removed, new_values, whole }: TableChanges) {
  const counts = Object.entries({
    added,
    changed,
    removed,
    "with values in new fields": new_values,
  })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${number.format(count)} ${what}`)
    .join(", ");
  if (whole) return counts;
  return counts ? `at least ${counts}` : "could not be compared completely";
}
