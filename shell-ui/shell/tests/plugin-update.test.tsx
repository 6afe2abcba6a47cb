import { addBrowserParts } from "@tenon/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { unsavedRisk, type PageState } from "../src/plugin-update/unsaved-state.ts";
import { rememberScroll } from "../src/plugin-update/restore-scroll.ts";
import { changedFields } from "../src/plugin-update/dirty-fields.ts";
import { consequence, headline } from "../src/plugin-update/messages.ts";

const idle: PageState = { isUnsaved: false, reportsUnsaved: false, isSending: false };
let root: HTMLElement;

beforeAll(addBrowserParts);
beforeEach(() => {
  document.body.innerHTML = `<main tabindex="-1"><div id="root"></div></main>`;
  root = document.getElementById("root") as HTMLElement;
});
afterEach(() => document.body.replaceChildren());

function put<E extends HTMLElement = HTMLElement>(html: string): E {
  root.innerHTML = html;
  return root.querySelector("[data-it]") as E;
}

/** As a browser does: the value is another one when the event comes. */
function type(field: HTMLElement, value: string): void {
  if ("value" in field) field.value = value;
  else field.textContent = value;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

describe("unsavedRisk", () => {
  it("finds no risk in an untouched page", () => {
    put(`<input value="a" /><textarea>b</textarea><select><option>c</option></select>`);
    root.querySelector("input")?.focus();
    expect(unsavedRisk(root, idle)).toBeNull();
  });

  it("reports unsaved changes and running uploads", () => {
    expect(unsavedRisk(root, { ...idle, isUnsaved: true })).toBe("unsaved");
    expect(unsavedRisk(root, { ...idle, isSending: true })).toBe("sending");
  });

  it("reports typed text until it is reverted", () => {
    for (const html of [`<input data-it value="a">`, `<textarea data-it>a</textarea>`]) {
      const field = put<HTMLInputElement>(html);
      type(field, "ab");
      expect(unsavedRisk(root, idle)).toBe("typed");
      type(field, "abc");
      expect(changedFields(root)).toEqual([field]);
      type(field, "a");
      expect(unsavedRisk(root, idle)).toBeNull();
    }
  });

  it("reports typed text in controlled fields", () => {
    const field = put<HTMLInputElement>(`<input data-it value="a">`);
    field.addEventListener("input", () => (field.defaultValue = field.value));
    type(field, "ab");
    expect(unsavedRisk(root, idle)).toBe("typed");
  });

  it("ignores text that the page set or removed", () => {
    const field = put<HTMLInputElement>(`<input data-it>`);
    field.value = "put by the page";
    expect(unsavedRisk(root, idle)).toBeNull();
    type(field, "typed");
    field.remove();
    expect(unsavedRisk(root, idle)).toBeNull();
    document.body.append(field);
    type(field, "more");
    expect(unsavedRisk(root, idle)).toBeNull();
  });

  it("reports a selection in a form only", () => {
    const alone = put<HTMLInputElement>(`<input type="checkbox" data-it>`);
    alone.click();
    expect(unsavedRisk(root, idle)).toBeNull();
    put<HTMLInputElement>(`<form><input type="checkbox" data-it></form>`).click();
    expect(unsavedRisk(root, idle)).toBe("typed");
  });

  it("reports editor text unless the page tracks it", () => {
    const editor = put(`<div contenteditable="true" tabindex="0" data-it><p>a</p></div>`);
    type(editor.querySelector("p") as HTMLElement, "ab");
    expect(unsavedRisk(root, idle)).toBe("typed");
    expect(unsavedRisk(root, { ...idle, reportsUnsaved: true })).toBeNull();
    editor.focus();
    expect(unsavedRisk(root, { ...idle, reportsUnsaved: true })).toBe("editing");
  });

  it("reports an open dialog", () => {
    const dialog = put<HTMLDialogElement>(`<dialog data-it></dialog>`);
    expect(unsavedRisk(root, idle)).toBeNull();
    dialog.showModal();
    expect(unsavedRisk(root, idle)).toBe("dialog");
    put(`<div role="alertdialog"></div>`);
    expect(unsavedRisk(root, idle)).toBe("dialog");
  });
});

describe("update messages", () => {
  it("describe the version change", () => {
    expect(headline("Notes", "1.9.0", "1.10.0")).toBe("Notes was upgraded to 1.10.0.");
    expect(headline("Notes", "1.2.0-rc.1", "1.2.0")).toBe("Notes was upgraded to 1.2.0.");
    expect(headline("Notes", "1.2.0", "1.1.0")).toBe("Notes was rolled back to 1.1.0.");
    expect(headline("Notes", "1.2.0", "1.2.0")).toBe("Notes 1.2.0 was rebuilt.");
  });

  it("describe what a reload loses", () => {
    expect(consequence("unsaved")).toMatch(/saved before/);
    expect(consequence("typed")).toMatch(/is lost/);
    expect(consequence("dialog")).toMatch(/when you are done/);
  });
});

describe("rememberScroll", () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const list = () => root.querySelector("ul") as HTMLElement;
  const html = `<section><ul></ul><button data-it>Go</button></section>`;

  // jsdom has no layout: an element scrolls to any position.
  const { scrollTo } = Element.prototype;
  beforeAll(() => {
    Element.prototype.scrollTo = function (this: Element, options?: unknown) {
      const { top = 0, left = 0 } = options as ScrollToOptions;
      this.scrollTop = top;
      this.scrollLeft = left;
    } as typeof Element.prototype.scrollTo;
  });
  afterAll(() => {
    Element.prototype.scrollTo = scrollTo;
  });

  it("restores scroll position and focus", async () => {
    put(html).focus();
    list().scrollTop = 120;
    const main = root.closest("main") as HTMLElement;
    main.scrollTop = 40;
    const restore = rememberScroll(root);
    root.replaceChildren();
    main.scrollTop = 0;
    restore();
    expect(document.activeElement).toBe(main);
    await frame();
    put(html);
    await vi.waitFor(() => {
      expect([list().scrollTop, main.scrollTop]).toEqual([120, 40]);
      expect(document.activeElement?.textContent).toBe("Go");
    });
  });

  it("does not move a user who navigates away", async () => {
    put(html);
    list().scrollTop = 120;
    const restore = rememberScroll(root);
    root.replaceChildren();
    restore();
    dispatchEvent(new Event("wheel"));
    put(html);
    await frame();
    await frame();
    expect(list().scrollTop).toBe(0);
  });
});
