const units = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** "3 bytes", "1.2 MB": with one decimal digit below ten. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  const digits = unit > 0 && size < 9.95 ? 1 : 0;
  return `${size.toFixed(digits)} ${bytes === 1 ? "byte" : units[unit]}`;
}
