export interface ImportMap {
  imports: Record<string, string>;
  integrity: Record<string, string>;
}

export interface IndexPageParts {
  /** Text of the import map; the policy names its hash. */
  importMap: string;
  entry: string;
  preload: readonly string[];
  styles: { href: string; integrity: string };
  font: string;
  icon: string;
  integrity: Readonly<Record<string, string>>;
}

/** The page that the host serves; it replaces the boot marker. */
export function indexPage(parts: IndexPageParts): string {
  const { importMap, entry, preload, styles, font, icon, integrity } = parts;
  const preloads = preload.map(
    (href) => `<link rel="modulepreload" href="${href}" integrity="${integrity[href]}">`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f7f7fa" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#111116" media="(prefers-color-scheme: dark)">
<title>Tenon</title>
<link rel="icon" href="${icon}">
<script type="importmap">${importMap}</script>
<link rel="stylesheet" href="${styles.href}" integrity="${styles.integrity}">
<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>
${preloads.join("\n")}
<!--tenon:boot-->
<script type="module" src="${entry}" integrity="${integrity[entry]}" blocking="render"></script>
</head>
<body>
<div id="root"></div>
<noscript>Tenon needs JavaScript.</noscript>
</body>
</html>
`;
}
