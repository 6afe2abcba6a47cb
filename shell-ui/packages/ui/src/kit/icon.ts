import type { ComponentType } from "react";

/** An icon component, as lucide-react exports them. */
export type IconType = ComponentType<{ size?: number | string; strokeWidth?: number | string }>;

export type Tone = "neutral" | "accent" | "info" | "success" | "warning" | "danger";
