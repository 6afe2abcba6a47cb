"""Draws the charts of a run as one SVG: bars, Tenon's in colour, its peers' in grey, on whatever background the page has."""

import html

COLUMNS = 2
COLUMN = 450
GAP = 32
LABEL = 172
FIGURE = 74
BAR = 18
STEP = 24
HEAD = 46
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 14px; }
.unit { font-size: 12px; fill: #59636e; }
.ours { fill: #0969da; }
.theirs { fill: #afb8c1; }
.bold { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .unit { fill: #9198a1; }
  .ours { fill: #4493f8; }
  .theirs { fill: #57606a; }
}
"""


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def height_of(chart):
    return HEAD + STEP * len(chart.bars)


def draw(chart, left, top):
    """SVG elements of one chart."""
    max_value = max(value for _, value in chart.bars) or 1
    unit = chart.unit + (", less is better" if chart.better == "less" else "")
    yield f'<text class="title" x="{left}" y="{top + 14}">{html.escape(chart.title)}</text>'
    yield f'<text class="unit" x="{left}" y="{top + 31}">{html.escape(unit)}</text>'
    for index, (name, value) in enumerate(chart.bars):
        y = top + HEAD + STEP * index - 4
        is_ours = name.startswith("Tenon")
        width = max(2.0, (COLUMN - LABEL - FIGURE) * value / max_value)
        bold = ' class="bold"' if is_ours else ""
        yield f'<text{bold} x="{left}" y="{y + 14}">{html.escape(name)}</text>'
        yield f'<rect class="{"ours" if is_ours else "theirs"}" x="{left + LABEL}" y="{y}" width="{width:.1f}" height="{BAR}" rx="3"/>'
        yield f'<text{bold} x="{left + LABEL + width + 6:.1f}" y="{y + 14}">{figure(value)}</text>'


def write(charts, path):
    """Writes the picture; each chart goes to the column that is shortest so far."""
    bottoms = [0] * COLUMNS
    parts = []
    for chart in charts:
        column = bottoms.index(min(bottoms))
        parts += draw(chart, column * (COLUMN + GAP), bottoms[column])
        bottoms[column] += height_of(chart) + GAP // 2
    width, height = COLUMNS * COLUMN + (COLUMNS - 1) * GAP, max(bottoms)
    body = "\n".join(parts)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        f' aria-label="Tenon compared with its peers">\n<style>{STYLE}</style>\n{body}\n</svg>\n', encoding="utf-8")
