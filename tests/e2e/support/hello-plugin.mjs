import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPlugin } from "@tenon/rollup-preset";
import { binary } from "./host.mjs";

const source = join(dirname(binary), "../tests/plugins/hello/hello");
const standard = join(dirname(binary), "../lib/tenon/plugins");
const root = fileURLToPath(new URL("../fixtures/hello-ui", import.meta.url));

const ui = {
  navigation: [{ id: "hello", title: "Hello", path: "/app/hello", icon: "hand" }],
  contributions: {
    commands: [
      { id: "greet", title: "Greet Ada", path: "/app/hello/greet/Ada" },
      { id: "mark", title: "Mark the title" },
    ],
    search: [{ id: "people", title: "People" }],
    "home.widgets": [{ id: "newest", title: "Greeted today" }],
  },
};

/** Contributions to the plugins `notes` and `tasks`. */
const contributionsElsewhere = {
  "account.panels": [{ id: "greeting", title: "Greeting" }],
  "settings.panels": [{ id: "greeting", title: "Greetings of all" }],
  "notes.note.sidebar": [{ id: "greeting", title: "Greeting of the note" }],
  "notes.note.actions": [
    { id: "wave", title: "Wave at the note", icon: "hand" },
    { id: "fall", title: "Wave with the other hand" },
  ],
  "tasks.card.actions": [{ id: "wave", title: "Wave at the card", icon: "hand" }],
};

/**
 * A plugins directory with the plugin `hello` of the ABI's tests, and pages for it.
 * @param {{ widgets?: boolean, tables?: boolean, elsewhere?: boolean, future?: boolean }} [options] `tables`: it publishes those of `fixtures/tables.json`;
 *   `elsewhere`: adds notes and tasks, and contributes to their pages;
 *   `future`: adds a plugin that requires a host that does not exist yet
 * @returns {Promise<{ directory: string, remove: () => Promise<void> }>}
 */
export async function makeHelloPlugin(options = {}) {
  const { widgets = false, tables = false, elsewhere = false, future = false } = options;
  const { "home.widgets": tiles, ...others } = ui.contributions;
  const directory = await mkdtemp(join(tmpdir(), "tenon-e2e-plugins-"));
  const plugin = join(directory, "hello");
  await cp(source, plugin, { recursive: true });
  const manifest = JSON.parse(await readFile(join(plugin, "plugin.json"), "utf8"));
  await writeFile(
    join(plugin, "plugin.json"),
    JSON.stringify({
      ...manifest,
      permissions: [{ id: "hello.use", title: "Say hello", roles: ["member"] }],
      ...(elsewhere && { optional: { notes: "*", tasks: "*" } }),
      ui: {
        ...ui,
        contributions: {
          ...others,
          ...(widgets && { "home.widgets": tiles }),
          ...(elsewhere && contributionsElsewhere),
        },
      },
    }),
  );
  if (tables) await cp(join(root, "../tables.json"), join(plugin, "tables.json"));
  if (elsewhere) {
    for (const id of ["notes", "tasks"])
      await cp(join(standard, id), join(directory, id), { recursive: true });
  }
  if (future) await addFuturePlugin(directory);
  await buildPlugin({ id: "hello", root, out: join(plugin, "ui") });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

async function addFuturePlugin(directory) {
  const plugin = join(directory, "future");
  await mkdir(plugin);
  const manifest = { id: "future", name: "Future", version: "1.0.0", abi: { major: 9, minor: 0 } };
  await writeFile(join(plugin, "plugin.json"), JSON.stringify(manifest));
}
