interface ImportMetaEnv {
  /** URL of the folder with the icons' data; set by the build. */
  readonly TENON_ICONS: string;
  /** True in the page of `tenon dev`; set by the build, which leaves out what is for the other page. */
  readonly TENON_DEVELOPMENT?: boolean;
}

interface ImportMeta {
  readonly env: ImportMetaEnv;
}

declare module "react-refresh/runtime" {
  /** Shows the newest type with a name where an older one is mounted, as soon as all modules are evaluated. */
  export function register(type: unknown, name: string): void;
}
