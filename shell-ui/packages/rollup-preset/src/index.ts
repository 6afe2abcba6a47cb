export { defaultBudget, type BudgetOptions } from "./budget.ts";
export { compressFolder, gzipSize } from "./compress.ts";
export { contentHash, integrityOf } from "./integrity.ts";
export { lucide, readIcon, readIconNames, type IconShapes } from "./lucide.ts";
export { buildPlugin, pluginBuild, type PluginBuildOptions } from "./plugin-build.ts";
export type { ManifestAsset, PluginUiManifest } from "./plugin-manifest.ts";
export { cssTargets, minifyCss, scopeCss } from "./scoped-css.ts";
export { sharedModules, sharedNames, type SharedModule } from "./shared-modules.ts";
export { browserTarget, environment, minify, typescript } from "./typescript.ts";
