import "./settings.css";
import { useStore } from "@tenon/host";
import { Badge, Button, Notice, Spinner, Switch, type Tone } from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { PluginIcon } from "../plugins/plugin-icon.tsx";
import { useServices } from "../services.ts";
import type { PluginRecord, PluginState } from "./console-api.ts";
import { useSwitchPlugin } from "./use-plugins.ts";

const states: Readonly<Record<PluginState, { tone: Tone; text: string }>> = {
  active: { tone: "success", text: "Active" },
  disabled: { tone: "neutral", text: "Disabled" },
  failed: { tone: "danger", text: "Failed" },
  discovered: { tone: "warning", text: "Discovered" },
  resolved: { tone: "warning", text: "Resolved" },
  loaded: { tone: "warning", text: "Loaded" },
};

export function PluginStateBadge({ state }: { state: PluginState }) {
  const { tone, text } = states[state] ?? { tone: "warning", text: state };
  return <Badge tone={tone}>{text}</Badge>;
}

export function PluginTile({ id }: { id: string }) {
  const icon = useStore(useServices().registry.store, ({ plugins }) =>
    plugins.find((plugin) => plugin.id === id),
  )?.navigation?.[0]?.icon;
  return (
    <span className="shell-row-tile">
      <PluginIcon name={icon} size={18} />
    </span>
  );
}

export function PluginSwitch({ plugin }: { plugin: PluginRecord }) {
  const { mutate, isPending, variables } = useSwitchPlugin();
  const checked = isPending ? variables.on : plugin.enabled;
  return (
    <span className="shell-plugin-switch">
      {isPending && <Spinner />}
      <Switch
        label={`${plugin.name} enabled`}
        hideLabel
        checked={checked}
        disabled={isPending}
        onChange={(on) => mutate({ plugin, on })}
      />
    </span>
  );
}

/** Why a plugin failed: what, and in which file. */
export function PluginReason({ plugin }: { plugin: PluginRecord }) {
  const { mutate, isPending } = useSwitchPlugin();
  const { reason } = plugin;
  if (!reason) return null;
  return (
    <Notice
      tone="danger"
      icon={CircleAlert}
      action={
        <Button size="small" busy={isPending} onClick={() => mutate({ plugin, on: true })}>
          Try again
        </Button>
      }
    >
      <strong>{reason.message}</strong>
      <div>
        <code>{[reason.file, reason.path, reason.code].filter(Boolean).join(" · ")}</code>
      </div>
    </Notice>
  );
}
