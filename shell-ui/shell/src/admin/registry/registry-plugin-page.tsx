import "./registry.css";
import { useQuery } from "@tanstack/react-query";
import { Badge, Card, Notice, Page, Section } from "@tenon/ui";
import { CircleAlert, ListOrdered } from "lucide-react";
import { DetailRow } from "../detail-row.tsx";
import { InstallDialog } from "../plugins/install-dialog.tsx";
import { size } from "../plugins/install-plan.tsx";
import { ResourcePage } from "../resource-page.tsx";
import { keysKey, readKeys } from "../plugins/packages-api.ts";
import type { RegistryPluginVersions, RegistryVersion } from "./registry-api.ts";
import { RegistryAction } from "./registry-card.tsx";
import { RegistryVersions } from "./registry-versions.tsx";
import { Screenshots } from "./screenshots.tsx";
import { useInstall } from "../plugins/use-install.ts";
import { useRegistryPlugin } from "./use-registry.ts";

const browse = { title: "Browse", to: "/settings/plugins?tab=browse" };
const breadcrumbs = [{ title: "Plugins", to: "/settings/plugins" }, browse];

export default function RegistryPluginPage() {
  return (
    <ResourcePage
      noun="plugin"
      list={{ title: "Plugins", to: browse.to }}
      missing="The registry does not have this plugin."
      useOne={useRegistryPlugin}
    >
      {(plugin) => <RegistryPluginView plugin={plugin} />}
    </ResourcePage>
  );
}

/** Returns the version to show: the one that would be installed, else the latest. */
const shownVersion = ({ versions, installable, latest }: RegistryPluginVersions) =>
  versions.find(({ version }) => version === (installable ?? latest)) ?? versions[0];

function RegistryPluginView({ plugin }: { plugin: RegistryPluginVersions }) {
  const install = useInstall();
  const { name, description, installed } = plugin;
  const shown = shownVersion(plugin);
  return (
    <Page
      title={name}
      breadcrumbs={breadcrumbs}
      meta={installed && <Badge tone="success">{installed} installed</Badge>}
      primary={<RegistryAction plugin={plugin} install={install} />}
    >
      {description && <p className="shell-registry-lead">{description}</p>}
      <InstallState plugin={plugin} />
      {shown && <Screenshots plugin={plugin} version={shown} />}
      <div className="shell-sections">
        {shown && <About plugin={plugin} shown={shown} />}
        {shown && <Permissions shown={shown} />}
        <RegistryVersions plugin={plugin} install={install} />
      </div>
      <InstallDialog install={install} isDragOver={false} />
    </Page>
  );
}

/** What is in the way, or comes first. */
function InstallState({ plugin }: { plugin: RegistryPluginVersions }) {
  const { reasons, with: before, installable } = plugin;
  const isHere = reasons.some(({ code }) => code === "plugins.installed");
  if (isHere) return null;
  if (reasons.length > 0) {
    return (
      <div className="shell-registry-state">
        <Notice tone="warning" icon={CircleAlert} live={false}>
          <strong>This plugin cannot be installed yet</strong>
          {reasons.map(({ code, message }) => (
            <div key={`${code} ${message}`}>{message}</div>
          ))}
        </Notice>
      </div>
    );
  }
  if (!installable || before.length === 0) return null;
  return (
    <div className="shell-registry-state">
      <Notice tone="info" icon={ListOrdered} live={false}>
        <strong>Required plugins are installed first</strong>
        <div>
          {before
            .map(({ name, version, installed }) =>
              installed ? `${name} ${version} (replaces ${installed})` : `${name} ${version}`,
            )
            .join(", then ")}
          . You review each one before it is installed.
        </div>
      </Notice>
    </div>
  );
}

interface ShownProps {
  shown: RegistryVersion;
}

function About({ plugin, shown }: ShownProps & { plugin: RegistryPluginVersions }) {
  const { id, author, license } = plugin;
  const { version, abi, needs, architectures, key, requires } = shown;
  return (
    <Section title="About">
      <Card>
        <dl className="shell-facts">
          <DetailRow name="Version">{version}</DetailRow>
          <DetailRow name="Size">{size(shown.size)}</DetailRow>
          <DetailRow name="Author">{author || "–"}</DetailRow>
          <DetailRow name="License">{license || "–"}</DetailRow>
          <DetailRow name="ID">
            <code>{id}</code>
          </DetailRow>
          {abi && (
            <DetailRow name="ABI version">
              {abi.major}.{abi.minor}, needs {abi.major}.{needs}
            </DetailRow>
          )}
          <DetailRow name="Platforms">{abi ? architectures.join(", ") : "All"}</DetailRow>
          <DetailRow name="Signed by">
            <Signer number={key} />
          </DetailRow>
          {Object.keys(requires).length > 0 && (
            <DetailRow name="Requires">
              {Object.entries(requires).map(([other, range]) => (
                <div key={other}>
                  <code>
                    {other} {range}
                  </code>
                </div>
              ))}
            </DetailRow>
          )}
        </dl>
      </Card>
    </Section>
  );
}

/** Whose key it is, as far as the keyring knows. */
function Signer({ number }: { number: string }) {
  const { data } = useQuery({ queryKey: keysKey, queryFn: ({ signal }) => readKeys(signal) });
  const known = data?.items.find((key) => key.number === number);
  return (
    <>
      {known?.name && <div>{known.name}</div>}
      <code>{number}</code>
    </>
  );
}

function Permissions({ shown: { permissions } }: ShownProps) {
  if (permissions.length === 0) return null;
  return (
    <Section title="Permissions" description="What people can do, by role">
      <Card>
        <ul className="shell-registry-permissions">
          {permissions.map(({ id, title, roles }) => (
            <li key={id}>
              <div>{title}</div>
              <div className="t-muted">
                <code>{id}</code> · {roles.length > 0 ? roles.join(", ") : "no role by default"}
              </div>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}
