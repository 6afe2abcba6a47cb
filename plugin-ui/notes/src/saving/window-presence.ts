import { newId } from "../model/uuid.ts";

/** Distinguishes drafts of closed windows from those being typed in another window. */
export interface WindowPresence {
  /** Of this window; the same after a reload. */
  readonly id: Promise<string>;
  /** Returns the ids of the open windows, including this one. */
  activeWindows(): Promise<ReadonlySet<string>>;
  end(): void;
}

const sessionKey = "tenon.notes.window";
const prefix = "tenon.notes.window.";
/** Milliseconds that a reload waits for the previous page to release its name; a duplicated tab takes a new name. */
const claimTimeout = 1_500;
const heartbeat = 10_000;
/** Timers of hidden tabs run once a minute. */
const silence = 90_000;

export interface PresenceOptions {
  locks?: Pick<LockManager, "request" | "query">;
  session?: Storage;
  local?: Storage;
  now?: () => number;
}

export function joinWindows({
  locks = (globalThis.navigator as Navigator | undefined)?.locks,
  session = globalThis.sessionStorage,
  local = globalThis.localStorage,
  now = Date.now,
}: PresenceOptions = {}): WindowPresence {
  return locks ? withLocks(locks, session) : withHeartbeat(session, local, now);
}

function remembered(session: Storage): string | null {
  try {
    return session.getItem(sessionKey);
  } catch {
    return null;
  }
}

function remember(session: Storage, id: string): string {
  try {
    session.setItem(sessionKey, id);
  } catch {
    // The next reload is then another window.
  }
  return id;
}

function withLocks(
  locks: Pick<LockManager, "request" | "query">,
  session: Storage,
): WindowPresence {
  let release: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (release = resolve));
  const hold = (id: string, signal?: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      locks
        .request(prefix + id, { signal }, () => {
          resolve(id);
          return ended;
        })
        .catch(reject);
    });
  const begin = async () => {
    const before = remembered(session);
    if (before) {
      try {
        return await hold(before, AbortSignal.timeout(claimTimeout));
      } catch {
        // Another window lives under this name: the tab was duplicated.
      }
    }
    return hold(remember(session, newId()));
  };
  const id = begin();
  return {
    id,
    async activeWindows() {
      const { held = [] } = await locks.query();
      const names = held.flatMap(({ name }) =>
        name?.startsWith(prefix) ? [name.slice(prefix.length)] : [],
      );
      return new Set([...names, await id]);
    },
    end: release,
  };
}

/** For pages without a secure context, which have no locks. */
function withHeartbeat(session: Storage, local: Storage, now: () => number): WindowPresence {
  const mark = (id: string) => {
    try {
      local.setItem(prefix + id, String(now()));
    } catch {
      // Without storage there are no drafts to distinguish either.
    }
  };
  const lives = (id: string) => now() - Number(local.getItem(prefix + id) ?? 0) < silence;
  const before = remembered(session);
  const id = before && !lives(before) ? before : remember(session, newId());
  mark(id);
  const timer = setInterval(() => mark(id), heartbeat);
  const end = () => {
    clearInterval(timer);
    local.removeItem(prefix + id);
  };
  globalThis.addEventListener?.("pagehide", end);
  return {
    id: Promise.resolve(id),
    activeWindows() {
      const ids = new Set([id]);
      for (let index = 0; index < local.length; index++) {
        const key = local.key(index) ?? "";
        if (key.startsWith(prefix) && lives(key.slice(prefix.length)))
          ids.add(key.slice(prefix.length));
      }
      return Promise.resolve(ids);
    },
    end,
  };
}
