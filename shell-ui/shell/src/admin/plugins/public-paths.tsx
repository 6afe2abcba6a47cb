import { Badge, Section, Switch, TableCard } from "@tenon/ui";
import type { PluginRecord, PublicPath } from "../console-api.ts";
import { useSwitchPublicPath } from "./use-plugins.ts";

/** The short paths that the plugin asks for, each with a switch; most plugins have none. */
export function PublicPaths({ plugin }: { plugin: PluginRecord }) {
  const { public_paths: paths } = plugin;
  if (paths.length === 0) return null;
  return (
    <Section
      title="Public paths"
      description="Short addresses of this server that the plugin asks for. Everyone can use a path that is on, without signing in."
    >
      <TableCard label="Public paths" columns={["Path", "Used for", "On"]}>
        {paths.map((path) => (
          <tr key={path.path}>
            <td>
              <code>{path.path}</code>
            </td>
            <td>{path.title || <span className="t-muted">Not used by this version</span>}</td>
            <td>
              <PathSwitch plugin={plugin} path={path} />
            </td>
          </tr>
        ))}
      </TableCard>
    </Section>
  );
}

function PathSwitch({ plugin, path }: { plugin: PluginRecord; path: PublicPath }) {
  const { mutate, isPending, variables } = useSwitchPublicPath();
  if (path.taken_by) return <Badge tone="warning">Used by {path.taken_by}</Badge>;
  return (
    <Switch
      label={`Serve ${plugin.name} at ${path.path}`}
      hideLabel
      checked={isPending ? variables.on : path.granted}
      disabled={isPending}
      onChange={(on) => mutate({ plugin, path: path.path, on })}
    />
  );
}
