export { formatBytes } from "./format-bytes.ts";
export { createUploadStore, type StoredUpload, type UploadStore } from "./upload-store.ts";
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
