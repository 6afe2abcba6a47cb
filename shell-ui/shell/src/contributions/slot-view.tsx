import { useStore, type SlotProps } from "@tenon/host";
import { useServices } from "../services.ts";
import { Contribution, type ComponentPoint } from "./contribution.tsx";

/** The contributions to a slot, in the order of the plugins. */
export default function SlotView({ name, props }: SlotProps) {
  const { plugins } = useStore(useServices().registry.store);
  const point = name as ComponentPoint;
  return plugins.flatMap((plugin) =>
    (plugin.contributions?.[point] ?? []).map((entry) => (
      <Contribution
        key={`${plugin.id}:${entry.id}`}
        point={point}
        plugin={plugin}
        entry={entry}
        props={props}
      />
    )),
  );
}
