import { definePlugin } from "@tenon/host";
import { GuestBookPage } from "./guest-book-page.tsx";

export default definePlugin({
  id: "my-plugin",
  routes: [{ index: true, page: GuestBookPage }],
});
