"""Results of a part of the bench: text for the README, and bars for the picture."""

import dataclasses


@dataclasses.dataclass
class Chart:
    """One comparison of the picture: `bars` are pairs of a name and a figure, all in `unit`; a name that begins with Tenon is ours."""

    title: str
    unit: str
    bars: list
    better: str = "more"  # or "less"


@dataclasses.dataclass
class Section:
    """`lines` of Markdown, the first of them the heading, and `charts` for the picture."""

    lines: list
    charts: list = dataclasses.field(default_factory=list)


def as_section(found):
    """Converts the result of a part's measure(), a Section or its lines, to a Section."""
    return found if isinstance(found, Section) else Section(list(found))
