import type { LiveStream } from "./event-stream.ts";

const grace = 20_000;

/**
 * A browser holds six HTTP/1.1 connections to a host, and each live tab takes one: a tab out of sight for a while gives its
 * connection back, and takes it again when it is looked at. `wanted`: whether there is a session to listen with.
 */
export function followVisibility(
  stream: LiveStream,
  wanted: () => boolean,
  page: Document = document,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = () => {
    clearTimeout(timer);
    if (page.visibilityState !== "visible") timer = setTimeout(() => stream.stop(), grace);
    else if (wanted()) stream.start();
  };
  const reconnect = () => {
    if (page.visibilityState !== "visible" || !wanted()) return;
    stream.stop();
    stream.start();
  };
  follow();
  page.addEventListener("visibilitychange", follow);
  window.addEventListener("online", reconnect);
  return () => {
    clearTimeout(timer);
    stream.stop();
    page.removeEventListener("visibilitychange", follow);
    window.removeEventListener("online", reconnect);
  };
}
