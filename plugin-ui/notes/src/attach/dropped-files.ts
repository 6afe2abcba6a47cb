/** Takes files that are dropped on an open note; null where none may be added. */
export const droppedFiles: { take: ((files: readonly File[]) => void) | null } = { take: null };
