export { createStore, useStore, type Dispose, type ReadableStore, type Store } from "./store.ts";
export { createDisposer, type Disposer } from "./disposer.ts";
export {
  definePlugin,
  type ActionEntry,
  type ActionRecord,
  type Asset,
  type CommandEntry,
  type ManifestContributions,
  type NavigationEntry,
  type PageModule,
  type PluginContext,
  type PluginContributions,
  type PluginDefinition,
  type PluginRoute,
  type RecordAction,
  type SearchEntry,
  type SearchHit,
  type SearchSource,
  type ShellPlugin,
  type SlotEntry,
  type SlotModule,
  type WidgetEntry,
} from "./contract.ts";
export {
  CommandProvider,
  createCommandRegistry,
  useCommand,
  useCommandRegistry,
  type Command,
  type CommandRegistry,
} from "./commands.ts";
export {
  EventProvider,
  useEventStream,
  useServerEvent,
  type ConnectionStatus,
  type EventStream,
  type ServerEvent,
  type ServerEventOptions,
} from "./events.ts";
export {
  ExtensionProvider,
  Slot,
  useRecordActions,
  type Extensions,
  type RecordActionItem,
  type SlotProps,
} from "./extensions.ts";
export {
  LeaveGuardProvider,
  useKeptChanges,
  useLeaveGuard,
  type LeaveGuard,
  type LeaveGuards,
} from "./leave-guard.ts";
export { PageTitleProvider, usePageTitle, type PageTitles } from "./page-title.ts";
export { PluginProvider, usePlugin, usePluginIfAny } from "./plugin-context.ts";
export {
  SessionProvider,
  signedOut,
  usePermission,
  useSession,
  useUser,
  type Role,
  type Session,
  type SessionStatus,
  type User,
} from "./session.ts";
export {
  addStylesheet,
  AssetError,
  importChunk,
  importModule,
  registerChunks,
} from "./module-loader.ts";
