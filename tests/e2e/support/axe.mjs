import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { isFull } from "./browser.mjs";

const source = await readFile(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

// The rules that dark mode affects. DEV_FULL=1 checks every rule in both modes.
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Violations of the page as it is, as text; empty when there are none.
 * @param {import("playwright-core").Page} page
 */
export async function axeViolations(page) {
  // An element that fades in has no contrast yet; and a colour that begins to change while axe looks
  // (a button that came under the pointer) is looked at as it will be.
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const { violations } = await page.evaluate(
    async (dark) => {
      const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
      const runOnly = isDark && dark ? { runOnly: { type: "rule", values: dark } } : {};
      const still = new CSSStyleSheet();
      still.replaceSync("*, *::before, *::after { transition: none !important; }");
      document.adoptedStyleSheets.push(still);
      try {
        // Without this, axe also reports every element that passes.
        const options = { ...runOnly, resultTypes: ["violations"] };
        return await /** @type {any} */ (window).axe.run(document, options);
      } finally {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== still);
      }
    },
    isFull ? null : colourRules,
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join("; ")}`,
  );
}
