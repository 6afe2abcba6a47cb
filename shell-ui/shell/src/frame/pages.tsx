import { useUser } from "@tenon/host";
import type { ReactNode } from "react";
import { Navigate, Route, Routes, useParams } from "react-router";
import { HomePage } from "../home/home-page.tsx";
import { lazyPage, type LazyPage } from "../navigation/lazy-page.tsx";
import { NoPermission, NotFound } from "./not-found.tsx";

export const PluginPage = lazyPage(() => {
  // Every plugin imports it: load it at the same time.
  void import("@tenon/ui").catch(() => undefined);
  void import("@tanstack/react-query").catch(() => undefined);
  return import("../plugins/plugin-page.tsx");
});
const Account = lazyPage(() => import("../account/account-page.tsx"));
const Plugins = lazyPage(() => import("../admin/plugins/plugins-page.tsx"));
const Plugin = lazyPage(() => import("../admin/plugins/plugin-detail-page.tsx"));
const Inspector = lazyPage(() => import("../admin/inspector/inspector-page.tsx"));
const RegistryPlugin = lazyPage(() => import("../admin/registry/registry-plugin-page.tsx"));
const Users = lazyPage(() => import("../admin/users/users-page.tsx"));
const Groups = lazyPage(() => import("../admin/groups/groups-page.tsx"));
const Group = lazyPage(() => import("../admin/groups/group-detail-page.tsx"));
const Jobs = lazyPage(() => import("../admin/jobs/jobs-page.tsx"));
const Job = lazyPage(() => import("../admin/jobs/job-detail-page.tsx"));

const chunks: readonly [RegExp, LazyPage][] = [
  [/^\/app\//, PluginPage],
  [/^\/settings\/account$/, Account],
  [/^\/settings\/plugins$/, Plugins],
  [/^\/settings\/plugins\/browse\//, RegistryPlugin],
  [/^\/settings\/plugins\/[^/]+\/inspector$/, Inspector],
  [/^\/settings\/plugins\//, Plugin],
  [/^\/settings\/users$/, Users],
  [/^\/settings\/groups$/, Groups],
  [/^\/settings\/groups\//, Group],
  [/^\/settings\/jobs$/, Jobs],
  [/^\/settings\/jobs\//, Job],
];

/** Fetches what the page at an address consists of. Never fails: the page itself will say it. */
export async function preloadPage(pathname: string): Promise<void> {
  const found = chunks.find(([pattern]) => pattern.test(pathname));
  await found?.[1].preload().catch(() => undefined);
}

function AdminOnly({ children }: { children: ReactNode }) {
  return useUser().role === "admin" ? children : <NoPermission />;
}

function PluginPageById() {
  return <PluginPage key={useParams().plugin} />;
}

export function Pages() {
  return (
    <Routes>
      <Route index element={<HomePage />} />
      <Route path="app/:plugin/*" element={<PluginPageById />} />
      <Route path="settings">
        <Route index element={<Navigate to="account" replace />} />
        <Route path="account" element={<Account />} />
        <Route path="plugins" element={<AdminOnly children={<Plugins />} />} />
        <Route path="plugins/:id" element={<AdminOnly children={<Plugin />} />} />
        <Route path="plugins/:id/inspector" element={<AdminOnly children={<Inspector />} />} />
        <Route path="plugins/browse/:id" element={<AdminOnly children={<RegistryPlugin />} />} />
        <Route path="users" element={<AdminOnly children={<Users />} />} />
        <Route path="groups" element={<AdminOnly children={<Groups />} />} />
        <Route path="groups/:id" element={<AdminOnly children={<Group />} />} />
        <Route path="jobs" element={<AdminOnly children={<Jobs />} />} />
        <Route path="jobs/:id" element={<AdminOnly children={<Job />} />} />
      </Route>
      <Route path="sign-in" element={<Navigate to="/" replace />} />
      <Route path="setup" element={<Navigate to="/" replace />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
