export { ExportMenu, type ExportMenuProps } from "./export-menu.tsx";
export { ImportDialog, type ImportDialogProps } from "./import-dialog.tsx";
export type { ImportState, RowError } from "./import-job.ts";
