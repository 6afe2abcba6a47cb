import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// Run from the top of the repository (npm run lint does), so that plugin-ui and tests/e2e are within.

/** Imports that a part may not make, with the reason. */
function restricted(files, groups) {
  const patterns = groups.map(([group, message]) => ({ group, message }));
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

const shellFolders = ["account", "admin", "home", "palette", "sign-in"];

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/"] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    rules: {
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
    },
  },
  {
    files: ["**/*.{ts,tsx}"],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": [
        "error",
        { checksVoidReturn: { attributes: false } },
      ],
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-invalid-void-type": "off",
      "@typescript-eslint/unified-signatures": "off",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-console": ["error", { allow: ["error"] }],
    },
  },
  {
    files: [
      "shell-ui/tools/**",
      "shell-ui/tests/**",
      "tests/e2e/**",
      "shell-ui/packages/rollup-preset/**",
    ],
    rules: { "no-console": "off" },
  },
  // Runs in Node and, handed to the browser, in the page.
  { files: ["**/*.mjs"], rules: { "no-undef": "off" } },
  restricted(
    ["shell-ui/packages/host/**"],
    [
      [
        ["@tenon/*", "react-router", "react-router/*", "react-dom", "react-dom/*", "@tanstack/*"],
        "@tenon/host depends on React only.",
      ],
    ],
  ),
  restricted(
    ["shell-ui/packages/ui/src/**"],
    [
      [
        ["@tenon/ui", "@tenon/ui/*", "@tenon/testing", "@tenon/shell"],
        "@tenon/ui may import @tenon/host only.",
      ],
    ],
  ),
  restricted(
    ["shell-ui/packages/ui/src/{kit,client}/**"],
    [
      [
        ["react-aria-components", "**/forms/**", "**/overlays/**", "**/data/**", "**/dates/**"],
        "The kit uses native elements.",
      ],
    ],
  ),
  restricted(
    ["shell-ui/packages/rollup-preset/**"],
    [
      [
        ["react", "react-dom", "@tenon/host", "@tenon/ui", "@tenon/shell"],
        "The preset runs in Node.",
      ],
    ],
  ),
  ...shellFolders.map((folder) =>
    restricted(
      [`shell-ui/shell/src/${folder}/**`],
      [
        [
          shellFolders.filter((other) => other !== folder).map((other) => `**/${other}/**`),
          "Parts of the shell do not import each other.",
        ],
      ],
    ),
  ),
  restricted(
    ["plugin-ui/**"],
    [
      [
        ["@tenon/shell", "@tenon/shell/*", "@tenon/ui/frame", "**/shell-ui/**"],
        "A plugin imports the shared modules only.",
      ],
    ],
  ),
);
