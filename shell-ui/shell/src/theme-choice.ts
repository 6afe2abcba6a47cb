export type Theme = "system" | "light" | "dark";

export const themeKey = "tenon.theme";

/** What the person chose in this browser. */
export function storedTheme(): Theme {
  const value = localStorage.getItem(themeKey);
  return value === "light" || value === "dark" ? value : "system";
}
