import { useCommand } from "@tenon/host";
import { IconButton, Menu, MenuHeading, MenuItem, MenuSeparator } from "@tenon/ui";
import { Type } from "lucide-react";
import { formatKeys, type Format } from "../editor/format.ts";

const formatGroups: readonly (readonly [Format, string][])[] = [
  [
    ["bold", "Bold"],
    ["italic", "Italic"],
    ["strike", "Strikethrough"],
    ["code", "Code"],
  ],
  [
    ["heading1", "Heading 1"],
    ["heading2", "Heading 2"],
    ["heading3", "Heading 3"],
  ],
  [
    ["bullets", "List"],
    ["numbers", "Numbered list"],
    ["tasks", "Tasks"],
    ["quote", "Quote"],
  ],
  [
    ["noteLink", "Link to a note"],
    ["link", "Link"],
    ["codeBlock", "Code block"],
    ["table", "Table"],
    ["divider", "Divider"],
  ],
];

/** All formats, with their keys. */
export function FormatMenu({ onFormat }: { onFormat(format: Format): void }) {
  return (
    <Menu label="Format" align="end" trigger={<IconButton icon={Type} label="Format" />}>
      <MenuHeading>Format</MenuHeading>
      {formatGroups.map((group, index) => (
        <FormatGroup key={index} group={group} divided={index > 0} onFormat={onFormat} />
      ))}
    </Menu>
  );
}

function FormatGroup({
  group,
  divided,
  onFormat,
}: {
  group: readonly [Format, string][];
  divided: boolean;
  onFormat(format: Format): void;
}) {
  return (
    <>
      {divided && <MenuSeparator />}
      {group.map(([format, name]) => (
        <MenuItem key={format} shortcut={formatKeys[format]} onSelect={() => onFormat(format)}>
          {name}
        </MenuItem>
      ))}
    </>
  );
}

const commands = formatGroups.flat().filter(([format]) => formatKeys[format] !== undefined);

/** The keys in the list of shortcuts; where the keyboard is in the text, the editor takes them itself. */
export function FormatCommands({ onFormat }: { onFormat(format: Format): void }) {
  return commands.map(([format, title]) => (
    <FormatCommand key={format} format={format} title={title} onFormat={onFormat} />
  ));
}

function FormatCommand({
  format,
  title,
  onFormat,
}: {
  format: Format;
  title: string;
  onFormat(format: Format): void;
}) {
  useCommand({
    id: `notes.format.${format}`,
    title,
    group: "Writing",
    shortcut: formatKeys[format],
    hidden: true,
    run: () => onFormat(format),
  });
  return null;
}
