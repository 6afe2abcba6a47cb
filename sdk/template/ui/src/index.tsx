import { definePlugin } from "@tenon/host";
import { GuestBook } from "./guest-book.tsx";

export default definePlugin({
  id: "my-plugin",
  routes: [{ index: true, page: GuestBook }],
});
