import { createStore } from "@tenon/host";

/** What lies over the page. */
export const overlay = createStore<"palette" | "shortcuts" | null>(null);
