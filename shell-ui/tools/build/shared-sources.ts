import { createRequire } from "node:module";
import { sharedModules } from "@tenon/rollup-preset";

const require = createRequire(import.meta.url);

/** A file of the import map: its source and its shared names. */
export interface SharedFile {
  file: string;
  names: readonly string[];
  /** Source of its entry. */
  code: string;
}

/** CommonJS has no named exports, so they are spelled out. */
function namesOf(specifier: string): string[] {
  const exported = require(specifier) as Record<string, unknown>;
  return Object.keys(exported).filter(
    (name) => name !== "default" && /^[A-Za-z_$][\w$]*$/.test(name),
  );
}

function reactCode(): string {
  const names = namesOf("react");
  const runtime = namesOf("react/jsx-runtime").filter((name) => !names.includes(name));
  return [
    `import React from "react";`,
    `import runtime from "react/jsx-runtime";`,
    `export default React;`,
    `export const { ${names.join(", ")} } = React;`,
    `export const { ${runtime.join(", ")} } = runtime;`,
    // Development builds of plugins ask for it; React's production build has none.
    `export const jsxDEV = (type, props, key, isStatic) => (isStatic ? runtime.jsxs : runtime.jsx)(type, props, key);`,
  ].join("\n");
}

function reactDomCode(): string {
  const names = namesOf("react-dom");
  const client = namesOf("react-dom/client").filter((name) => !names.includes(name));
  return [
    `import dom from "react-dom";`,
    `import client from "react-dom/client";`,
    `export const { ${names.join(", ")} } = dom;`,
    `export const { ${client.join(", ")} } = client;`,
    `export default { ...dom, ...client };`,
  ].join("\n");
}

/**
 * React Fast Refresh, in the page of `tenon dev` only. React DOM looks for it when it starts. New forms of components are
 * shown as soon as all modules of an import were evaluated.
 */
export const refreshFile: SharedFile = {
  file: "react-refresh",
  names: ["react-refresh/runtime"],
  code: `
    import runtime from "react-refresh/runtime";
    runtime.injectIntoGlobalHook(globalThis);
    export const { createSignatureFunctionForTransform } = runtime;
    let isPlanned = false;
    export function register(type, id) {
      runtime.register(type, id);
      if (isPlanned) return;
      isPlanned = true;
      queueMicrotask(() => {
        isPlanned = false;
        runtime.performReactRefresh();
      });
    }`,
};

function partOf(specifier: string): string {
  return `export { ${sharedModules[specifier]?.exports?.join(", ")} } from "${specifier}";`;
}

const whole = (specifier: string) => `export * from "${specifier}";`;

const reactFile: SharedFile = {
  file: "react",
  names: ["react", "react/jsx-runtime", "react/jsx-dev-runtime"],
  code: reactCode(),
};
const reactDomFile: SharedFile = {
  file: "react-dom",
  names: ["react-dom", "react-dom/client"],
  code: reactDomCode(),
};

/** Those of which the page of `tenon dev` has other builds. */
export const developmentFiles: readonly SharedFile[] = [
  reactFile,
  { ...reactDomFile, code: `import "react-refresh/runtime";\n${reactDomFile.code}` },
];

/** Built each by itself. */
export const sharedFiles: readonly SharedFile[] = [
  reactFile,
  reactDomFile,
  { file: "react-router", names: ["react-router"], code: partOf("react-router") },
  { file: "react-query", names: ["@tanstack/react-query"], code: partOf("@tanstack/react-query") },
  { file: "host", names: ["@tenon/host"], code: whole("@tenon/host") },
];

/**
 * `@tenon/ui` in two: the part of the shell's first page, which only the shell imports by itself, and all of it. With
 * them what talks to the host by the same client.
 */
export const uiFiles: readonly SharedFile[] = [
  { file: "ui-frame", names: [], code: whole("@tenon/ui/frame") },
  { file: "ui", names: ["@tenon/ui"], code: whole("@tenon/ui") },
  { file: "charts", names: ["@tenon/ui/charts"], code: whole("@tenon/ui/charts") },
  { file: "records", names: ["@tenon/ui/records"], code: whole("@tenon/ui/records") },
  { file: "transfer", names: ["@tenon/ui/transfer"], code: whole("@tenon/ui/transfer") },
  { file: "uploads", names: ["@tenon/ui/uploads"], code: whole("@tenon/ui/uploads") },
];

/** Built together, for they share React Aria. */
export const ariaFiles: readonly SharedFile[] = ["forms", "overlays", "data", "dates"].map(
  (part) => ({
    file: part,
    names: [`@tenon/ui/${part}`],
    code: whole(`@tenon/ui/${part}`),
  }),
);
