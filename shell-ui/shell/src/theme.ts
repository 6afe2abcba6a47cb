import { createStore } from "@tenon/host";

export type Theme = "system" | "light" | "dark";

const key = "tenon.theme";

function stored(): Theme {
  const value = localStorage.getItem(key);
  return value === "light" || value === "dark" ? value : "system";
}

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const theme = createStore<Theme>(stored());

/** Applies the person's choice now, and again when it changes here or in another tab. */
export function startTheme(): void {
  apply(theme.get());
  theme.subscribe(() => apply(theme.get()));
  addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) theme.set(stored());
  });
}

export function chooseTheme(next: Theme): void {
  if (next === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, next);
  theme.set(next);
}
