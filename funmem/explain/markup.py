"""HTML and SVG elements.  Text from a program is always escaped."""

from collections.abc import Iterable
from html import escape


def text(x: object) -> str:
    """Return any value as escaped text, with unprintable characters replaced."""
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(x)))


VOID = frozenset({"br", "meta"})
"""HTML elements without content and without an end tag."""


def tag(name: str, *inside: str, **attributes: object) -> str:
    """Return ``<name a="…">inside</name>``; the final underscore of ``class_`` is removed.

    ``inside`` is markup; attributes are text.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )
    if name in VOID:
        return f"<{name}{given}>"
    return f"<{name}{given}>{''.join(inside)}</{name}>"


def code(x: object) -> str:
    """Return text in the font of code."""
    return tag("code", text(x))


def table(head: Iterable[str], rows: Iterable[Iterable[str]], class_: str = "") -> str:
    """Return a table whose cells are markup."""
    top = tag("tr", *(tag("th", h, scope="col") for h in head))
    body = "".join(tag("tr", *(tag("td", cell) for cell in row)) for row in rows)
    return tag("div", tag("table", tag("thead", top), tag("tbody", body)), class_=f"wide {class_}")
