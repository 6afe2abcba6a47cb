import { shortcutKeys } from "./shortcut.ts";

export interface KbdProps {
  /** As `mod+k` or `g h`. */
  keys: string;
  /** For screen readers too; beside a control, `aria-keyshortcuts` of the control says it. */
  spoken?: boolean;
}

export function Kbd({ keys, spoken }: KbdProps) {
  return (
    <span className="t-kbd" aria-hidden={spoken ? undefined : true}>
      {shortcutKeys(keys).map((key, index) => (
        <kbd key={index}>{key}</kbd>
      ))}
    </span>
  );
}
