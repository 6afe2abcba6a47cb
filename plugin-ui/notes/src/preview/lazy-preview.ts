import { lazyComponent } from "../app/lazy.tsx";

/** The renderer is as large as half the editor: it comes when something is read. */
export const LazyPreview = lazyComponent(() =>
  import("./preview.tsx").then(({ Preview }) => Preview),
);
