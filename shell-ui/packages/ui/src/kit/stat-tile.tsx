import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Tone } from "./icon.ts";

export interface StatTileProps {
  label: string;
  value: ReactNode;
  /** How it compares, in words that can be understood alone: "12 % more than last week". */
  change?: ReactNode;
  /** Direction of the arrow before the change. */
  trend?: "up" | "down";
  /** Whether the change is good or bad; without a change, the color of the value. */
  tone?: Tone;
  /** The page that the tile leads to. */
  to?: string;
}

/** Figures next to each other: `StatTile` elements. */
export function StatTiles({ children }: { children: ReactNode }) {
  return <dl className="t-stats">{children}</dl>;
}

/** One figure with its name. Must be in `StatTiles`. */
export function StatTile({ label, value, change, trend, tone, to }: StatTileProps) {
  const Arrow = trend === "up" ? ArrowUp : ArrowDown;
  return (
    <div className="t-stat" data-tone={change ? undefined : tone}>
      <dt>{to ? <Link to={to}>{label}</Link> : label}</dt>
      <dd>{value}</dd>
      {change && (
        <dd className="t-stat-change" data-tone={tone}>
          {trend && <Arrow size={14} />}
          {change}
        </dd>
      )}
    </div>
  );
}
