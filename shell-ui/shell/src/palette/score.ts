const fold = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const isWordPart = (sign: string) => /[\p{L}\p{N}]/u.test(sign);

/** Returns how well a title matches the typed text; 0 is no match. Each typed word must occur. */
export function score(typed: string, title: string, keywords = ""): number {
  const text = fold(title);
  const more = fold(keywords).split(/\s+/);
  let total = 0;
  for (const word of fold(typed).split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at === 0) total += 8;
    else if (at > 0) total += isWordPart(text.charAt(at - 1)) ? 3 : 6;
    else if (more.some((keyword) => keyword.startsWith(word))) total += 2;
    else if (isInitials(word, text)) total += 1;
    else return 0;
  }
  return total;
}

/** "nn" for "New note". */
function isInitials(letters: string, text: string): boolean {
  const initials = text.split(/[^\p{L}\p{N}]+/u).map((word) => word.charAt(0));
  return letters.length > 1 && initials.join("").startsWith(letters);
}
