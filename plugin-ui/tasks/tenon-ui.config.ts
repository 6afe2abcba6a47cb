import type { PluginBuildOptions } from "@tenon/rollup-preset";

export default { id: "tasks" } satisfies Partial<PluginBuildOptions>;
