import type { Risk } from "./unsaved-state.ts";

/** Of versions like "1.10.0"; what follows "-" is older than what has none. */
function compareVersions(a: string, b: string): number {
  const [numbers = "", label = ""] = a.split(/-(.*)/s);
  const [others = "", otherLabel = ""] = b.split(/-(.*)/s);
  const order = numbers.localeCompare(others, "en", { numeric: true });
  if (order !== 0 || label === otherLabel) return order;
  if (label === "" || otherLabel === "") return label === "" ? 1 : -1;
  return label.localeCompare(otherLabel, "en", { numeric: true });
}

/** What became of the plugin whose page is open. */
export function headline(name: string, from: string, to: string): string {
  const order = compareVersions(to, from);
  if (order > 0) return `${name} was upgraded to ${to}.`;
  return order < 0 ? `${name} was rolled back to ${to}.` : `${name} ${to} was rebuilt.`;
}

/** What reloading takes with it. */
export function consequence(risk: Risk): string {
  if (risk === "unsaved") return "Your changes are saved before the page reloads.";
  if (risk === "typed" || risk === "editing")
    return "Unsaved text on this page is lost when you reload.";
  return "Reload when you are done.";
}
