import { createStore } from "@tenon/host";
import { storedTheme, themeKey, type Theme } from "./theme-choice.ts";

export type { Theme };

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const theme = createStore<Theme>(storedTheme());

/** Applies the person's choice now, and again when it changes here or in another tab. */
export function startTheme(): void {
  apply(theme.get());
  theme.subscribe(() => apply(theme.get()));
  addEventListener("storage", (event) => {
    if (event.key === themeKey || event.key === null) theme.set(storedTheme());
  });
}

export function chooseTheme(next: Theme): void {
  if (next === "system") localStorage.removeItem(themeKey);
  else localStorage.setItem(themeKey, next);
  theme.set(next);
}
