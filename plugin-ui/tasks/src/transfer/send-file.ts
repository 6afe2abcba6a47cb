import { uploadFile, type UploadedFile } from "@tenon/ui/uploads";

/** Sends a file to the plugin in pieces. `done` is null when it was cancelled. */
export function sendFile(file: File, onProgress: (part: number) => void) {
  const stop = new AbortController();
  const done: Promise<UploadedFile | null> = uploadFile("/api/tasks/blobs", file, file.name, {
    signal: stop.signal,
    onProgress,
  }).catch((error: unknown) => {
    if (stop.signal.aborted) return null;
    throw error;
  });
  return { done, cancel: () => stop.abort() };
}
