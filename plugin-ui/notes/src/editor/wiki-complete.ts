import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";

export interface TitleSuggestion {
  title: string;
  /** Its notebook. */
  detail: string;
}

export type Suggest = (query: string, signal: AbortSignal) => Promise<readonly TitleSuggestion[]>;

/** Signs that a title in `[[…]]` cannot hold. */
const unlinkable = /[[\]|#\n]/;

/** Offers notes to link to after `[[`. */
export function wikiComplete(suggest: Suggest) {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(/\[\[[^[\]|#\n]{0,200}$/);
    if (!before) return null;
    const abort = new AbortController();
    context.addEventListener("abort", () => abort.abort(), { onDocChange: true });
    const found = await suggest(before.text.slice(2).trim(), abort.signal).catch(() => []);
    if (context.aborted) return null;
    const options = found
      .filter(({ title }) => title !== "" && !unlinkable.test(title))
      .map(({ title, detail }, index) => ({
        label: title,
        detail,
        boost: -index,
        apply: insertLink,
      }));
    return { from: before.from + 2, options, filter: false };
  };
  return autocompletion({
    override: [source],
    icons: false,
    defaultKeymap: true,
    maxRenderedOptions: 20,
  });
}

function insertLink(view: EditorView, { label }: Completion, from: number, to: number): void {
  const closed = view.state.sliceDoc(to, to + 2) === "]]";
  const end = from + label.length + 2;
  view.dispatch({
    changes: { from, to, insert: closed ? label : `${label}]]` },
    selection: { anchor: end },
    userEvent: "input.complete",
  });
}
