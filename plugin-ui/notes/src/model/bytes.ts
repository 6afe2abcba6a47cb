const units = ["bytes", "KB", "MB", "GB"] as const;

/** "3 bytes", "1.2 MB". As `formatBytes` of `@tenon/ui/uploads`, which comes when something is uploaded. */
export function bytesText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size.toFixed(unit > 0 && size < 9.95 ? 1 : 0)} ${bytes === 1 ? "byte" : units[unit]}`;
}
