/**
 * The modules that the page's import map serves to every plugin: public API.
 * `exports` lists the names where a module offers fewer than its package has; `null` means all.
 */
export interface SharedModule {
  readonly exports: readonly string[] | null;
}

const all: SharedModule = { exports: null };

export const sharedModules: Readonly<Record<string, SharedModule>> = {
  react: all,
  "react/jsx-runtime": all,
  "react/jsx-dev-runtime": all,
  "react-dom": all,
  "react-dom/client": all,
  "react-router": {
    exports: [
      "createPath",
      "createSearchParams",
      "generatePath",
      "Link",
      "matchPath",
      "matchRoutes",
      "Navigate",
      "NavLink",
      "Outlet",
      "parsePath",
      "resolvePath",
      "Route",
      "Router",
      "Routes",
      "useHref",
      "useInRouterContext",
      "useLocation",
      "useMatch",
      "useNavigate",
      "useNavigationType",
      "useOutlet",
      "useOutletContext",
      "useParams",
      "useResolvedPath",
      "useRoutes",
      "useSearchParams",
    ],
  },
  "@tanstack/react-query": {
    exports: [
      "hashKey",
      "infiniteQueryOptions",
      "keepPreviousData",
      "QueryClient",
      "QueryClientProvider",
      "QueryErrorResetBoundary",
      "queryOptions",
      "skipToken",
      "useInfiniteQuery",
      "useIsFetching",
      "useIsMutating",
      "useMutation",
      "useMutationState",
      "usePrefetchQuery",
      "useQueries",
      "useQuery",
      "useQueryClient",
      "useQueryErrorResetBoundary",
      "useSuspenseQuery",
    ],
  },
  "@tenon/host": all,
  "@tenon/ui": all,
  "@tenon/ui/forms": all,
  "@tenon/ui/overlays": all,
  "@tenon/ui/data": all,
  "@tenon/ui/dates": all,
  "@tenon/ui/charts": all,
  "@tenon/ui/records": all,
  "@tenon/ui/transfer": all,
  "@tenon/ui/uploads": all,
};

export const sharedNames: readonly string[] = Object.keys(sharedModules);

/** `@scope/name` or `name` of a bare import. */
export function packageName(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

/** Packages of which there may be one in a page. */
export const singletonPackages: ReadonlySet<string> = new Set([
  ...sharedNames.map(packageName),
  "scheduler",
  "preact",
]);
