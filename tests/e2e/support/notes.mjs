import { openWindow } from "./browser.mjs";
import { admin } from "./host.mjs";

/**
 * A window with the notes page, and the ways a person goes in it.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ path?: string } & Parameters<typeof openWindow>[2]} [options]
 */
export async function openNotes(browser, url, { path = "/app/notes", ...options } = {}) {
  const window = await openWindow(browser, url, { signIn: admin, ...options });
  await window.page.goto(path);
  await window.page.locator('[data-plugin="notes"] .notes').waitFor();
  return { ...window, ...actions(window.page) };
}

/** @param {import("playwright-core").Page} page */
export function actions(page) {
  const text = page.locator(".notes-editor .cm-content");
  return {
    text,
    title: page.getByRole("textbox", { name: "Title" }),
    list: page.locator(".notes-list").getByRole("listbox"),
    /** Row of a note in the list. */
    row: (name) =>
      page.locator(".notes-list").getByRole("option").filter({ hasText: name }).first(),
    async openNote(name) {
      await page
        .locator(".notes-list")
        .getByRole("option")
        .filter({ hasText: name })
        .first()
        .click();
      await page.getByRole("article", { name, exact: true }).waitFor();
      await text.or(page.locator(".notes-prose")).first().waitFor();
    },
    /** Types at the end of the text. */
    async write(words) {
      await text.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(words);
    },
    saved: () => page.locator('.notes-note-header [data-state="saved"]').waitFor(),
    /** A choice of the note's menu. */
    async choose(name) {
      await page.locator(".notes-note-header").getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name }).click();
    },
    async panel(name) {
      await page.getByRole("button", { name: "Outline, links, history" }).click();
      await page.getByRole("tab", { name }).click();
    },
    toast: (words) => page.getByRole("region", { name: "Notifications" }).getByText(words),
    undo: () =>
      page
        .getByRole("region", { name: "Notifications" })
        .getByRole("button", { name: "Undo" })
        .last()
        .click(),
  };
}

/** A note made through the API. */
export function makeNote(api, note) {
  return api.send("POST", "/api/notes/notes", note);
}

/** Shares a note or notebook of the admin: with everybody, unless one person is named. */
export function share(api, { id }, level = "writer", person = undefined, folder = "notes") {
  const who = person ? { kind: "user", id: person } : { kind: "everyone" };
  return api.send("PUT", `/api/notes/${folder}/${id}/shares`, { shares: [{ ...who, level }] });
}
