import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { parseWikiLink } from "../model/markdown-text.ts";

interface Cell {
  text: string;
  from: number;
}

export interface LiveTable {
  from: number;
  align: readonly ("start" | "center" | "end")[];
  head: readonly Cell[];
  rows: readonly (readonly Cell[])[];
}

/** Cells of a row between its bars; an empty one has no node of its own. */
function cellsOf(state: EditorState, row: SyntaxNode): Cell[] {
  const text = state.sliceDoc(row.from, row.to);
  const cells: Cell[] = [];
  let start = 0;
  const push = (end: number) => {
    const inside = text.slice(start, end);
    const lead = inside.length - inside.trimStart().length;
    cells.push({
      text: inside.trim().replaceAll("\\|", "|"),
      from: row.from + start + Math.min(lead, 1),
    });
  };
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "|") {
      if (text.slice(0, at).trim() !== "") push(at);
      start = at + 1;
    }
  }
  if (text.slice(start).trim() !== "") push(text.length);
  return cells;
}

export function readTable(state: EditorState, table: SyntaxNode): LiveTable {
  const header = table.getChild("TableHeader");
  const delimiter = table.getChild("TableDelimiter");
  const marks = delimiter
    ? state
        .sliceDoc(delimiter.from, delimiter.to)
        .split("|")
        .map((mark) => mark.trim())
    : [];
  const align = marks
    .filter((mark) => mark !== "")
    .map((mark) => (/^:-+:$/.test(mark) ? "center" : mark.endsWith(":") ? "end" : "start"));
  return {
    from: table.from,
    align,
    head: header ? cellsOf(state, header) : [],
    rows: table.getChildren("TableRow").map((row) => cellsOf(state, row)),
  };
}

const inline =
  /`([^`]+)`|\*\*(.+?)\*\*|~~(.+?)~~|(?<![\w*])[*_](.+?)[*_](?![\w*])|\[\[([^[\]]+)\]\]|\[([^\]]+)\]\(([^)\s]+)[^)]*\)/g;

/** The formats that cells have, as elements. Everything else stays text. */
export function inlineNodes(text: string): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  const element = (name: string, content: string, className?: string) => {
    const made = document.createElement(name);
    made.append(...(name === "code" ? [content] : inlineNodes(content)));
    if (className) made.className = className;
    return made;
  };
  for (const match of text.matchAll(inline)) {
    const [whole, code, strong, strike, emphasis, wiki, shown, href] = match;
    nodes.push(document.createTextNode(text.slice(at, match.index)));
    at = match.index + whole.length;
    if (code) nodes.push(element("code", code));
    else if (strong) nodes.push(element("strong", strong));
    else if (strike) nodes.push(element("s", strike));
    else if (emphasis) nodes.push(element("em", emphasis));
    else if (wiki) {
      const link = parseWikiLink(wiki);
      const made = element("span", "", "md-follow");
      made.textContent = link.shown;
      made.dataset.follow = `[[${link.target}#${link.heading}]]`;
      nodes.push(made);
    } else if (shown && href) {
      const made = element("span", shown, "md-follow");
      made.dataset.follow = href;
      nodes.push(made);
    }
  }
  nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}

/** A table as it will look. A click on a cell goes to its text. */
export function tableElement(view: EditorView, table: LiveTable): HTMLElement {
  const around = document.createElement("div");
  around.className = "md-table";
  const scroller = document.createElement("div");
  const element = document.createElement("table");
  const addRow = (parent: HTMLElement, name: "th" | "td", cells: readonly Cell[]) => {
    const row = document.createElement("tr");
    for (let index = 0; index < Math.max(cells.length, table.head.length); index++) {
      const cell = document.createElement(name);
      const { text = "", from } = cells[index] ?? {};
      cell.append(...inlineNodes(text));
      cell.style.textAlign = table.align[index] ?? "start";
      if (from !== undefined) cell.dataset.offset = String(from - table.from);
      row.append(cell);
    }
    parent.append(row);
  };
  const head = document.createElement("thead");
  const body = document.createElement("tbody");
  addRow(head, "th", table.head);
  for (const row of table.rows) addRow(body, "td", row);
  element.append(head, body);
  scroller.append(element);
  around.append(scroller);
  around.addEventListener("mousedown", (event) => {
    if (event.button !== 0 || (event.target as Element).closest("[data-follow]")) return;
    const cell = (event.target as Element).closest<HTMLElement>("[data-offset]");
    const start = view.posAtDOM(around);
    event.preventDefault();
    view.dispatch({
      selection: { anchor: start + Number(cell?.dataset.offset ?? 0) },
      scrollIntoView: true,
    });
    view.focus();
  });
  return around;
}
