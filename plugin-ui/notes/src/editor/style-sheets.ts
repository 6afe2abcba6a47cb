import { StyleModule } from "style-mod";

/**
 * The page allows no `<style>` elements, which is how CodeMirror adds its own. A constructed sheet is allowed. It
 * is in the layer of the components, so that the plugin's stylesheet has the last word.
 */
const sheet = new CSSStyleSheet();
const mounted: StyleModule[] = [];

export function allowConstructedSheets(): void {
  StyleModule.mount = (_root, modules) => {
    const wanted = Array.isArray(modules) ? modules : [modules];
    const added = wanted.filter((module) => !mounted.includes(module));
    if (added.length === 0) return;
    mounted.push(...added);
    const rules = mounted.map((module) => module.getRules()).join("\n");
    sheet.replaceSync(`@layer tenon.ui {\n${rules}\n}`);
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  };
}
