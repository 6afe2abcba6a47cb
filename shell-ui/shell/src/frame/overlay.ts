import { createStore } from "@tenon/host";

/** The overlay that is open over the page. */
export const overlay = createStore<"palette" | "shortcuts" | null>(null);
