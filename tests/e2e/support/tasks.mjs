import { openWindow } from "./browser.mjs";
import { admin } from "./host.mjs";

/**
 * A window with a board, and the ways a person goes in it.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ path?: string } & Parameters<typeof openWindow>[2]} [options]
 */
export async function openTasks(browser, url, { path = "/app/tasks", ...options } = {}) {
  const window = await openWindow(browser, url, { signIn: admin, ...options });
  await window.page.goto(path);
  await window.page.locator('[data-plugin="tasks"]').waitFor();
  return { ...window, ...actions(window.page) };
}

/** @param {import("playwright-core").Page} page */
export function actions(page) {
  const column = (name) =>
    page.locator(".tasks-column").filter({ has: page.getByRole("heading", { name, exact: true }) });
  const card = (name) => page.locator("[data-card]").filter({ hasText: name });
  return {
    column,
    card,
    link: (name) => card(name).getByRole("link"),
    dialog: (name) => page.getByRole("dialog", { name }),
    toast: (words) => page.getByRole("region", { name: "Notifications" }).getByText(words),
    undo: () =>
      page
        .getByRole("region", { name: "Notifications" })
        .getByRole("button", { name: "Undo" })
        .last()
        .click(),
    /** Titles of the columns, from the left. */
    columnOrder: () => page.locator(".tasks-column h2").allInnerTexts(),
    /** Titles of the cards of a column, from the top. */
    titles: (name) => column(name).locator(".tasks-card-title").allInnerTexts(),
    async menu(name) {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name }).click();
    },
    /** By mouse, in steps, to the middle of something, to its upper part or its right side. */
    async dragTo(from, to, { above = false, right = false } = {}) {
      const begin = await from.boundingBox();
      const end = await to.boundingBox();
      await page.mouse.move(begin.x + begin.width / 2, begin.y + begin.height / 2);
      await page.mouse.down();
      await page.mouse.move(begin.x + begin.width / 2 + 12, begin.y + begin.height / 2 + 4);
      const y = end.y + (above ? 4 : end.height / 2);
      const x = right ? end.x + end.width - 20 : end.x + end.width / 2;
      await page.mouse.move(x, y, { steps: 8 });
      await page.mouse.move(x, y + 1);
      await page.mouse.up();
    },
    /** By a finger that is held first. */
    async touchDragTo(from, to, { above = false, held = '[data-held="pointer"]' } = {}) {
      const begin = await from.boundingBox();
      const end = await to.boundingBox();
      const session = await page.context().newCDPSession(page);
      const touch = (type, x, y) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: type === "touchEnd" ? [] : [{ x, y }],
        });
      const at = { x: begin.x + begin.width / 2, y: begin.y + begin.height / 2 };
      await touch("touchStart", at.x, at.y);
      await page.locator(held).first().waitFor();
      const target = {
        x: end.x + Math.min(end.width / 2, 60),
        y: end.y + (above ? 4 : end.height / 2),
      };
      for (let step = 1; step <= 8; step++)
        await touch(
          "touchMove",
          at.x + ((target.x - at.x) * step) / 8,
          at.y + ((target.y - at.y) * step) / 8,
        );
      await touch("touchMove", target.x, target.y + 1);
      await touch("touchEnd");
      await session.detach();
    },
  };
}

// Keys of fractional-indexing, in order and with others between any two: a1 … a9, a9A1, a9A2, …
const keyAt = (/** @type {number} */ index) =>
  index < 9
    ? `a${index + 1}`
    : `a9${String.fromCharCode(65 + Math.floor((index - 9) / 9))}${((index - 9) % 9) + 1}`;

/**
 * A board made through the API: columns by their titles, each with titles of cards.
 * @returns {Promise<{ board: any, columns: Record<string, any>, cards: Record<string, any>, path: string }>}
 */
export async function makeBoard(api, title, content, more = {}) {
  const make = (table, record) => api.send("POST", `/api/tasks/${table}`, record);
  const board = await make("boards", { title, ...more });
  const columns = {};
  const cards = {};
  for (const [at, [name, titles]] of Object.entries(content).entries()) {
    columns[name] = await make("columns", { board: board.id, title: name, position: keyAt(at) });
    for (const [index, each] of titles.entries())
      cards[each] = await make("cards", {
        board: board.id,
        column: columns[name].id,
        title: each,
        position: keyAt(index),
      });
  }
  return { board, columns, cards, path: `/app/tasks/${board.id}` };
}
