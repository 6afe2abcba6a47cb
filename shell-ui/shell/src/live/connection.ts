import { createStore, type Dispose, type EventStream, type ReadableStore } from "@tenon/host";

/** `offline`: the browser has no network. `unreachable`: the server does not respond. */
export type ConnectionState = "online" | "offline" | "unreachable";

export interface Connection {
  readonly state: ReadableStore<ConnectionState>;
  /** Runs when the server can be reached again after an interruption, however short. */
  onReturn(listener: () => void): Dispose;
}

/** Milliseconds after which a lost connection is reported; shorter interruptions are not. */
const reportDelay = 2_500;

/** Follows the network and the event stream for as long as the page lives. */
export function createConnection(
  events: Pick<EventStream, "status" | "onOpen">,
  view: Window = window,
): Connection {
  const state = createStore<ConnectionState>("online");
  const listeners = new Set<() => void>();
  let wasInterrupted = false;
  let isReported = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function update(): void {
    const isBroken = ["lost", "refused"].includes(events.status.get());
    const hasNetwork = view.navigator.onLine;
    wasInterrupted ||= isBroken || !hasNetwork;
    if (!isBroken) {
      clearTimeout(timer);
      [timer, isReported] = [undefined, false];
    } else if (!isReported) {
      timer ??= setTimeout(() => {
        [timer, isReported] = [undefined, true];
        update();
      }, reportDelay);
    }
    state.set(!hasNetwork ? "offline" : isReported ? "unreachable" : "online");
  }

  update();
  events.status.subscribe(update);
  view.addEventListener("online", update);
  view.addEventListener("offline", update);
  events.onOpen(() => {
    if (!wasInterrupted || !view.navigator.onLine) return;
    wasInterrupted = false;
    for (const listener of [...listeners]) listener();
  });

  return {
    state,
    onReturn(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
