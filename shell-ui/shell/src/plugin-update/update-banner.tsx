import "./update-banner.css";
import { useStore, type ShellPlugin } from "@tenon/host";
import { Button } from "@tenon/ui/frame";
import { RefreshCw, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState, type RefObject } from "react";
import { useLocation } from "react-router";
import { queryClient } from "../data/query-scope.tsx";
import { useServices } from "../services.ts";
import { unsavedRisk, type Risk } from "./unsaved-state.ts";
import { consequence, headline } from "./messages.ts";

type Step =
  | { name: "quiet" }
  | { name: "asking"; risk: Risk }
  | { name: "loading" }
  /** `times`: a browser may remember a file that did not come; only a new page has it then. */
  | { name: "failed"; times: number };

/** Reasons that end by themselves; they are checked again. */
const passing: readonly Risk[] = ["sending", "pressed"];
const pause = 500;

export interface UpdateBannerProps {
  /** As the server has it now. */
  plugin: ShellPlugin;
  /** The element that contains the page of the plugin. */
  root: RefObject<HTMLElement | null>;
  /** Replaces the old module with the new one, which is loaded. */
  swap(): Promise<void>;
}

/**
 * Replaces the module of a plugin that was upgraded, rolled back or rebuilt. Replaces it at once, or at the next
 * navigation in the plugin, if nothing can be lost. Otherwise asks the user.
 */
export default function UpdateBanner({ plugin, root, swap }: UpdateBannerProps) {
  const { runtime, history, connection } = useServices();
  // Without a connection there is nothing to load, and another bar says so.
  const isOnline = useStore(connection.state) === "online";
  const { key } = useLocation();
  const [step, setStep] = useState<Step>({ name: "quiet" });
  const [from] = useState(() => runtime.running(plugin.id)?.version ?? "");
  const later = useRef<string | null>(null);
  const failures = useRef(0);
  const isBusy = useRef(false);

  const risk = () =>
    root.current &&
    unsavedRisk(root.current, {
      isUnsaved: history.isGuarded(),
      reportsUnsaved: history.isWatched(),
      isSending: queryClient.isMutating() > 0,
    });

  const take = async (isAsked: boolean) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      if (isAsked) setStep({ name: "loading" });
      await runtime.prepare(plugin.id);
      const now = isAsked ? null : risk();
      if (now) setStep({ name: "asking", risk: now });
      else if (isAsked && !(await history.mayLeave()))
        setStep({ name: "asking", risk: risk() ?? "unsaved" });
      else await swap();
    } catch {
      failures.current += 1;
      setStep({ name: "failed", times: failures.current });
    } finally {
      isBusy.current = false;
    }
  };

  /** Whether to look again soon. */
  const consider = (): boolean => {
    const now = risk();
    if (now && passing.includes(now)) return true;
    if (!now) void take(false);
    else if (later.current !== plugin.module) setStep({ name: "asking", risk: now });
    return false;
  };
  const latest = useRef(consider);
  useEffect(() => {
    latest.current = consider;
  });
  useEffect(() => {
    if (!isOnline) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      if (latest.current()) timer = setTimeout(look, pause);
    };
    look();
    return () => clearTimeout(timer);
  }, [key, plugin.module, isOnline]);

  if (step.name === "quiet" || !isOnline) return null;
  const close = () => {
    later.current = plugin.module ?? null;
    setStep({ name: "quiet" });
  };
  const hasFailed = step.name === "failed";
  const isStuck = hasFailed && step.times > 1;
  const Icon = hasFailed ? TriangleAlert : RefreshCw;
  return (
    <div className="shell-follow" data-tone={hasFailed ? "warning" : undefined}>
      <Icon size={16} />
      <div className="shell-follow-text">
        <div>
          {hasFailed
            ? `Could not load ${plugin.name} ${plugin.version}.`
            : headline(plugin.name, from, plugin.version)}
        </div>
        <div className="t-muted">
          {hasFailed && "This page still runs the previous version."}
          {step.name === "asking" && consequence(step.risk)}
          {step.name === "loading" && "Loading the new version."}
        </div>
      </div>
      <div className="shell-follow-actions">
        <Button size="small" variant="ghost" onClick={close}>
          Later
        </Button>
        <Button
          size="small"
          busy={step.name === "loading"}
          onClick={() => (isStuck ? location.reload() : void take(true))}
        >
          {hasFailed ? (isStuck ? "Reload page" : "Try again") : "Reload"}
        </Button>
      </div>
    </div>
  );
}
