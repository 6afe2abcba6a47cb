import DefaultTheme from "vitepress/theme";
import { GalleryExample } from "./gallery-example.mjs";
import "./style.css";
import "./gallery.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("GalleryExample", GalleryExample);
  },
};
