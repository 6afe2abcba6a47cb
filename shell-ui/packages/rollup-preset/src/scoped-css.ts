import { transform, type Rule } from "lightningcss";

export const cssTargets = { chrome: 125 << 16, firefox: 128 << 16, safari: (17 << 16) | (5 << 8) };

const global = new Set([
  "keyframes",
  "font-face",
  "property",
  "import",
  "layer-statement",
  "namespace",
]);

function part(filename: string, code: string, keep: (rule: Rule) => boolean): string {
  const result = transform({
    filename,
    code: Buffer.from(code),
    targets: cssTargets,
    visitor: { Rule: (rule) => (keep(rule as Rule) ? undefined : []) },
  });
  return result.code.toString().trim();
}

function refuse(filename: string, message: string): never {
  throw new Error(`${filename}: ${message}`);
}

function checkRules(id: string, filename: string, code: string): void {
  transform({
    filename,
    code: Buffer.from(code),
    visitor: {
      Rule: {
        import: () => refuse(filename, "@import is not followed; import the file from JavaScript"),
        keyframes(rule) {
          if (!rule.value.name.value.startsWith(`${id}-`)) {
            refuse(filename, `@keyframes ${rule.value.name.value} is global: name it ${id}-…`);
          }
        },
      },
      Selector(selector) {
        const first = selector[0];
        const isPage =
          (first?.type === "type" && (first.name === "html" || first.name === "body")) ||
          (first?.type === "pseudo-class" && first.kind === "root");
        if (isPage) refuse(filename, "html, body and :root never match in a plugin; use :scope");
      },
    },
  });
}

/**
 * Confines a plugin's CSS to its own pages: `@layer tenon.plugins` and `@scope`. Font faces and
 * keyframes cannot be scoped and stay outside.
 */
export function scopeCss(id: string, filename: string, code: string): string {
  checkRules(id, filename, code);
  const outside = part(filename, code, (rule) => global.has(rule.type));
  const inside = part(filename, code, (rule) => !global.has(rule.type));
  const scoped = `@scope ([data-plugin="${id}"]) to (:scope [data-plugin]) {\n${inside}\n}`;
  return `@layer tenon.plugins {\n${outside}\n${inside ? scoped : ""}\n}\n`;
}

export function minifyCss(filename: string, code: string): string {
  return transform({
    filename,
    code: Buffer.from(code),
    minify: true,
    targets: cssTargets,
  }).code.toString();
}
