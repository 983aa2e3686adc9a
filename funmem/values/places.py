"""Where a value is in the arguments of a call: ``t.payload[1].payload[0]``."""

from __future__ import annotations

from typing import TypeAlias

from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError

Place: TypeAlias = "tuple[Place | None, str]"
"""Where a value is: the place of what it is in, and what selects it there."""

SHOWN = 8
"""The number of selections at each end of a long place that a message shows."""


def place_text(place: Place) -> str:
    """Return a place as text: ``t.payload[1].payload[0]``; of a long one, the beginning and end."""
    words: list[str] = []
    at: Place | None = place
    while at is not None:
        at, word = at
        words.append(word)
    words.reverse()
    if len(words) > 2 * SHOWN + 1:
        words[SHOWN:-SHOWN] = [f" … ({len(words) - 2 * SHOWN} more) … "]
    return "".join(words)


def wrong(place: Place, what: str, hint: str = "") -> InputError:
    """Return an error about a value."""
    return InputError(Diagnostic(NOWHERE, "argument", f"`{place_text(place)}`: {what}", hint))
