import { useStore, useUser } from "@tenon/host";
import { EmptyState, LinkButton, Page, RelativeTime } from "@tenon/ui/frame";
import { Puzzle } from "lucide-react";
import { startTransition, Suspense, useEffect, useState } from "react";
import { Link } from "react-router";
import { useNavigationEntries } from "../frame/navigation-entries.ts";
import { PluginIcon } from "../plugins/plugin-icon.tsx";
import { useServices } from "../services.ts";
import { lazyPage } from "../navigation/lazy-page.tsx";
import { useRecentPages } from "../navigation/recent-pages.ts";

const maxEntries = 8;

function greeting(hour: number): string {
  if (hour < 5) return "Good night";
  if (hour < 12) return "Good morning";
  return hour < 18 ? "Good afternoon" : "Good evening";
}

export function HomePage() {
  const user = useUser();
  const entries = useNavigationEntries();
  const firstName = user.name.split(" ")[0];
  return (
    <Page title="Home" width="wide">
      {entries.length === 0 ? (
        <NoPlugins isAdmin={user.role === "admin"} />
      ) : (
        <div className="shell-home">
          <p className="shell-greeting">
            {greeting(new Date().getHours())}, {firstName}
          </p>
          <ul className="shell-tiles">
            {entries.map((entry) => (
              <li key={`${entry.plugin.id}:${entry.id}`} className="t-card shell-tile">
                <PluginIcon name={entry.icon} size={20} />
                <Link to={entry.path}>{entry.title}</Link>
                <Quick plugin={entry.plugin.id} />
              </li>
            ))}
          </ul>
          <Suspense>
            <Widgets />
          </Suspense>
          <Recent />
        </div>
      )}
    </Page>
  );
}

const HomeWidgets = lazyPage(() => import("./home-widgets.tsx"));

/** Tiles of plugins: loaded after the first paint, and only where there are any. */
function Widgets() {
  const has = useStore(useServices().registry.store, ({ plugins }) =>
    plugins.some((plugin) => plugin.contributions?.["home.widgets"]?.length),
  );
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setPainted(true)));
    return () => clearTimeout(timer);
  }, []);
  return has && painted ? <HomeWidgets /> : null;
}

/** The plugin's first command with a path, such as "New note". */
function Quick({ plugin }: { plugin: string }) {
  const found = useServices().registry.find(plugin);
  const command = found?.contributions?.commands?.find(({ path }) => path);
  if (!command?.path) return null;
  return (
    <LinkButton size="small" to={command.path}>
      {command.title}
    </LinkButton>
  );
}

function Recent() {
  const { plugins } = useStore(useServices().registry.store);
  const pages = useRecentPages()
    .filter(({ plugin }) => plugins.some(({ id }) => id === plugin))
    .slice(0, maxEntries);
  if (pages.length === 0) return null;
  return (
    <section className="t-section" aria-labelledby="recent">
      <h2 id="recent">Recently opened</h2>
      <ul className="t-card t-rows">
        {pages.map(({ path, title, plugin, time }) => {
          const { name, navigation } = plugins.find(({ id }) => id === plugin) ?? {};
          return (
            <li key={path} className="shell-recent">
              <PluginIcon name={navigation?.[0]?.icon} />
              <Link to={path} className="t-ellipsis">
                {title}
              </Link>
              <span className="t-muted">{name}</span>
              <span className="t-muted shell-recent-time">
                <RelativeTime value={time} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function NoPlugins({ isAdmin }: { isAdmin: boolean }) {
  if (!isAdmin) {
    return (
      <EmptyState icon={Puzzle} title="Nothing here yet">
        Plugins that an admin enables appear here and in the sidebar.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Puzzle}
      title="No plugins enabled"
      action={
        <LinkButton variant="primary" to="/settings/plugins">
          Open plugins
        </LinkButton>
      }
    >
      Plugins add features. Enabled plugins appear here and in the sidebar.
    </EmptyState>
  );
}
