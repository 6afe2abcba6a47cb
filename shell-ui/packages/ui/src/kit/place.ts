export interface Placement {
  side?: "bottom" | "top" | "right";
  align?: "start" | "center" | "end";
  gap?: number;
}

/** Places a `position: fixed` element next to its anchor, on the other side if it does not fit. */
export function place(
  floating: HTMLElement,
  anchor: DOMRect,
  { side = "bottom", align = "start", gap = 4 }: Placement = {},
): void {
  const margin = 8;
  const { offsetWidth: width, offsetHeight: height } = floating;
  const room = { x: document.documentElement.clientWidth, y: window.innerHeight };
  const rtl = getComputedStyle(floating).direction === "rtl";
  const clamp = (value: number, max: number) => Math.max(margin, Math.min(value, max - margin));

  let left: number;
  let top: number;
  if (side === "right") {
    const before = anchor.left - gap - width;
    const after = anchor.right + gap;
    left = rtl ? (before < margin ? after : before) : after + width > room.x ? before : after;
    top = anchor.top + (align === "center" ? (anchor.height - height) / 2 : 0);
  } else {
    const above = anchor.top - gap - height;
    const below = anchor.bottom + gap;
    const fitsBelow = below + height <= room.y - margin;
    top =
      side === "bottom"
        ? fitsBelow || above < margin
          ? below
          : above
        : above < margin
          ? below
          : above;
    const fromStart = (align === "start") !== rtl;
    left =
      align === "center"
        ? anchor.left + (anchor.width - width) / 2
        : fromStart
          ? anchor.left
          : anchor.right - width;
  }
  floating.style.left = `${clamp(left, room.x - width)}px`;
  floating.style.top = `${clamp(top, room.y - height)}px`;
}
