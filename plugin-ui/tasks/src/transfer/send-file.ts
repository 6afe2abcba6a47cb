import { Upload } from "tus-js-client";

export interface Sent {
  /** Its id, which a record takes. */
  upload: string;
  /** What its content became. */
  blob: string;
}

/** Sends a file to the plugin in pieces. `done` is null when it was cancelled. */
export function sendFile(file: File, onProgress: (part: number) => void) {
  let cancel: () => void = () => undefined;
  const done = new Promise<Sent | null>((resolve, reject) => {
    let blob = "";
    const upload = new Upload(file, {
      endpoint: "/api/tasks/blobs",
      metadata: { filename: file.name },
      retryDelays: [0, 1000, 3000, 10_000],
      storeFingerprintForResuming: false,
      onProgress: (sent, total) => onProgress(total === null || total === 0 ? 1 : sent / total),
      onAfterResponse: (_request, response) => {
        blob = response.getHeader("Blob-Id") ?? blob;
      },
      onError: reject,
      onSuccess: () => resolve({ upload: upload.url?.split("/").at(-1) ?? "", blob }),
    });
    cancel = () => void upload.abort(true).finally(() => resolve(null));
    upload.start();
  });
  return { done, cancel: () => cancel() };
}
