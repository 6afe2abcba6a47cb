import { useEventStream, useStore } from "@tenon/host";
import { useEffect, useState, useSyncExternalStore } from "react";

function subscribe(listener: () => void) {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

export type Connection = "online" | "offline" | "unreachable";

const patience = 2_500;

/** How the host can be reached. A short break is not worth a word. */
export function useConnection(): Connection {
  const hasNetwork = useSyncExternalStore(subscribe, () => navigator.onLine);
  const status = useStore(useEventStream().status);
  const broken = status === "lost" || status === "refused";
  const [reported, setReported] = useState(false);
  if (!broken && reported) setReported(false);
  useEffect(() => {
    if (!broken) return;
    const timer = setTimeout(() => setReported(true), patience);
    return () => clearTimeout(timer);
  }, [broken]);
  if (!hasNetwork) return "offline";
  return broken && reported ? "unreachable" : "online";
}
