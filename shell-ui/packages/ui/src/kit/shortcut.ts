const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

const names: Record<string, string> = {
  mod: mac ? "⌘" : "Ctrl",
  shift: mac ? "⇧" : "Shift",
  alt: mac ? "⌥" : "Alt",
  ctrl: mac ? "⌃" : "Ctrl",
  enter: "↵",
  escape: "Esc",
  arrowup: "↑",
  arrowdown: "↓",
  arrowleft: "←",
  arrowright: "→",
  delete: "Del",
  backspace: mac ? "⌫" : "Backspace",
  space: "Space",
};

/** The keys of `mod+shift+p` or of a sequence `g h`, as a person knows them. */
export function shortcutKeys(shortcut: string): string[] {
  return shortcut
    .split(" ")
    .flatMap((chord) => chord.split(/\+(?=.)/))
    .map((key) => names[key.toLowerCase()] ?? (key.length === 1 ? key.toUpperCase() : key));
}

/** Whether a key event is the chord `mod+k`. */
export function matchesChord(event: KeyboardEvent, chord: string): boolean {
  const parts = chord.toLowerCase().split(/\+(?=.)/);
  const key = parts.pop();
  const wants = (name: string) => parts.includes(name);
  const command = mac ? event.metaKey : event.ctrlKey;
  const pressed = event.key === " " ? "space" : event.key.toLowerCase();
  // A printable sign such as "?" already holds its shift.
  const shift = key && key.length === 1 && !/[a-z0-9]/.test(key) ? event.shiftKey : wants("shift");
  return (
    pressed === key &&
    command === wants("mod") &&
    event.altKey === wants("alt") &&
    event.shiftKey === shift
  );
}

/** A chord as `aria-keyshortcuts` wants it; a sequence has no such form. */
export function ariaShortcut(shortcut: string | undefined): string | undefined {
  if (!shortcut || shortcut.includes(" ")) return undefined;
  return shortcut
    .split(/\+(?=.)/)
    .map((key) => ({ mod: mac ? "Meta" : "Control", ctrl: "Control" })[key.toLowerCase()] ?? key)
    .join("+");
}
