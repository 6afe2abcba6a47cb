import { createElement, type ComponentProps } from "react";
import type { IconType } from "./icon.ts";

/** Shapes of a lucide icon: tag and attributes. */
export type IconShapes = readonly (readonly [
  tag: string,
  attributes: Readonly<Record<string, string>>,
])[];

/** An icon component on a 24 grid. The build makes one of each icon imported from `lucide-react`. */
export function createIcon(shapes: IconShapes): IconType {
  return function Icon({
    size = 24,
    strokeWidth = 2,
    ...rest
  }: ComponentProps<"svg"> & { size?: number | string }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={strokeWidth}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden={rest["aria-label"] ? undefined : true}
        {...rest}
      >
        {shapes.map(([tag, attributes], index) =>
          createElement(tag, { ...attributes, key: index }),
        )}
      </svg>
    );
  };
}
