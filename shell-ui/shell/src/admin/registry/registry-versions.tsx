import { Badge, Button, Card, Section } from "@tenon/ui";
import { ChevronRight } from "lucide-react";
import { Changelog } from "./changelog.tsx";
import { size } from "../plugins/install-plan.tsx";
import type { RegistryPluginVersions, RegistryVersion } from "./registry-api.ts";
import type { Install } from "../plugins/use-install.ts";
import { queueOf } from "./use-registry.ts";

interface RegistryVersionsProps {
  plugin: RegistryPluginVersions;
  install: Install;
}

/** All versions, with what changed in each and why one cannot be installed. */
export function RegistryVersions({ plugin, install }: RegistryVersionsProps) {
  return (
    <Section title="Versions">
      <Card>
        <ul className="shell-versions">
          {plugin.versions.map((version, at) => (
            <li key={version.version}>
              <Version plugin={plugin} version={version} install={install} isFirst={at === 0} />
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}

interface VersionProps extends RegistryVersionsProps {
  version: RegistryVersion;
  isFirst: boolean;
}

function Version({ plugin, version: one, install, isFirst }: VersionProps) {
  const { version, installable, reasons, changelog, with: before } = one;
  const isHere = reasons.some(({ code }) => code === "plugins.installed");
  const isOlder = reasons.some(({ code }) => code === "plugins.downgrade");
  return (
    <details open={isFirst}>
      <summary>
        <ChevronRight size={16} />
        <strong>{version}</strong>
        <span className="t-muted">{size(one.size)}</span>
        {isHere && <Badge tone="success">Installed</Badge>}
        {!installable && !isHere && !isOlder && <Badge tone="warning">Not installable</Badge>}
      </summary>
      <div className="shell-version">
        {changelog ? <Changelog text={changelog} /> : <p className="t-muted">No release notes.</p>}
        {!isHere &&
          version !== plugin.latest &&
          reasons.map(({ code, message }) => (
            <p key={`${code} ${message}`} className="shell-version-reason">
              {message}
            </p>
          ))}
        {installable && version !== plugin.installable && (
          <div>
            <Button
              size="small"
              onClick={() => void install.fetch(queueOf(plugin, version, before))}
            >
              {plugin.installed ? `Upgrade to ${version}` : `Install ${version}`}
            </Button>
          </div>
        )}
      </div>
    </details>
  );
}
