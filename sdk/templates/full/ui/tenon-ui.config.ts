import type { PluginBuildOptions } from "@tenon/rollup-preset";

export default { id: "my-plugin" } satisfies Partial<PluginBuildOptions>;
