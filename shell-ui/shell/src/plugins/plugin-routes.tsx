import type { PluginDefinition, PluginRoute } from "@tenon/host";
import type { ReactNode } from "react";
import { matchRoutes, Route, Routes, type RouteObject } from "react-router";
import { lazyPage, type LazyPage } from "../navigation/lazy-page.tsx";

export const lazyPages = new WeakMap<PluginRoute, LazyPage>();

function lazyPageOf(route: PluginRoute): LazyPage | undefined {
  let Page = lazyPages.get(route);
  if (!Page && route.load) lazyPages.set(route, (Page = lazyPage(route.load)));
  return Page;
}

function elementOf(route: PluginRoute): ReactNode {
  if (route.page) return <route.page />;
  const Page = lazyPageOf(route);
  return Page && <Page />;
}

/** Fetches what the page at an address consists of. Never fails: the page itself will say it. */
export async function preloadRoutes(definition: PluginDefinition, pathname: string): Promise<void> {
  const routes = definition.routes as RouteObject[] | undefined;
  const found = matchRoutes(routes ?? [], pathname, `/app/${definition.id}`) ?? [];
  const pages = found.flatMap(({ route }) => lazyPageOf(route as PluginRoute) ?? []);
  await Promise.allSettled(pages.map((page) => page.preload()));
}

function toRoute(route: PluginRoute, index: number): ReactNode {
  if (route.index) return <Route key={index} index element={elementOf(route)} />;
  return (
    <Route key={index} path={route.path} element={elementOf(route)}>
      {route.children?.map(toRoute)}
    </Route>
  );
}

/** The routes of a plugin, below `/app/<plugin>/`. */
export function PluginRoutes({
  definition,
  notFound,
}: {
  definition: PluginDefinition;
  notFound: ReactNode;
}) {
  return (
    <Routes>
      {definition.routes?.map(toRoute)}
      <Route path="*" element={notFound} />
    </Routes>
  );
}
