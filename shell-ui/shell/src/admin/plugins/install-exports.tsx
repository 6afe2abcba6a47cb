import { RelativeTime } from "@tenon/ui";
import { contentOf, useExports } from "./exports-list.tsx";
import type { PackagePlan } from "./packages-api.ts";

interface PlanExportsProps {
  plan: PackagePlan;
  /** Name of an export; empty for none. */
  chosen: string;
  onChange(name: string): void;
}

/** Which data a plugin takes back that is not here; nothing where there is none. */
export function PlanExports({ plan, chosen, onChange }: PlanExportsProps) {
  const { data } = useExports();
  if (plan.change !== "install") return null;
  const fitting = (data?.items ?? []).filter(({ facts }) => facts?.plugin === plan.id);
  if (fitting.length === 0) return null;
  return (
    <fieldset className="shell-choices shell-plan-exports">
      <legend>Exported data</legend>
      <label>
        <input type="radio" name="export" checked={!chosen} onChange={() => onChange("")} />
        <span>Start empty</span>
      </label>
      {fitting.map(({ name, facts }) => (
        <label key={name}>
          <input
            type="radio"
            name="export"
            checked={chosen === name}
            onChange={() => onChange(name)}
          />
          {facts && (
            <>
              <span>
                Restore the data of {facts.version}, exported <RelativeTime value={facts.taken} />
              </span>
              <span className="t-muted">{contentOf(facts)}</span>
            </>
          )}
        </label>
      ))}
    </fieldset>
  );
}
