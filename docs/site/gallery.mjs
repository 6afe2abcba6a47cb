// Pages of the components of @tenon/ui.
import { cell } from "./reference.mjs";

function propsOf({ name, text, props, rest }) {
  let page = `\n### ${name}\n\n${text ? `${text}\n\n` : ""}`;
  if (props.length > 0) {
    page += "| prop | type | meaning |\n|---|---|---|\n";
    for (const { name: prop, type, required, text: meaning } of props)
      page += `| \`${prop}\`${required ? " (required)" : ""} | \`${cell(type)}\` | ${cell(meaning)} |\n`;
    page += "\n";
  }
  if (rest) {
    const target = /^[a-z]/.test(rest) ? `\`<${rest}>\`` : `\`${rest}\``;
    page += `${props.length > 0 ? "Also takes" : "Takes"} the props of ${target}.\n`;
  }
  if (props.length === 0 && !rest) page += "It has no props of its own.\n";
  return page;
}

/** A page with a live example, its code, and the props of its components. */
export function galleryPage({ id, title, module, summary, height, code, components }) {
  return `# ${title}

${summary}

\`\`\`example ${id} ${height} ${title}
\`\`\`

## Code

\`\`\`tsx
${code.trimEnd()}
\`\`\`

## Props

Import the components from \`${module}\`.
${components.map(propsOf).join("")}`;
}

/** The first page of the gallery. */
export function galleryIndex(pages) {
  let page = `# Components

The components of \`@tenon/ui\`, each with a live example, its code and its props. Examples follow the theme of this
page; choose another theme or the width of a phone above an example. The [UI guide](/ui) explains how a plugin uses them.
The [example plugins](/examples) are complete plugins with tests.
`;
  for (const [group, members] of Map.groupBy(pages, ({ group }) => group)) {
    page += `\n## ${group}\n\n`;
    for (const { id, title, summary, components } of members)
      page += `- [${title}](/gallery/${id}): ${summary} ${components.map((name) => `\`${name}\``).join(", ")}\n`;
  }
  return page;
}
