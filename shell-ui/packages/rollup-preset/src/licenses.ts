import { join } from "node:path";
import type { Plugin } from "rollup";
import license from "rollup-plugin-license";

/**
 * Writes the packages that the page contains: `licenses.json`, which `tenon plugin check` reads, and
 * `licenses.txt` with the texts that must accompany them.
 */
export function licenses(root: string, dir: string): Plugin {
  const name = ({ name, version }: { name: string | null; version: string | null }) =>
    `${name ?? "?"} ${version ?? ""}`.trim();
  return license({
    cwd: root,
    thirdParty: {
      multipleVersions: true,
      output: [
        {
          file: join(dir, "licenses.json"),
          template: (packages) =>
            `${JSON.stringify(
              packages.map(({ name, version, license }) => ({ name, version, license })),
              null,
              1,
            )}\n`,
        },
        {
          file: join(dir, "licenses.txt"),
          template: (packages) =>
            packages
              .map((one) =>
                [name(one), `License: ${one.license ?? "none"}`, one.noticeText, one.licenseText]
                  .filter(Boolean)
                  .join("\n\n"),
              )
              .join(`\n\n${"-".repeat(80)}\n\n`),
        },
      ],
    },
  });
}
