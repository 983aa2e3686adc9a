"""Text inside HTML and SVG: whatever a program contains, it stays text."""

from collections.abc import Iterable
from html import escape


def text(x: object) -> str:
    """Any value as text that no markup is in, and no sign that is not printable."""
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(x)))


VOID = frozenset({"br", "meta"})
"""Elements of HTML that hold nothing and are not closed."""


def tag(name: str, *inside: str, **attributes: object) -> str:
    """``<name a="…">inside</name>``; ``class_`` and ``for_`` without their underscore.

    ``inside`` is markup; attributes are text.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )
    if name in VOID:
        return f"<{name}{given}>"
    return f"<{name}{given}>{''.join(inside)}</{name}>"


def code(x: object) -> str:
    """Text in a program's letters."""
    return tag("code", text(x))


def table(head: Iterable[str], rows: Iterable[Iterable[str]], class_: str = "") -> str:
    """A table of cells that are markup."""
    top = tag("tr", *(tag("th", h, scope="col") for h in head))
    body = "".join(tag("tr", *(tag("td", cell) for cell in row)) for row in rows)
    return tag("div", tag("table", tag("thead", top), tag("tbody", body)), class_=f"wide {class_}")
