import "@tenon/ui/styles.css";
import "./frame.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  CommandProvider,
  createCommandRegistry,
  createStore,
  EventProvider,
  SessionProvider,
  type EventStream,
  type Session,
} from "@tenon/host";
import { ErrorState, Toaster } from "@tenon/ui";
import { Component, lazy, Suspense, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { MemoryRouter } from "react-router";
import { entries, type GalleryEntry } from "./entries.ts";
import { respond } from "./sample-server.ts";

// The page in a frame of the gallery. `?example=ID` shows one example, no parameter all of them.

const session = createStore<Session>({
  status: "signed-in",
  user: { id: "u1", login: "ada", name: "Ada Lovelace", role: "member" },
  permissions: [],
  groups: [],
});
const events: EventStream = {
  status: createStore("open" as const),
  onOpen: () => () => undefined,
  subscribe: () => () => undefined,
};
const commands = createCommandRegistry();
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });

globalThis.fetch = async (input) =>
  respond(new URL(input instanceof Request ? input.url : input, location.href));

class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    return this.state.error ? <ErrorState error={this.state.error} /> : this.props.children;
  }
}

function Example({ entry }: { entry: GalleryEntry }) {
  const Body = bodies.get(entry.id);
  return (
    <section aria-label={entry.title} data-example={entry.id}>
      <Boundary>
        <Suspense>{Body && <Body />}</Suspense>
      </Boundary>
    </section>
  );
}

const bodies = new Map(entries.map(({ id, load }) => [id, lazy(load)]));
const parameters = new URLSearchParams(location.search);
const chosen = parameters.get("example");
const shown = chosen ? entries.filter(({ id }) => id === chosen) : entries;

function setTheme(theme: string | null) {
  document.documentElement.dataset.theme = theme === "dark" ? "dark" : "light";
}
setTheme(parameters.get("theme"));
addEventListener("message", ({ origin, data }: MessageEvent<unknown>) => {
  if (origin === location.origin && typeof data === "string") setTheme(data);
});

const container = document.querySelector("main");
if (container) {
  createRoot(container).render(
    <SessionProvider value={session}>
      <CommandProvider value={commands}>
        <EventProvider value={events}>
          <MemoryRouter>
            <QueryClientProvider client={queries}>
              {shown.map((entry) => (
                <Example key={entry.id} entry={entry} />
              ))}
              <Toaster />
            </QueryClientProvider>
          </MemoryRouter>
        </EventProvider>
      </CommandProvider>
    </SessionProvider>,
  );
  // The page around makes the frame as high as the example.
  new ResizeObserver(() => {
    if (parent !== window) parent.postMessage({ height: container.scrollHeight }, location.origin);
  }).observe(container);
}
