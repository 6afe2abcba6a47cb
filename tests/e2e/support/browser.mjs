import { chromium } from "playwright-core";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });

/**
 * Opens a window of its own. What a page must never do is kept in `faults`: violations of the policy, uncaught errors, errors on the
 * console that are not a request's status.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ dark?: boolean, phone?: boolean, signIn?: { login: string, password: string } }} [options]
 */
export async function openWindow(browser, url, { dark = false, phone = false, signIn } = {}) {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: dark ? "dark" : "light",
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    hasTouch: phone,
    isMobile: phone,
  });
  /** @type {string[]} */
  const faults = [];
  await context.exposeBinding("tenonReportFault", (_source, text) => faults.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const report = /** @type {any} */ (window).tenonReportFault;
      void report(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    if (/^Failed to load resource: (the server responded|net::ERR)/.test(message.text())) return;
    faults.push(`console: ${message.text()}`);
  });
  if (signIn) {
    const { login, password } = signIn;
    const answer = await context.request.post("/api/core/session", { data: { login, password } });
    if (!answer.ok()) throw new Error(`signing in: ${answer.status()} ${await answer.text()}`);
  }
  return { context, page, faults, close: () => context.close() };
}
