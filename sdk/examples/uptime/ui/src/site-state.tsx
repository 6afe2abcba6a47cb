import { Badge } from "@tenon/ui";
import { useState } from "react";
import type { Site } from "./tables.gen.ts";

const dayMs = 86_400_000;

/** A moment some days before the page was opened: a filter must stay the same. */
export function useDaysAgo(days: number): Date {
  const [moment] = useState(() => new Date(Date.now() - days * dayMs));
  return moment;
}

export const milliseconds = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : `${Math.round(value)} ms`;

export function SiteState({ site }: { site: Site }) {
  if (site.state === "up") return <Badge tone="success">Up</Badge>;
  if (site.state === "down") return <Badge tone="danger">Down</Badge>;
  return <Badge>Not checked</Badge>;
}
