import type { PluginDefinition, PluginRoute } from "@tenon/host";
import type { ReactNode } from "react";
import { Route, Routes } from "react-router";
import { lazyPage, type LazyPage } from "../navigation/lazy-page.tsx";

const lazyPages = new WeakMap<PluginRoute, LazyPage>();

function elementOf(route: PluginRoute): ReactNode {
  if (route.page) return <route.page />;
  if (!route.load) return undefined;
  let Page = lazyPages.get(route);
  if (!Page) lazyPages.set(route, (Page = lazyPage(route.load)));
  return <Page />;
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
