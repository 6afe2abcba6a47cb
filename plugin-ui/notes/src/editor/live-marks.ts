import { syntaxTree } from "@codemirror/language";
import type { Range } from "@codemirror/state";
import {
  Decoration,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import { fileKey } from "../model/files.ts";
import { parseWikiLink } from "../model/markdown-text.ts";
import { files, pictureWidget, setFiles } from "./live-files.ts";
import { linkActions, links, setLinks, type Followed } from "./links.ts";
import { frontMatterEnd } from "./title-heading.ts";

class Bullet extends WidgetType {
  override eq() {
    return true;
  }
  override toDOM() {
    const element = document.createElement("span");
    element.className = "md-list-mark md-bullet";
    element.textContent = "•";
    return element;
  }
  override ignoreEvent() {
    return false;
  }
}

class TaskBox extends WidgetType {
  readonly checked: boolean;
  readonly label: string;

  constructor(checked: boolean, label: string) {
    super();
    this.checked = checked;
    this.label = label;
  }
  override eq(other: TaskBox) {
    return other.checked === this.checked && other.label === this.label;
  }
  override toDOM(view: EditorView) {
    const around = document.createElement("span");
    around.className = "md-list-mark";
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "md-task-box";
    box.checked = this.checked;
    box.disabled = view.state.readOnly;
    box.setAttribute("aria-label", this.label || "Task");
    box.addEventListener("mousedown", (event) => event.preventDefault());
    box.addEventListener("click", (event) => {
      event.preventDefault();
      toggleTask(view, view.posAtDOM(around));
    });
    around.append(box);
    return around;
  }
  override ignoreEvent() {
    return true;
  }
}

/** Checks or unchecks the task whose brackets begin at a position. */
export function toggleTask(view: EditorView, at: number): void {
  const box = view.state.sliceDoc(at, at + 3);
  const state = /^\[([ xX])\]$/.exec(box)?.[1];
  if (state === undefined) return;
  view.dispatch({
    changes: { from: at + 1, to: at + 2, insert: state === " " ? "x" : " " },
    userEvent: "input",
  });
}

const bullet = Decoration.replace({ widget: new Bullet() });
const listMark = Decoration.mark({ class: "md-list-mark" });
const deepest = 6;
const itemLines = Array.from({ length: deepest + 1 }, (_, depth) => ({
  first: Decoration.line({ class: `md-item md-item-${depth}` }),
  more: Decoration.line({ class: `md-item-more md-item-${depth}` }),
}));
const concealed = Decoration.replace({});
const line = (name: string) => Decoration.line({ class: name });
const lines = {
  quote: line("md-quote"),
  code: line("md-code-line"),
  codeFirst: line("md-code-line md-code-first"),
  codeLast: line("md-code-line md-code-last"),
  fence: line("md-fence"),
  table: line("md-table-line"),
  rule: line("md-rule"),
  done: line("md-done"),
  frontMatter: line("md-front-matter"),
};
const headings = [1, 2, 3, 4, 5, 6].map((level) => line(`md-heading md-h${level}`));

/** Marks whose parent is formatted text: hidden unless the text is being edited. */
const inlineMarks = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark"]);
const inlineParents = new Set(["Emphasis", "StrongEmphasis", "Strikethrough", "InlineCode"]);

class Builder {
  readonly ranges: Range<Decoration>[] = [];
  private readonly view: EditorView;
  private readonly conceals: boolean;
  /** Lines of list items by where they begin; the innermost item has the last word. */
  private readonly items = new Map<number, { depth: number; first: boolean }>();
  private readonly code = new Set<number>();

  constructor(view: EditorView, conceals: boolean) {
    this.view = view;
    this.conceals = conceals;
  }

  /** Whether the person is at work between two positions. */
  private isEdited(from: number, to: number): boolean {
    if (!this.conceals) return true;
    const { state, hasFocus } = this.view;
    return hasFocus && state.selection.ranges.some((range) => range.from <= to && range.to >= from);
  }

  private isLineEdited(position: number): boolean {
    const { from, to } = this.view.state.doc.lineAt(position);
    return this.isEdited(from, to);
  }

  private hide(from: number, to: number): void {
    if (to > from) this.ranges.push(concealed.range(from, to));
  }

  private eachLine(
    from: number,
    to: number,
    add: (from: number, first: boolean, last: boolean) => void,
  ) {
    const { doc } = this.view.state;
    const end = doc.lineAt(to);
    for (let at = doc.lineAt(from); ; at = doc.line(at.number + 1)) {
      add(at.from, at.from <= from, at.number === end.number);
      if (at.number >= end.number) return;
    }
  }

  add(node: SyntaxNodeRef): boolean | undefined {
    const { name, from, to } = node;
    const { doc } = this.view.state;
    const level = /^(?:ATX|Setext)Heading([1-6])$/.exec(name)?.[1];
    if (level) {
      const heading = headings[Number(level) - 1];
      if (heading) this.ranges.push(heading.range(doc.lineAt(from).from));
      return;
    }
    switch (name) {
      case "HeaderMark":
        if (!node.node.parent?.name.startsWith("ATX") || this.isLineEdited(from)) return;
        if (doc.lineAt(from).from === from || node.node.prevSibling === null) {
          const space = /^[ \t]*/.exec(doc.sliceString(to, doc.lineAt(to).to))?.[0].length ?? 0;
          this.hide(from, to + space);
        } else {
          this.hide(from, to);
        }
        return;
      case "Blockquote":
        this.eachLine(from, to, (at) => this.ranges.push(lines.quote.range(at)));
        return;
      case "QuoteMark":
        if (!this.isLineEdited(from))
          this.hide(from, doc.sliceString(to, to + 1) === " " ? to + 1 : to);
        return;
      case "FencedCode":
      case "CodeBlock":
        this.eachLine(from, to, (at, first, last) => {
          this.ranges.push(lines.code.range(at));
          this.code.add(at);
          if (first) this.ranges.push(lines.codeFirst.range(at));
          if (last) this.ranges.push(lines.codeLast.range(at));
          if (name === "FencedCode" && (first || last)) this.hideFence(node, at);
        });
        return;
      case "Table":
        this.eachLine(from, to, (at) => this.ranges.push(lines.table.range(at)));
        return;
      case "HorizontalRule":
        if (this.isLineEdited(from)) return;
        this.ranges.push(lines.rule.range(doc.lineAt(from).from));
        this.hide(from, to);
        return;
      case "ListItem":
        this.addItem(node);
        return;
      case "ListMark":
        this.addListMark(node);
        return;
      case "TaskMarker":
        this.addTask(from, to);
        return;
      case "Link":
        this.addLink(node);
        return;
      case "Image":
        return this.addPicture(node);
      case "Autolink":
        return;
      case "URL":
        if (node.node.parent?.name !== "Link" && node.node.parent?.name !== "Image") {
          this.markLink(from, to, { kind: "href", href: doc.sliceString(from, to) });
        }
        return;
      case "WikiLink":
        this.addWikiLink(node);
        return false;
      default:
        if (inlineMarks.has(name)) {
          const { parent } = node.node;
          if (parent && inlineParents.has(parent.name) && !this.isEdited(parent.from, parent.to)) {
            this.hide(from, to);
          }
        }
    }
  }

  /** Hides the lines around code while the cursor is outside of it. */
  private hideFence({ from, to }: SyntaxNodeRef, at: number): void {
    const { text, to: end } = this.view.state.doc.lineAt(at);
    if (!/^[\s>]*(?:`{3,}|~{3,})/.test(text) || this.isEdited(from, to)) return;
    this.ranges.push(lines.fence.range(at));
    this.hide(at, end);
  }

  private addListMark(node: SyntaxNodeRef): void {
    const { from, to } = node;
    const item = node.node.parent;
    if (!this.conceals) return;
    const { doc } = this.view.state;
    const after = doc.sliceString(to, to + 1) === " " ? to + 1 : to;
    const task = item?.getChild("Task");
    if (task && !this.isEdited(from, to)) {
      // The box says enough.
      this.hide(from, task.from);
    } else if (item?.parent?.name === "BulletList" && !this.isEdited(from, to)) {
      this.ranges.push(bullet.range(from, after));
    } else {
      this.ranges.push(listMark.range(from, after));
    }
  }

  /** Aligns text of an item with its text, not with its mark. */
  private addItem({ from, to, node }: SyntaxNodeRef): void {
    if (!this.conceals) return;
    let depth = 0;
    for (let above = node.parent; above; above = above.parent) {
      if (above.name === "ListItem") depth += 1;
      if (above.name === "Blockquote") return;
    }
    this.eachLine(from, to, (at, first) => {
      this.items.set(at, { depth: Math.min(depth, deepest), first });
    });
  }

  finish(): void {
    for (const [at, { depth, first }] of this.items) {
      if (this.code.has(at)) continue;
      const look = itemLines[depth];
      if (look) this.ranges.push((first ? look.first : look.more).range(at));
      const { text } = this.view.state.doc.lineAt(at);
      this.hide(at, at + (text.length - text.trimStart().length));
    }
  }

  private addTask(from: number, to: number): void {
    const { doc } = this.view.state;
    const text = doc.sliceString(from, to);
    const at = doc.lineAt(from);
    const checked = /[xX]/.test(text);
    if (checked) this.ranges.push(lines.done.range(at.from));
    if (!this.conceals || this.isEdited(from + 1, to - 1)) return;
    const label = doc.sliceString(to, at.to).trim();
    const after = doc.sliceString(to, to + 1) === " " ? to + 1 : to;
    this.ranges.push(
      Decoration.replace({ widget: new TaskBox(checked, label) }).range(from, after),
    );
  }

  private addLink(node: SyntaxNodeRef): void {
    const { doc } = this.view.state;
    const marks = node.node.getChildren("LinkMark");
    const url = node.node.getChild("URL");
    const [first, second] = marks;
    if (!first || !second || !url) return;
    const href = doc.sliceString(url.from, url.to).replace(/^<|>$/g, "");
    const isFile = this.view.state.field(files).has(fileKey(href));
    this.markLink(first.to, second.from, { kind: "href", href }, isFile ? " md-file" : "");
    if (this.isEdited(node.from, node.to) || first.to === second.from) return;
    this.hide(node.from, first.to);
    this.hide(second.from, node.to);
  }

  /** Nothing below it is looked at where it is shown as a picture. */
  private addPicture({ from, to, node }: SyntaxNodeRef): boolean | undefined {
    const { state } = this.view;
    const url = node.getChild("URL");
    const [first, second] = node.getChildren("LinkMark");
    if (!url || !first || !second || this.isEdited(from, to)) return undefined;
    if (state.doc.lineAt(from).to < to) return undefined;
    const alt = state.sliceDoc(first.to, second.from).replace(/\\(.)/g, "$1");
    const widget = pictureWidget(state.field(files), state.sliceDoc(url.from, url.to), alt);
    if (!widget) return undefined;
    this.ranges.push(Decoration.replace({ widget }).range(from, to));
    return false;
  }

  private addWikiLink({ from, to, node }: SyntaxNodeRef): void {
    const { state } = this.view;
    const { target, heading } = parseWikiLink(state.sliceDoc(from + 2, to - 2));
    const known = state.field(links).get(`title ${target}`);
    const leads = known ? known.note !== null : true;
    const shownFrom = node.getChild("WikiLinkTarget")?.to ?? from + 2;
    this.markLink(
      shownFrom,
      to - 2,
      { kind: "title", target, heading },
      leads ? "" : " md-unresolved",
    );
    if (this.isEdited(from, to)) return;
    this.hide(from, shownFrom);
    this.hide(to - 2, to);
  }

  private markLink(from: number, to: number, link: Followed, more = ""): void {
    if (to <= from) return;
    const value = link.kind === "href" ? link.href : `[[${link.target}#${link.heading}]]`;
    this.ranges.push(
      Decoration.mark({ class: `md-follow${more}`, attributes: { "data-follow": value } }).range(
        from,
        to,
      ),
    );
  }

  frontMatter(end: number): void {
    if (end > 0) this.eachLine(0, end, (at) => this.ranges.push(lines.frontMatter.range(at)));
  }
}

function build(view: EditorView, conceals: boolean): DecorationSet {
  const builder = new Builder(view, conceals);
  const start = frontMatterEnd(view.state.doc);
  const tree = syntaxTree(view.state);
  if (view.viewport.from < start) builder.frontMatter(start);
  for (const { from, to } of view.visibleRanges) {
    tree.iterate({
      from: Math.max(from, start),
      to,
      enter(node) {
        if (node.to <= start && node.name !== "Document" && start > 0) return false;
        if (node.from < start && start > 0) return undefined;
        return builder.add(node);
      },
    });
  }
  builder.finish();
  return Decoration.set(builder.ranges, true);
}

/**
 * Shows Markdown as it will look while it is written: headings, boxes, links. With `conceals` the marks are hidden
 * away from the cursor.
 */
export function liveMarks({ conceals }: { conceals: boolean }) {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = build(view, conceals);
      }
      update(update: ViewUpdate) {
        const isNew =
          update.docChanged ||
          update.viewportChanged ||
          update.selectionSet ||
          update.focusChanged ||
          syntaxTree(update.startState) !== syntaxTree(update.state) ||
          update.transactions.some(({ effects }) =>
            effects.some((effect) => effect.is(setLinks) || effect.is(setFiles)),
          );
        if (!isNew) return;
        // Text in composition must stay at its position.
        this.decorations = update.view.composing
          ? this.decorations.map(update.changes)
          : build(update.view, conceals);
      }
    },
    {
      decorations: (plugin) => plugin.decorations,
      eventHandlers: {
        mousedown(event, view) {
          const target =
            event.target instanceof Element ? event.target.closest("[data-follow]") : null;
          const value = target?.getAttribute("data-follow");
          if (!target || !value || event.button > 1) return false;
          const at = view.posAtDOM(target);
          const edited = view.state.selection.ranges.some(
            (range) =>
              range.from <= at + (target.textContent?.length ?? 0) + 2 && range.to >= at - 2,
          );
          const plain = conceals && !(view.hasFocus && edited);
          if (!plain && !event.ctrlKey && !event.metaKey) return false;
          event.preventDefault();
          view.state.facet(linkActions).follow(followed(value));
          return true;
        },
      },
    },
  );
}

function followed(value: string): Followed {
  const wiki = /^\[\[(.*)#(.*)\]\]$/s.exec(value);
  return wiki
    ? { kind: "title", target: wiki[1] ?? "", heading: wiki[2] ?? "" }
    : { kind: "href", href: value };
}
