import {
  CommandProvider,
  EventProvider,
  LeaveGuardProvider,
  SessionProvider,
  useStore,
} from "@tenon/host";
import { Toaster } from "@tenon/ui/frame";
import { startTransition, Suspense, useEffect, useState } from "react";
import { Router } from "react-router";
import { Frame } from "./frame/frame.tsx";
import { TitleScope } from "./frame/page-titles.tsx";
import { preloadPage } from "./frame/pages.tsx";
import { lazyPage } from "./navigation/lazy-page.tsx";
import { PendingProvider } from "./navigation/pending.ts";
import { ServicesProvider, type Services } from "./services.ts";

const SignIn = lazyPage(() => import("./sign-in/sign-in-page.tsx"));
const Setup = lazyPage(() => import("./sign-in/setup-page.tsx"));
const SessionEnded = lazyPage(() => import("./sign-in/session-ended.tsx"));

/** Fetches what the first page consists of, so that it is painted whole. */
export async function preloadFirstPage({ session, setup, runtime }: Services): Promise<void> {
  if (session.get().status === "signed-out") {
    await (setup.get() ? Setup : SignIn).preload().catch(() => undefined);
    return;
  }
  const { pathname } = location;
  const plugin = /^\/app\/([^/]+)/.exec(pathname)?.[1];
  await Promise.all([
    preloadPage(pathname),
    plugin && runtime.startPage(plugin).catch(() => undefined),
  ]);
}

/** The whole page: a session or the way to one, under the providers. */
export function App({ services }: { services: Services }) {
  const { history, session, setup, commands, events } = services;
  const [navigation, setNavigation] = useState(history.state.get());
  const [pending, setPending] = useState(history.state.get());
  const { status } = useStore(session);
  const needsSetup = useStore(setup);

  useEffect(() => {
    const follow = () => {
      const next = history.state.get();
      setPending(next);
      // The old page stays until the new one can be shown.
      startTransition(() => setNavigation(next));
    };
    // A page may have navigated on while it mounted, before this effect.
    follow();
    return history.state.subscribe(follow);
  }, [history]);

  return (
    <ServicesProvider value={services}>
      <SessionProvider value={session}>
        <CommandProvider value={commands}>
          <EventProvider value={events}>
            <LeaveGuardProvider value={history.guards}>
              <PendingProvider value={pending !== navigation}>
                <Router
                  location={navigation.location}
                  navigationType={navigation.action as never}
                  navigator={history}
                >
                  <TitleScope>
                    {status === "signed-out" ? (
                      <Suspense>{needsSetup ? <Setup /> : <SignIn />}</Suspense>
                    ) : (
                      <Frame />
                    )}
                    <Suspense>{status === "ended" && <SessionEnded />}</Suspense>
                  </TitleScope>
                  <Toaster />
                </Router>
              </PendingProvider>
            </LeaveGuardProvider>
          </EventProvider>
        </CommandProvider>
      </SessionProvider>
    </ServicesProvider>
  );
}
