export type Theme = "system" | "light" | "dark";

export const themeKey = "tenon.theme";

/** Returns the theme that the user chose in this browser. */
export function storedTheme(): Theme {
  const value = localStorage.getItem(themeKey);
  return value === "light" || value === "dark" ? value : "system";
}
