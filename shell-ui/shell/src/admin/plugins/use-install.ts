import { useMutation, useQueryClient } from "@tanstack/react-query";
import { errorMessage, Problem, toast } from "@tenon/ui";
import { useEffect, useRef, useState } from "react";
import { pluginsKey } from "../console-api.ts";
import { nameOf, planOf, type PackageSource, type RegistryPick } from "./package-source.ts";
import { installPackage, planKept, type Change, type PackagePlan } from "./packages-api.ts";
import { registryKey } from "../registry/registry-api.ts";

export type Stage = "choose" | "sending" | "plan" | "trust";

const done: Readonly<Record<Change, (plan: PackagePlan) => string>> = {
  install: ({ name, to }) => `${name} ${to} installed`,
  reinstall: ({ name, to }) => `${name} ${to} reinstalled`,
  upgrade: ({ name, to }) => `${name} upgraded to ${to}`,
  downgrade: ({ name, to }) => `${name} downgraded to ${to}`,
};

const unreadable = ["plugins.package_invalid", "plugins.package_damaged"];

/** Returns what a person can do about a package that the server refused. */
export function refusalText(error: unknown, source: PackageSource): string {
  if (source.kind === "file" && error instanceof Problem && unreadable.includes(error.code))
    return `${source.file.name}: This is not a Tenon package, or it is damaged. Download it again.`;
  // The server does not know the name of the file.
  return errorMessage(error).replace(/^the package\b/, nameOf(source));
}

// The plan has changed, or the server no longer has the package: a new plan is requested.
const stale = ["plugins.consent_required", "plugins.package_unknown"];

/** A package on its way in: chosen, sent or fetched, looked at, installed; several, one after the other. */
export interface Install {
  isOpen: boolean;
  stage: Stage;
  source: PackageSource | null;
  /** The plugins that are installed one after the other; the last one is the requested one. Empty for a file. */
  queue: readonly RegistryPick[];
  /** Which of them it is about now. */
  at: number;
  /** 0 to 1 of the package. */
  sent: number;
  plan: PackagePlan | null;
  /** Why the step before did not work. */
  failure: string;
  isInstalling: boolean;
  /** Codes of what was agreed to. */
  consents: ReadonlySet<string>;
  agree(consents: ReadonlySet<string>): void;
  /** Name of the export whose data is taken back; empty for none. */
  data: string;
  takeBack(data: string): void;
  show(): void;
  close(): void;
  /** Sends a file, to learn what it would do. */
  take(file: File): Promise<void>;
  /** Has the server fetch plugins of the registry one after the other, to learn what each would do. */
  fetch(queue: readonly RegistryPick[]): Promise<void>;
  /** Looks at the same package again. */
  again(): Promise<void>;
  go(stage: "choose" | "plan" | "trust"): void;
  install(): void;
}

export function useInstall(): Install {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [stage, setStage] = useState<Stage>("choose");
  const [source, setSource] = useState<PackageSource | null>(null);
  const [queue, setQueue] = useState<readonly RegistryPick[]>([]);
  const [at, setAt] = useState(0);
  const [sent, setSent] = useState(0);
  const [plan, setPlan] = useState<PackagePlan | null>(null);
  const [consents, agree] = useState<ReadonlySet<string>>(new Set());
  const [data, takeBack] = useState("");
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const look = async (chosen: PackageSource, kept: string | null, why = "") => {
    running.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setOpen(true);
    setPlan(null);
    agree(new Set());
    takeBack("");
    setSource(chosen);
    setFailure("");
    setSent(kept ? 1 : 0);
    setStage("sending");
    const onProgress = (part: number) => signal.aborted || setSent(part);
    try {
      let planned: PackagePlan | null = null;
      if (kept) {
        planned = await planKept(kept, signal).catch((error: unknown) => {
          if (error instanceof Problem && stale.includes(error.code)) return null;
          throw error;
        });
      }
      planned ??= await planOf(chosen, { signal, onProgress });
      if (signal.aborted) return;
      setPlan(planned);
      setFailure(why);
      setStage("plan");
    } catch (error) {
      if (signal.aborted) return;
      setFailure(refusalText(error, chosen));
      setStage("choose");
    }
  };

  const fetch = (picks: readonly RegistryPick[], from = 0) => {
    const pick = picks[from];
    if (!pick) return Promise.resolve();
    setQueue(picks);
    setAt(from);
    return look({ kind: "registry", pick }, null);
  };

  // Not isPending, which is true until the lists are refetched, after the message about success.
  const isUnderWay = useRef(false);
  const { mutate, isPending } = useMutation({
    mutationFn(planned: PackagePlan) {
      isUnderWay.current = true;
      return installPackage(planned, data).finally(() => {
        isUnderWay.current = false;
      });
    },
    async onSuccess(_, planned) {
      void queries.invalidateQueries({ queryKey: registryKey });
      await queries.invalidateQueries({ queryKey: pluginsKey });
      toast(done[planned.change](planned));
      if (at + 1 < queue.length && isOpenNow.current) void fetch(queue, at + 1);
      else setOpen(false);
    },
    onError(error, planned) {
      void queries.invalidateQueries({ queryKey: pluginsKey });
      if (!isOpenNow.current) {
        toast(`Could not install ${planned.name} ${planned.to}. ${errorMessage(error)}`, {
          tone: "danger",
        });
      } else if (source && error instanceof Problem && stale.includes(error.code)) {
        void look(source, planned.package, "The plan changed in the meantime. Review it again.");
      } else {
        setFailure(errorMessage(error));
      }
    },
  });
  const isOpenNow = useRef(isOpen);
  useEffect(() => {
    isOpenNow.current = isOpen;
  });

  return {
    isOpen,
    stage,
    source,
    queue,
    at,
    sent,
    plan,
    failure,
    isInstalling: isPending,
    consents,
    agree,
    data,
    takeBack,
    show() {
      // One that still runs is shown again.
      if (!isPending) {
        setQueue([]);
        setSource(null);
        setStage("choose");
        setPlan(null);
        setFailure("");
      }
      setOpen(true);
    },
    close() {
      running.current?.abort();
      setOpen(false);
      if (isUnderWay.current && plan) {
        toast(`${plan.name} ${plan.to} is still being installed`);
      }
    },
    take(file) {
      setQueue([]);
      return look({ kind: "file", file }, null);
    },
    fetch: (picks) => fetch(picks),
    again: () => (source ? look(source, plan?.package ?? null) : Promise.resolve()),
    go(next) {
      running.current?.abort();
      setFailure("");
      setStage(next);
    },
    install() {
      if (!plan) return;
      setFailure("");
      mutate(plan);
    },
  };
}
