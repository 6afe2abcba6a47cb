import type { PluginBuildOptions } from "@tenon/rollup-preset";

export default { id: "notes" } satisfies Partial<PluginBuildOptions>;
