import { createStore } from "@tenon/host";

const key = "tenon.side-bar";

/** Folded to icons; kept on this device. */
export const isFolded = createStore(localStorage.getItem(key) === "folded");

export function toggleSideBar(): void {
  isFolded.set((folded) => !folded);
  localStorage.setItem(key, isFolded.get() ? "folded" : "open");
}
