export { formatBytes } from "./format-bytes.ts";
export { createKeptFiles, type KeptFile, type KeptFiles } from "./kept-files.ts";
export { pictureSize } from "./picture-size.ts";
export { UploadList, type UploadListProps } from "./upload-list.tsx";
export {
  uploadFile,
  Uploads,
  type UploadedFile,
  type UploadFileOptions,
  type UploadItem,
  type UploadsOptions,
  type UploadState,
} from "./uploads.ts";
