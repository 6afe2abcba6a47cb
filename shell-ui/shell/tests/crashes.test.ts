import { describe, expect, it } from "vitest";
import { blame } from "../src/plugins/crashes.ts";

const thrown = (stack: string) => Object.assign(new Error("x"), { stack });

describe("blame", () => {
  it("names the first plugin in the stack", () => {
    const stack =
      "Error: x\n at a (https://h/ui/assets/react.1.js:1:1)\n at b (https://h/ui/plugins/notes/main.2.js:1:1)";
    expect(blame(thrown(stack))).toBe("notes");
  });

  it("ignores the shell's own files", () => {
    expect(blame(thrown("Error: x\n at a (https://h/ui/assets/shell.1.js:1:1)"))).toBeNull();
    expect(blame("text")).toBeNull();
  });

  it("uses the file name without a stack", () => {
    expect(blame(undefined, "https://h/ui/plugins/tasks/main.js")).toBe("tasks");
  });
});
