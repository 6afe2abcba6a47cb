import { Badge, Button } from "@tenon/ui";
import { CircleAlert, CircleArrowUp, CircleCheck, Download, ListOrdered } from "lucide-react";
import { Link } from "react-router";
import { PluginTile } from "../plugins/plugin-parts.tsx";
import type { RegistryPlugin } from "./registry-api.ts";
import type { Install } from "../plugins/use-install.ts";
import { asksForTrust, queueOf } from "./use-registry.ts";

export const registryPath = (id: string) => `/settings/plugins/browse/${encodeURIComponent(id)}`;

interface RegistryPartProps {
  plugin: RegistryPlugin;
  install: Install;
}

/** A plugin of the registry with its description, its state here, and the next action. */
export function RegistryCard({ plugin, install }: RegistryPartProps) {
  const { id, name, description, author, latest, icon } = plugin;
  return (
    <li className="shell-registry-card t-card">
      <div className="shell-registry-head">
        <PluginTile id={id} icon={icon} />
        <div>
          <h2>
            <Link to={registryPath(id)}>{name}</Link>
          </h2>
          <p className="t-muted t-ellipsis">
            {latest}
            {author && ` · ${author}`}
          </p>
        </div>
      </div>
      <p className="shell-registry-text">{description || <span className="t-muted">{id}</span>}</p>
      <div className="shell-registry-foot">
        <RegistryState plugin={plugin} />
        <RegistryAction plugin={plugin} install={install} size="small" />
      </div>
    </li>
  );
}

const isInstalled = ({ reasons }: RegistryPlugin) =>
  reasons.some(({ code }) => code === "plugins.installed" || code === "plugins.downgrade");

/** The state of the plugin here, in a few words. */
function RegistryState({ plugin }: { plugin: RegistryPlugin }) {
  const { installed, installable, reasons, with: before } = plugin;
  if (installed && installable) return <Badge tone="accent">{installed} installed</Badge>;
  if (installed && isInstalled(plugin)) {
    return (
      <span className="shell-registry-note">
        <CircleCheck size={14} /> {installed} installed
      </span>
    );
  }
  if (installable) {
    return before.length > 0 ? (
      <span className="shell-registry-note">
        <ListOrdered size={14} /> Requires {before.map(({ name }) => name).join(", ")}
      </span>
    ) : null;
  }
  return (
    <span className="shell-registry-note" data-tone="warning" title={reasons[0]?.message}>
      <CircleAlert size={14} /> {asksForTrust(reasons) ? "Unknown publisher" : shortReason(plugin)}
    </span>
  );
}

const shortReasons: Readonly<Record<string, string>> = {
  "plugins.abi_too_new": "Needs a newer server",
  "plugins.abi_too_old": "Built for an older server",
  "plugins.wrong_architecture": "Not for this platform",
  "plugins.signer_unknown": "Unknown publisher",
  "plugins.signer_revoked": "Key revoked",
  "plugins.requires_missing": "Requires a missing plugin",
  "plugins.requires_version": "Requires another plugin version",
  "plugins.requires_inactive": "Requires a disabled plugin",
  "plugins.requires_conflict": "Conflicting requirements",
  "plugins.required_by": "Other plugins require the installed version",
};

const shortReason = ({ reasons }: RegistryPlugin) =>
  shortReasons[reasons[0]?.code ?? ""] ?? "Cannot be installed";

interface RegistryActionProps extends RegistryPartProps {
  size?: "small";
}

/** Install or Upgrade, which lead to the plan; nothing where it cannot be done. */
export function RegistryAction({ plugin, install, size }: RegistryActionProps) {
  const { name, latest, installed, installable, reasons, with: before } = plugin;
  const isTrustAsked = asksForTrust(reasons);
  const version = installable ?? (isTrustAsked ? latest : null);
  if (!version) return null;
  const verb = installed ? "Upgrade" : "Install";
  return (
    <Button
      size={size}
      variant={size ? undefined : "primary"}
      icon={installed ? CircleArrowUp : Download}
      aria-label={size && `${verb} ${name}`}
      onClick={() => void install.fetch(queueOf(plugin, version, before))}
    >
      {size ? verb : installed ? `${verb} to ${version}` : verb}
    </Button>
  );
}
