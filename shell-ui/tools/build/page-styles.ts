import { contentHash, integrityOf } from "@tenon/rollup-preset";
import { basename } from "node:path";
import type { Plugin } from "rollup";
import { bundleStyles } from "./styles.ts";

export interface PageStyle {
  fileName: string;
  source: string;
}

/** React Aria adds a `<style>`, which the policy forbids, unless an element with this id is there. */
const ids: Readonly<Record<string, string>> = { "aria.css": "react-aria-pressable-style" };

/**
 * A stylesheet that a module imports comes with its chunk: the module waits for it, so nothing is shown without it. One that
 * fails to come is no reason to show nothing.
 */
export function pageStyles(base: string, emit: (style: PageStyle) => void): Plugin {
  return {
    name: "tenon:page-styles",
    async load(id) {
      if (!id.endsWith(".css")) return null;
      const source = await bundleStyles(id);
      const fileName = `${basename(id, ".css")}.${contentHash(source)}.css`;
      emit({ fileName, source });
      const asset = { href: base + fileName, integrity: integrityOf(source) };
      const parameters = [asset, ids[basename(id)]]
        .filter(Boolean)
        .map((value) => JSON.stringify(value));
      const code =
        `import { addStylesheet } from "@tenon/host";\n` +
        `await addStylesheet(${parameters.join(", ")}).catch(console.error);`;
      return { code, moduleSideEffects: true };
    },
  };
}
