import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const source = await readFile(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/**
 * Violations of the page as it is, as text; empty when there are none.
 * @param {import("playwright-core").Page} page
 */
export async function axeViolations(page) {
  // What is fading in has no contrast yet; and a colour that begins to change while axe looks
  // (a button that came under the pointer) is looked at as it will be.
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
  await page.evaluate(source);
  const { violations } = await page.evaluate(async () => {
    const still = new CSSStyleSheet();
    still.replaceSync("*, *::before, *::after { transition: none !important; }");
    document.adoptedStyleSheets.push(still);
    try {
      return await /** @type {any} */ (window).axe.run();
    } finally {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== still);
    }
  });
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join("; ")}`,
  );
}
