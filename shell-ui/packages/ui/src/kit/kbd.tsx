import { shortcutKeys } from "./shortcut.ts";

export interface KbdProps {
  /** As `mod+k` or `g h`. */
  keys: string;
  /** Also for screen readers; leave it out next to a control with `aria-keyshortcuts`. */
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
