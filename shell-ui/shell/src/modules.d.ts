interface ImportMetaEnv {
  /** URL of the folder with the icons' data; set by the build. */
  readonly TENON_ICONS: string;
}

interface ImportMeta {
  readonly env: ImportMetaEnv;
}
