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
  // What is fading in has no contrast yet.
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => /** @type {any} */ (window).axe.run());
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join("; ")}`,
  );
}
