/** Delays before typed text is kept and sent. Milliseconds, unless noted. */
export const saveTimes = {
  /** After the last change of the text. */
  pause: 800,
  /** After the first unsaved change, however fast the typing. */
  maxDelay: 5_000,
  /** A new title changes the notes that link here: it is saved when it is finished, or after this. */
  title: 2_500,
  /** Changes are kept in this browser within this time. */
  draft: 150,
  /** The same for a text of more than so many characters. */
  draftOfLong: 1_000,
  longText: 100_000,
  /** A failed save is tried again after this, and twice as long each time. */
  firstRetry: 2_000,
  maxRetry: 60_000,
  /** Longest text whose request may outlive the page, characters. The browser takes 64 KiB. */
  keepalive: 20_000,
} as const;
