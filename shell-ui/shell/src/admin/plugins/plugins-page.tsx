import {
  Badge,
  Button,
  Card,
  EmptyState,
  ErrorState,
  Page,
  SearchInput,
  SkeletonRows,
  Tabs,
  VisuallyHidden,
} from "@tenon/ui";
import { ArrowUp, PackagePlus, Plus, Puzzle, Upload } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { QueryScope } from "../../data/query-scope.tsx";
import type { PluginRecord } from "../console-api.ts";
import { ExportList } from "./exports-list.tsx";
import { useFileDrop } from "./file-drop.tsx";
import { InstallDialog } from "./install-dialog.tsx";
import { TrustKeyDialog } from "../keys/key-dialogs.tsx";
import { KeyList } from "../keys/keys-list.tsx";
import { PluginActions } from "./plugin-actions.tsx";
import {
  PluginMigration,
  PluginReason,
  PluginSigner,
  PluginStateBadge,
  PluginSwitch,
  PluginTile,
} from "./plugin-parts.tsx";
import { registryPath } from "../registry/registry-card.tsx";
import { RegistryList } from "../registry/registry-list.tsx";
import { UploadExportDialog, useExportUpload } from "./upload-export.tsx";
import { useInstall } from "./use-install.ts";
import { usePlugins } from "./use-plugins.ts";
import { useUpgrades } from "../registry/use-registry.ts";

const tabs = ["plugins", "browse", "keys", "exports"] as const;
const manyPlugins = 8;

export default function PluginsPage() {
  return (
    <QueryScope>
      <Plugins />
    </QueryScope>
  );
}

function Plugins() {
  const [query, setQuery] = useSearchParams();
  const tab = tabs.find((id) => id === query.get("tab")) ?? "plugins";
  const show = (id: string) => setQuery(id === "plugins" ? {} : { tab: id }, { replace: true });
  const upgrades = useUpgrades();
  const install = useInstall();
  const upload = useExportUpload(() => show("exports"));
  const take = (file: File) => {
    const isExport = upload.isOpen || (!install.isOpen && file.name.endsWith(".tar"));
    void (isExport ? upload : install).take(file);
  };
  const isDragOver = useFileDrop(install.isInstalling ? null : take);
  const [isTrusting, setTrusting] = useState(false);
  const trust = () => setTrusting(true);
  return (
    <Page
      title="Plugins"
      width="wide"
      primary={
        tab === "keys" ? (
          <Button variant="primary" icon={Plus} onClick={trust}>
            Trust a key
          </Button>
        ) : tab === "exports" ? (
          <Button variant="primary" icon={Upload} onClick={upload.show}>
            Upload an export
          </Button>
        ) : (
          <Button variant="primary" icon={PackagePlus} onClick={install.show}>
            Install a package
          </Button>
        )
      }
    >
      <div
        className="shell-drop-list"
        data-over={(isDragOver && !install.isOpen && !upload.isOpen) || undefined}
      >
        <Tabs
          label="Plugins, registry, keys and exports"
          value={tab}
          onChange={show}
          items={[
            { id: "plugins", title: "Plugins", content: <PluginList upgrades={upgrades} /> },
            {
              id: "browse",
              title: <BrowseTitle upgrades={upgrades.size} />,
              content: <RegistryList install={install} />,
            },
            { id: "keys", title: "Keys", content: <KeyList /> },
            { id: "exports", title: "Exports", content: <ExportList /> },
          ]}
        />
      </div>
      <InstallDialog install={install} isDragOver={isDragOver} />
      <UploadExportDialog upload={upload} isDragOver={isDragOver} />
      <TrustKeyDialog open={isTrusting} onClose={() => setTrusting(false)} />
    </Page>
  );
}

function BrowseTitle({ upgrades }: { upgrades: number }) {
  return (
    <>
      Browse
      {upgrades > 0 && (
        <Badge tone="accent">
          {upgrades}
          <VisuallyHidden> {upgrades === 1 ? "upgrade" : "upgrades"}</VisuallyHidden>
        </Badge>
      )}
    </>
  );
}

type Upgrades = ReadonlyMap<string, string>;

function PluginList({ upgrades }: { upgrades: Upgrades }) {
  const { data, error, isPending, refetch } = usePlugins();
  const [filter, setFilter] = useState("");
  if (isPending) return <SkeletonRows count={4} />;
  if (!data) {
    return (
      <ErrorState error={error} title="Could not load the plugins" onRetry={() => void refetch()} />
    );
  }
  if (data.items.length === 0) {
    return (
      <EmptyState icon={Puzzle} title="No plugins installed">
        Install a .tenon package, drop one here, or browse the registry.
      </EmptyState>
    );
  }
  const wanted = filter.trim().toLowerCase();
  const shown = data.items.filter(({ name, id, description = "" }) =>
    `${name} ${id} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <p className="t-muted shell-lead">
        Plugins add features. Disabling a plugin takes effect immediately for all users and keeps
        its data.
      </p>
      {data.items.length >= manyPlugins && (
        <div className="shell-filter">
          <SearchInput
            label="Filter plugins"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </div>
      )}
      {shown.length === 0 ? (
        <EmptyState title={`No plugins match “${filter}”`} />
      ) : (
        <Card>
          <ul className="t-rows">
            {shown.map((plugin) => (
              <PluginRow key={plugin.id} plugin={plugin} upgrade={upgrades.get(plugin.id)} />
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function PluginRow({ plugin, upgrade }: { plugin: PluginRecord; upgrade?: string }) {
  const { id, name, version, description } = plugin;
  return (
    <li className="shell-plugin-row">
      <div className="t-row">
        <PluginTile id={id} />
        <div className="t-row-main">
          <div className="shell-plugin-name">
            <Link to={`/settings/plugins/${id}`}>{name}</Link>
            <span className="t-muted">{version}</span>
            <PluginStateBadge plugin={plugin} />
            {upgrade && (
              <Link className="shell-upgrade" to={registryPath(id)}>
                <Badge tone="accent">
                  <ArrowUp size={12} aria-hidden /> {upgrade}
                  <VisuallyHidden> of {name} is available</VisuallyHidden>
                </Badge>
              </Link>
            )}
            <PluginSigner plugin={plugin} />
          </div>
          {description && <div className="t-muted t-ellipsis">{description}</div>}
        </div>
        <PluginActions plugin={plugin} />
        <PluginSwitch plugin={plugin} />
      </div>
      <PluginMigration plugin={plugin} />
      <PluginReason plugin={plugin} />
    </li>
  );
}
