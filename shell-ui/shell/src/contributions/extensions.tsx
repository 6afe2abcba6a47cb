import { useStore, type Extensions, type RecordActionItem, type SlotProps } from "@tenon/host";
import type { IconType } from "@tenon/ui";
import { PluginIcon } from "../plugins/plugin-icon.tsx";
import { useServices } from "../services.ts";
import { Contribution, type ComponentPoint } from "./contribution.tsx";
import { runInPlugin } from "./run-in-plugin.ts";

/** The contributions to a slot, in the order of the plugins. */
export function SlotView({ name, props }: SlotProps) {
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

const icons = new Map<string, IconType>();

/** The icon as a component, the same one on each call, for menus that take one. */
function iconOf(name = "puzzle"): IconType {
  let Icon = icons.get(name);
  if (!Icon)
    icons.set(name, (Icon = ({ size }) => <PluginIcon name={name} size={Number(size ?? 16)} />));
  return Icon;
}

const useActions: Extensions["useActions"] = (name, record) => {
  const services = useServices();
  const { plugins } = useStore(services.registry.store);
  if (!record) return [];
  const point = name as `${string}.actions`;
  return plugins.flatMap((plugin) =>
    (plugin.contributions?.[point] ?? []).map((entry): RecordActionItem => ({
      id: `${plugin.id}:${entry.id}`,
      title: entry.title,
      icon: iconOf(entry.icon),
      run: () => void runInPlugin(services, plugin, point, entry, record),
    })),
  );
};

export const extensions: Extensions = { SlotView, useActions };
