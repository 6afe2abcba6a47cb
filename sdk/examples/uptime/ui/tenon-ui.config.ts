import type { PluginBuildOptions } from "@tenon/rollup-preset";

export default { id: "uptime" } satisfies Partial<PluginBuildOptions>;
