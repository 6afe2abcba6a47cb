import { useStore, useUser } from "@tenon/host";
import { classNames, Kbd, phone, Tooltip, useMediaQuery, VisuallyHidden } from "@tenon/ui/frame";
import {
  ArrowLeft,
  CircleUser,
  House,
  ListChecks,
  Puzzle,
  Search,
  User,
  Users,
} from "lucide-react";
import type { ReactNode } from "react";
import { NavLink, useLocation } from "react-router";
import { PluginIcon } from "../plugins/plugin-icon.tsx";
import { useServices } from "../services.ts";
import { Mark } from "./mark.tsx";
import { useNavigationEntries } from "./navigation-entries.ts";
import { overlay } from "./overlay.ts";
import { preloadPage } from "./pages.tsx";
import { isFolded } from "./side-bar-state.ts";
import { UserMenu } from "./user-menu.tsx";

interface ItemProps {
  to: string;
  title: string;
  icon: ReactNode;
  end?: boolean;
  badge?: number;
  folded: boolean;
  onApproach?(): void;
}

function Item({ to, title, icon, end, badge, folded, onApproach }: ItemProps) {
  const approach = () => {
    void preloadPage(to);
    onApproach?.();
  };
  const link = (
    <NavLink
      to={to}
      end={end}
      className="shell-nav-item"
      aria-label={folded ? title : undefined}
      onPointerEnter={approach}
      onFocus={approach}
      onPointerDown={approach}
    >
      {icon}
      <span className="t-ellipsis">{title}</span>
      {badge ? (
        <span className="shell-count">
          {badge > 99 ? "99+" : badge}
          <VisuallyHidden> new</VisuallyHidden>
        </span>
      ) : null}
    </NavLink>
  );
  return (
    <li>
      {folded ? (
        <Tooltip label={title} side="right">
          {link}
        </Tooltip>
      ) : (
        link
      )}
    </li>
  );
}

export function SideBar() {
  const { name } = useServices();
  const installation = useStore(name);
  const isPhone = useMediaQuery(phone);
  const folded = useStore(isFolded) && !isPhone;
  const inSettings = useLocation().pathname.startsWith("/settings");
  return (
    <header className={classNames("shell-side", folded && "shell-side-folded")}>
      <div className="shell-brand">
        <Mark />
        <span className="t-ellipsis">{installation}</span>
      </div>
      {inSettings ? <SettingsNavigation folded={folded} /> : <MainNavigation folded={folded} />}
      <UserMenu folded={folded} />
    </header>
  );
}

function MainNavigation({ folded }: { folded: boolean }) {
  const { runtime } = useServices();
  const entries = useNavigationEntries();
  const badges = useStore(runtime.badges);
  const search = (
    <button
      type="button"
      className="shell-nav-item shell-search"
      aria-label={folded ? "Search" : undefined}
      aria-keyshortcuts="Control+K"
      onClick={() => overlay.set("palette")}
    >
      <Search size={16} />
      <span>Search</span>
      <Kbd keys="mod+k" />
    </button>
  );
  return (
    <nav aria-label="Main" className="shell-nav">
      {folded ? (
        <Tooltip label="Search" shortcut="mod+k" side="right">
          {search}
        </Tooltip>
      ) : (
        search
      )}
      <ul>
        <Item to="/" end title="Home" icon={<House size={16} />} folded={folded} />
        {entries.map(({ plugin, id, path, title, icon }) => (
          <Item
            key={`${plugin.id}:${id}`}
            to={path}
            title={title}
            icon={<PluginIcon name={icon} />}
            badge={badges[plugin.id]}
            folded={folded}
            onApproach={() => runtime.preload(plugin.id)}
          />
        ))}
      </ul>
    </nav>
  );
}

function SettingsNavigation({ folded }: { folded: boolean }) {
  const isAdmin = useUser().role === "admin";
  return (
    <nav aria-label="Settings" className="shell-nav">
      <ul>
        <Item to="/" end title="Back" icon={<ArrowLeft size={16} />} folded={folded} />
      </ul>
      <h2>You</h2>
      <ul>
        <Item
          to="/settings/account"
          title="Account"
          icon={<CircleUser size={16} />}
          folded={folded}
        />
      </ul>
      {isAdmin && (
        <>
          <h2>Administration</h2>
          <ul>
            <Item
              to="/settings/plugins"
              title="Plugins"
              icon={<Puzzle size={16} />}
              folded={folded}
            />
            <Item to="/settings/users" title="Users" icon={<User size={16} />} folded={folded} />
            <Item to="/settings/groups" title="Groups" icon={<Users size={16} />} folded={folded} />
            <Item
              to="/settings/jobs"
              title="Jobs"
              icon={<ListChecks size={16} />}
              folded={folded}
            />
          </ul>
        </>
      )}
    </nav>
  );
}
