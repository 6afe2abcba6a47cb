import { Dialog } from "@tenon/ui";
import { useState } from "react";
import { screenshotUrl, type RegistryPlugin, type RegistryVersion } from "./registry-api.ts";

interface ScreenshotsProps {
  plugin: RegistryPlugin;
  version: RegistryVersion;
}

/** Pictures of a version, which come through the server; those that do not come are left out. */
export function Screenshots({ plugin: { id, name }, version }: ScreenshotsProps) {
  const [missing, setMissing] = useState<ReadonlySet<number>>(new Set());
  const [shown, setShown] = useState<number | null>(null);
  const numbers = version.screenshots
    .map((_, at) => at + 1)
    .filter((number) => !missing.has(number));
  if (numbers.length === 0) return null;
  const title = (number: number) =>
    `${name}, screenshot ${number} of ${version.screenshots.length}`;
  return (
    <>
      <ul className="shell-screenshots" aria-label="Screenshots">
        {numbers.map((number) => (
          <li key={number}>
            <button type="button" onClick={() => setShown(number)}>
              <img
                src={screenshotUrl(id, version.version, number)}
                alt={title(number)}
                loading="lazy"
                onError={() => setMissing((before) => new Set(before).add(number))}
              />
            </button>
          </li>
        ))}
      </ul>
      <Dialog
        open={shown !== null}
        onClose={() => setShown(null)}
        title={shown === null ? name : title(shown)}
        size="large"
      >
        {shown !== null && (
          <img
            className="shell-screenshot"
            src={screenshotUrl(id, version.version, shown)}
            alt={title(shown)}
          />
        )}
      </Dialog>
    </>
  );
}
