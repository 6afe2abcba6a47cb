import { useCommand, useCommandRegistry, useUser } from "@tenon/host";
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { runInPlugin } from "../contributions/run-in-plugin.ts";
import { useServices } from "../services.ts";
import { chooseTheme, theme } from "../theme.ts";
import { apiDocsPath } from "./api-docs-path.ts";
import { useNavigationEntries } from "./navigation-entries.ts";
import { overlay } from "./overlay.ts";
import { toggleSideBar } from "./side-bar-state.ts";

/** The shell's own commands, and those that manifests declare. */
export function useShellCommands(): void {
  const services = useServices();
  const navigate = useNavigate();
  const isAdmin = useUser().role === "admin";
  const entries = useNavigationEntries();
  const registry = useCommandRegistry();
  const go = (to: string) => () => void navigate(to);

  useCommand({
    id: "palette",
    title: "Search and commands",
    group: "General",
    shortcut: "mod+k",
    hidden: true,
    run: () => overlay.set((shown) => (shown === "palette" ? null : "palette")),
  });
  useCommand({
    id: "shortcuts",
    title: "Keyboard shortcuts",
    group: "General",
    shortcut: "?",
    icon: "keyboard",
    run: () => overlay.set("shortcuts"),
  });
  useCommand({
    id: "side-bar",
    title: "Collapse or expand the sidebar",
    group: "General",
    shortcut: "[",
    icon: "panel-left",
    run: toggleSideBar,
  });
  useCommand({
    id: "home",
    title: "Home",
    group: "Go to",
    shortcut: "g h",
    icon: "house",
    run: go("/"),
  });
  useCommand({
    id: "account",
    title: "Account",
    group: "Go to",
    shortcut: "g a",
    icon: "circle-user",
    keywords: "settings password profile sessions",
    run: go("/settings/account"),
  });
  useCommand(
    isAdmin
      ? {
          id: "plugins",
          title: "Plugins",
          group: "Go to",
          shortcut: "g p",
          icon: "puzzle",
          keywords: "settings enable disable install admin",
          run: go("/settings/plugins"),
        }
      : null,
  );
  useCommand(
    isAdmin
      ? {
          id: "registry",
          title: "Browse plugins",
          group: "Go to",
          icon: "library",
          keywords: "settings registry install upgrade store market admin",
          run: go("/settings/plugins?tab=browse"),
        }
      : null,
  );
  useCommand(
    isAdmin
      ? {
          id: "users",
          title: "Users",
          group: "Go to",
          shortcut: "g u",
          icon: "user",
          keywords: "settings people members admin",
          run: go("/settings/users"),
        }
      : null,
  );
  useCommand(
    isAdmin
      ? {
          id: "groups",
          title: "Groups",
          group: "Go to",
          shortcut: "g r",
          icon: "users",
          keywords: "settings people members teams admin",
          run: go("/settings/groups"),
        }
      : null,
  );
  useCommand(
    isAdmin
      ? {
          id: "jobs",
          title: "Jobs",
          group: "Go to",
          shortcut: "g j",
          icon: "list-checks",
          keywords: "settings queue background schedule retry admin",
          run: go("/settings/jobs"),
        }
      : null,
  );
  useCommand({
    id: "api",
    title: "API",
    group: "Go to",
    icon: "book-open",
    keywords: "openapi swagger documentation developer rest",
    run: () => location.assign(apiDocsPath),
  });
  useCommand({
    id: "theme",
    title: "Switch between light and dark",
    group: "General",
    icon: "sun-moon",
    keywords: "theme appearance",
    run() {
      const isDark =
        theme.get() === "dark" ||
        (theme.get() === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
      chooseTheme(isDark ? "light" : "dark");
    },
  });
  useCommand({
    id: "sign-out",
    title: "Sign out",
    group: "General",
    icon: "log-out",
    run: () => services.signOut(),
  });

  useEffect(() => {
    const added = entries.flatMap(({ id, title, path, icon, plugin }, index) => [
      registry.add({
        id: `${plugin.id}:${id}`,
        title,
        group: "Go to",
        icon,
        shortcut: index < 9 ? `g ${index + 1}` : undefined,
        run: () => void navigate(path),
      }),
    ]);
    const plugins = new Set(entries.map((entry) => entry.plugin));
    for (const plugin of plugins) {
      for (const command of plugin.contributions?.commands ?? []) {
        added.push(
          registry.add({
            ...command,
            id: `${plugin.id}:command:${command.id}`,
            group: plugin.name,
            run: () =>
              command.path === undefined
                ? runInPlugin(services, plugin, "commands", command)
                : void navigate(command.path),
          }),
        );
      }
    }
    return () => added.forEach((dispose) => dispose());
    // Each render makes new entries; only their content matters.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [registry, services, navigate, JSON.stringify(entries)]);
}
