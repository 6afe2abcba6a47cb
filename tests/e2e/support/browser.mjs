import { chromium } from "playwright-core";
import { waitTimeout } from "./wait.mjs";

/** DEV_FULL=1: the full Chromium, and every page in every look. */
export const isFull = process.env.DEV_FULL === "1";

/** How a test looks at its pages: in light and in dark, with DEV_FULL=1 on a phone, too. */
export const looks = [
  { name: "light", dark: false, phone: false },
  { name: "dark", dark: true, phone: false },
  ...(isFull
    ? [
        { name: "phone", dark: false, phone: true },
        { name: "phone-dark", dark: true, phone: true },
      ]
    : []),
];

const executable =
  process.env.CHROMIUM ?? (isFull ? "/usr/bin/chromium" : "/usr/bin/chromium-headless-shell");
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

let isVersionPrinted = false;

export async function launch() {
  const browser = await chromium.launch({ executablePath: executable, args: flags });
  if (!isVersionPrinted) console.log(`browser: ${executable} ${browser.version()}`);
  isVersionPrinted = true;
  return browser;
}

/** @type {Set<{ context: import("playwright-core").BrowserContext, faults: string[] }>} */
const windows = new Set();

/** Describes the open windows for the report of a failure. */
export const describeWindows = () =>
  [...windows].map(({ context, faults }) => {
    const urls = context.pages().map((page) => page.url());
    return `window at ${urls.join(", ")}; faults: ${JSON.stringify(faults)}`;
  });

/** Closes the windows that a test that failed left open. */
export const closeWindows = () => Promise.all([...windows].map(({ context }) => context.close()));

/**
 * Opens a window of its own. `faults` collects what a page must never do: violations of the policy, uncaught errors, errors on the
 * console that are not a request's status. Animations end at once, as for a person who prefers reduced motion.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ dark?: boolean, phone?: boolean, signIn?: { login: string, password: string } }} [options]
 */
export async function openWindow(browser, url, { dark = false, phone = false, signIn } = {}) {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    hasTouch: phone,
    isMobile: phone,
  });
  context.setDefaultTimeout(waitTimeout);
  /** @type {string[]} */
  const faults = [];
  const window = { context, faults };
  windows.add(window);
  context.once("close", () => windows.delete(window));
  await context.exposeBinding("tenonReportFault", (_source, text) => faults.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const report = /** @type {any} */ (window).tenonReportFault;
      void report(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    if (/^Failed to load resource: (the server responded|net::ERR)/.test(message.text())) return;
    faults.push(`console: ${message.text()}`);
  });
  if (signIn) {
    const { login, password } = signIn;
    const response = await context.request.post("/api/core/session", { data: { login, password } });
    if (!response.ok()) throw new Error(`signing in: ${response.status()} ${await response.text()}`);
  }
  return { context, page, faults, close: () => context.close() };
}
