import "./registry.css";
import {
  Button,
  EmptyState,
  ErrorState,
  IconButton,
  Notice,
  RelativeTime,
  SearchInput,
  SegmentedControl,
  SkeletonRows,
} from "@tenon/ui";
import { CloudOff, Library, RefreshCw, SearchX } from "lucide-react";
import { useSearchParams } from "react-router";
import type { RegistryPage, RegistryShow } from "./registry-api.ts";
import { RegistryCard } from "./registry-card.tsx";
import type { Install } from "../plugins/use-install.ts";
import { useRefreshRegistry, useRegistry, useDebounced } from "./use-registry.ts";

const shows: readonly { value: RegistryShow; label: string }[] = [
  { value: "", label: "All" },
  { value: "installable", label: "Installable" },
  { value: "installed", label: "Installed" },
  { value: "upgradable", label: "Upgrades" },
];

/** Lists the plugins of the registry, with search and installation. */
export function RegistryList({ install }: { install: Install }) {
  const [query, setQuery] = useSearchParams();
  const q = query.get("q") ?? "";
  const show = shows.find(({ value }) => value === query.get("show"))?.value ?? "";
  const change = (name: string, value: string) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const filter = { q: useDebounced(q).trim(), show };
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useRegistry(filter);
  if (isPending) return <SkeletonRows count={6} />;
  const page = data?.pages[0];
  if (!page) {
    return (
      <ErrorState
        error={error}
        title="Could not load the registry"
        onRetry={() => void refetch()}
      />
    );
  }
  if (page.url === null) return <NoRegistry />;
  if (page.serial === null) return <Unreadable page={page} />;
  const plugins = data.pages.flatMap(({ items }) => items);
  return (
    <>
      <RegistryState page={page} />
      <div className="shell-filter shell-registry-filter">
        <SearchInput
          label="Search the registry"
          value={q}
          maxLength={200}
          onChange={(event) => change("q", event.target.value)}
        />
        <SegmentedControl
          label="Show"
          value={show}
          options={shows}
          onChange={(value) => change("show", value)}
        />
        <Origin page={page} />
      </div>
      {plugins.length === 0 ? (
        <Nothing filter={filter} onShowAll={() => setQuery({ tab: "browse" }, { replace: true })} />
      ) : (
        <ul className="shell-registry" aria-label="Registry plugins">
          {plugins.map((plugin) => (
            <RegistryCard key={plugin.id} plugin={plugin} install={install} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="shell-more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

/** Where it comes from and how old it is. */
function Origin({ page: { url, read } }: { page: RegistryPage }) {
  const { mutate, isPending } = useRefreshRegistry();
  return (
    <div className="shell-registry-origin t-muted">
      <span className="t-ellipsis" title={url ?? undefined}>
        {url?.replace(/^https?:\/\//, "")}
        {read && (
          <>
            {" "}
            · updated <RelativeTime value={read} />
          </>
        )}
      </span>
      <IconButton
        icon={RefreshCw}
        label="Refresh the registry"
        size="small"
        busy={isPending}
        onClick={() => mutate()}
      />
    </div>
  );
}

/** Why this may not be what the registry has now. */
function RegistryState({ page: { error, read } }: { page: RegistryPage }) {
  const { mutate, isPending } = useRefreshRegistry();
  if (!error) return null;
  return (
    <div className="shell-registry-state">
      <Notice
        tone="warning"
        icon={CloudOff}
        action={
          <Button size="small" busy={isPending} onClick={() => mutate()}>
            Try again
          </Button>
        }
      >
        <strong>
          {error.code === "plugins.registry_unreachable"
            ? "The registry cannot be reached"
            : "The new registry list was rejected"}
        </strong>
        <div>{error.message}</div>
        <div>
          This is the last valid list,{" "}
          {read ? (
            <>
              loaded <RelativeTime value={read} />.
            </>
          ) : (
            "loaded before the server started."
          )}
        </div>
      </Notice>
    </div>
  );
}

function NoRegistry() {
  return (
    <>
      <EmptyState icon={Library} title="No registry configured">
        A registry is a folder or web server with signed packages that you can browse and install.
        To use one, set its address and public key, then restart the server:
      </EmptyState>
      <pre className="shell-registry-how">
        <code>{`# tenon.conf in the data directory
registry.url = https://plugins.example/tenon
registry.key = /etc/tenon/registry.pub`}</code>
      </pre>
    </>
  );
}

/** None was ever read. */
function Unreadable({ page: { url, error } }: { page: RegistryPage }) {
  const { mutate, isPending } = useRefreshRegistry();
  return (
    <EmptyState
      icon={CloudOff}
      title={
        error && error.code !== "plugins.registry_unreachable"
          ? "The registry list was rejected"
          : "The registry cannot be reached"
      }
      action={
        <Button busy={isPending} onClick={() => mutate()}>
          Try again
        </Button>
      }
    >
      {error?.message ?? url}
    </EmptyState>
  );
}

function Nothing({
  filter: { q, show },
  onShowAll,
}: {
  filter: { q: string; show: RegistryShow };
  onShowAll(): void;
}) {
  if (show === "upgradable" && !q) {
    return (
      <EmptyState icon={Library} title="Everything is up to date">
        The registry has no newer versions of the installed plugins.
      </EmptyState>
    );
  }
  return q || show ? (
    <EmptyState
      icon={SearchX}
      title={q ? `No results for “${q}”` : "No plugins match the filters"}
      action={<Button onClick={onShowAll}>Show all</Button>}
    />
  ) : (
    <EmptyState icon={Library} title="The registry has no plugins yet" />
  );
}
