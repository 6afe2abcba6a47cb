import type { Command } from "@tenon/host";
import { describe, expect, it } from "vitest";
import { matchShortcut } from "../src/frame/shortcuts.ts";

const command = (id: string, shortcut?: string): Command => ({
  id,
  title: id,
  shortcut,
  run: () => undefined,
});
const press = (key: string, init: KeyboardEventInit = {}) =>
  new KeyboardEvent("keydown", { key, ...init });
const commands = [
  command("palette", "mod+k"),
  command("home", "g h"),
  command("old", "e"),
  command("new", "e"),
];

describe("matchShortcut", () => {
  it("matches a chord", () => {
    expect(matchShortcut(commands, press("k", { ctrlKey: true }), null).command?.id).toBe(
      "palette",
    );
    expect(matchShortcut(commands, press("k"), null).command).toBeUndefined();
  });

  it("waits for the second key of a sequence", () => {
    const begun = matchShortcut(commands, press("g"), null);
    expect(begun).toEqual({ begun: "g" });
    expect(matchShortcut(commands, press("h"), begun.begun).command?.id).toBe("home");
    expect(matchShortcut(commands, press("x"), begun.begun)).toEqual({ begun: null });
    expect(matchShortcut(commands, press("h"), null).command).toBeUndefined();
  });

  it("matches scoped commands only inside their scope", () => {
    document.body.innerHTML = `<button></button><div role="listbox"><button></button></div>`;
    const [outside, inside] = document.querySelectorAll("button");
    const scoped = [
      command("everywhere", "m"),
      { ...command("move", "m"), within: "[role=listbox]" },
    ];
    const find = (target: Element | undefined) => {
      let found: string | undefined;
      const onKeyDown = (event: KeyboardEvent) =>
        (found = matchShortcut(scoped, event, null).command?.id);
      document.addEventListener("keydown", onKeyDown, { once: true });
      target?.dispatchEvent(press("m", { bubbles: true }));
      return found;
    };
    expect(find(inside)).toBe("move");
    expect(find(outside)).toBe("everywhere");
  });

  it("prefers the latest command", () => {
    expect(matchShortcut(commands, press("e"), null).command?.id).toBe("new");
  });
});
