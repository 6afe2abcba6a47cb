import "../../styles/list-pages.css";
import { useStore } from "@tenon/host";
import { Badge, Button, Notice, Progress, Spinner, Switch, type Tone } from "@tenon/ui";
import { CircleAlert, DatabaseZap, Key } from "lucide-react";
import { PluginIcon } from "../../plugins/plugin-icon.tsx";
import { useServices } from "../../services.ts";
import type { PluginRecord, PluginState } from "../console-api.ts";
import { useDismissNote, useSwitchPlugin } from "./use-plugins.ts";

const states: Readonly<Record<PluginState, { tone: Tone; text: string }>> = {
  active: { tone: "success", text: "Active" },
  disabled: { tone: "neutral", text: "Disabled" },
  failed: { tone: "danger", text: "Failed" },
  quarantined: { tone: "danger", text: "Quarantined" },
  discovered: { tone: "warning", text: "Discovered" },
  resolved: { tone: "warning", text: "Resolved" },
  loaded: { tone: "warning", text: "Loaded" },
};

export function PluginStateBadge({ plugin }: { plugin: PluginRecord }) {
  const { state, migration } = plugin;
  if (migration) return <Badge tone="info">Migrating</Badge>;
  const { tone, text } = states[state] ?? { tone: "warning", text: state };
  return <Badge tone={tone}>{text}</Badge>;
}

const shortNumber = 8;

/** The key that signed its package, shortened. */
export function PluginSigner({ plugin: { signer } }: { plugin: PluginRecord }) {
  if (!signer) return null;
  return (
    <span className="t-muted shell-signer" title={`Signed with key ${signer}`}>
      <Key size={12} />
      <code>{signer.slice(0, shortNumber)}</code>
    </span>
  );
}

interface PluginTileProps {
  id: string;
  /** The icon of a plugin that is not installed. */
  icon?: string;
}

export function PluginTile({ id, icon: given }: PluginTileProps) {
  const icon = useStore(useServices().registry.store, ({ plugins }) =>
    plugins.find((plugin) => plugin.id === id),
  )?.navigation?.[0]?.icon;
  return (
    <span className="shell-row-tile">
      <PluginIcon name={icon || given || undefined} size={18} />
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

const number = new Intl.NumberFormat();

/** How far the data of a plugin is on its way to a new version. */
export function PluginMigration({ plugin }: { plugin: PluginRecord }) {
  const { migration } = plugin;
  if (!migration) return null;
  const { name, done, total } = migration;
  const isKnown = total > 0;
  const part = isKnown ? Math.min(1, done / total) : 0;
  return (
    <Notice tone="info" icon={DatabaseZap} live={false}>
      <strong>Migrating data</strong>
      <div className="shell-migration">
        <span>
          <code>{name}</code>
          {" · "}
          {isKnown
            ? `${number.format(done)} of ${number.format(total)} rows`
            : done > 0
              ? `${number.format(done)} rows`
              : "Starting"}
          {isKnown && ` · ${Math.floor(part * 100)} %`}
        </span>
        <Progress
          label={`Migration ${name}`}
          value={isKnown ? part : undefined}
          max={isKnown ? 1 : undefined}
        />
        <span>The plugin is unavailable until this is done. Other plugins are not affected.</span>
      </div>
    </Notice>
  );
}

/** The page of the documentation that explains an error code. */
const errorPage = (code: string) => `/docs/errors.html#${code.replace(".", "")}`;

/** Why a plugin failed or is kept out, or what ails it while it serves: what, and in which file. */
export function PluginReason({ plugin }: { plugin: PluginRecord }) {
  const { reason } = plugin;
  if (!reason) return null;
  const isNote = reason.code.startsWith("plugins.upgrade_");
  return (
    <Notice
      tone={isNote ? "warning" : "danger"}
      icon={CircleAlert}
      action={isNote ? <Dismiss plugin={plugin} /> : <TryAgain plugin={plugin} />}
    >
      <strong>{reason.message}</strong>
      <div>
        <code>{[reason.file, reason.path].filter(Boolean).join(" · ")}</code>{" "}
        <a href={errorPage(reason.code)} target="_blank" rel="noreferrer">
          <code>{reason.code}</code>
        </a>
      </div>
    </Notice>
  );
}

function TryAgain({ plugin }: { plugin: PluginRecord }) {
  const { mutate, isPending } = useSwitchPlugin();
  return (
    <Button size="small" busy={isPending} onClick={() => mutate({ plugin, on: true })}>
      Try again
    </Button>
  );
}

function Dismiss({ plugin }: { plugin: PluginRecord }) {
  const { mutate, isPending } = useDismissNote();
  return (
    <Button size="small" busy={isPending} onClick={() => mutate(plugin)}>
      Dismiss
    </Button>
  );
}
