import { VisuallyHidden } from "@tenon/ui";
import { Check } from "lucide-react";
import type { Install } from "./use-install.ts";

/** Shows the plugins that are installed one after the other, and the current one. */
export function InstallQueue({ install: { queue, at } }: { install: Install }) {
  const wanted = queue.at(-1);
  if (queue.length < 2 || !wanted) return null;
  return (
    <div className="shell-queue">
      <p>
        {wanted.name} requires{" "}
        {queue.length === 2 ? "another plugin, which is" : "other plugins, which are"} installed
        first.
      </p>
      <ol>
        {queue.map(({ id, name, version }, step) => (
          <li
            key={id}
            data-done={step < at || undefined}
            aria-current={step === at ? "step" : undefined}
          >
            <span aria-hidden>{step < at ? <Check size={14} /> : step + 1}</span>
            {name} <span className="t-muted">{version}</span>
            {step < at && <VisuallyHidden>installed</VisuallyHidden>}
          </li>
        ))}
      </ol>
    </div>
  );
}
