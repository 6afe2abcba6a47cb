import "./palette.css";
import { useCommandRegistry, useStore } from "@tenon/host";
import { Dialog, Kbd } from "@tenon/ui";
import { overlay } from "../frame/overlay.ts";

const always = [
  { title: "Move through a list", keys: "arrowup arrowdown" },
  { title: "Open", keys: "enter" },
  { title: "Close dialog or menu", keys: "escape" },
];

/** All keys that do something on this page. */
export default function ShortcutSheet() {
  const commands = useStore(useCommandRegistry().commands);
  const groups = new Map<string, { title: string; keys: string }[]>();
  for (const { title, shortcut, group = "This page" } of commands) {
    if (shortcut) groups.set(group, [...(groups.get(group) ?? []), { title, keys: shortcut }]);
  }
  groups.set("Everywhere", always);
  return (
    <Dialog open title="Keyboard shortcuts" size="large" onClose={() => overlay.set(null)}>
      <div className="shell-shortcuts" tabIndex={0} role="group" aria-label="All shortcuts">
        {[...groups].map(([group, entries]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {entries.map(({ title, keys }) => (
                <div key={title + keys}>
                  <dt>{title}</dt>
                  <dd>
                    <Kbd keys={keys} spoken />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
