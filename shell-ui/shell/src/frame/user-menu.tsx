import { useStore, useUser } from "@tenon/host";
import { Avatar, Menu, MenuHeading, MenuItem, MenuLink, MenuSeparator } from "@tenon/ui/frame";
import {
  BookOpen,
  ChevronsUpDown,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Puzzle,
  Settings,
  Sun,
} from "lucide-react";
import { useServices } from "../services.ts";
import { chooseTheme, theme, type Theme } from "../theme.ts";
import { apiDocsPath } from "./api-docs-path.ts";
import { overlay } from "./overlay.ts";

const themes: readonly { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
  { value: "system", label: "System", icon: Monitor },
];

export function UserMenu({ folded }: { folded: boolean }) {
  const { signOut } = useServices();
  const user = useUser();
  const chosen = useStore(theme);
  return (
    <div className="shell-user">
      <Menu
        label={`${user.name}: account, theme, sign out`}
        align="start"
        side={folded ? "right" : "top"}
        trigger={
          <button
            type="button"
            className="shell-nav-item"
            aria-label={folded ? user.name : undefined}
          >
            <Avatar name={user.name} />
            <span className="t-ellipsis">{user.name}</span>
            <ChevronsUpDown size={14} />
          </button>
        }
      >
        <MenuLink to="/settings/account" icon={Settings} shortcut="g a">
          Account
        </MenuLink>
        {user.role === "admin" && (
          <MenuLink to="/settings/plugins" icon={Puzzle} shortcut="g p">
            Administration
          </MenuLink>
        )}
        <MenuItem icon={Keyboard} shortcut="?" onSelect={() => overlay.set("shortcuts")}>
          Keyboard shortcuts
        </MenuItem>
        <MenuItem icon={BookOpen} onSelect={() => location.assign(apiDocsPath)}>
          API
        </MenuItem>
        <MenuSeparator />
        <MenuHeading>Theme</MenuHeading>
        {themes.map(({ value, label, icon }) => (
          <MenuItem
            key={value}
            icon={icon}
            checked={chosen === value}
            onSelect={() => chooseTheme(value)}
          >
            {label}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem icon={LogOut} onSelect={() => void signOut()}>
          Sign out
        </MenuItem>
      </Menu>
    </div>
  );
}
