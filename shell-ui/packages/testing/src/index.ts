export { addBrowserParts } from "./browser-parts.ts";
export {
  fakeServer,
  Reply,
  type FakeHandler,
  type FakeRequest,
  type FakeServer,
} from "./fake-server.ts";
export { fakeTable } from "./fake-table.ts";
export { renderPlugin, type RenderedPlugin, type RenderPluginOptions } from "./render-plugin.tsx";
