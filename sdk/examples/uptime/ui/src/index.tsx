import { definePlugin } from "@tenon/host";
import { SitesPage } from "./sites-page.tsx";

export default definePlugin({
  id: "uptime",
  routes: [
    { index: true, page: SitesPage },
    { path: ":site", load: () => import("./site-page.tsx") },
  ],
});
