/** Width and height of a picture in pixels, as the browser would show it; null for what it cannot show. */
export async function pictureSize(file: Blob): Promise<{ width: number; height: number } | null> {
  if (!file.type.startsWith("image/") || file.type === "image/svg+xml") return null;
  try {
    const bitmap = await createImageBitmap(file);
    const { width, height } = bitmap;
    bitmap.close();
    return width > 0 && height > 0 ? { width, height } : null;
  } catch {
    return null;
  }
}
