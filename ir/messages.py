"""Messages with holes: the texts of assertions and traps, in all languages and on all engines.

In a message, each ``{}`` stands for a value, in order, and ``{{`` and ``}}`` for braces.  Other
braces are not allowed, and a message without holes has doubled braces too.

The messages about indices, slices and reshapes are made only here, so that they are the same on
every engine; they are filled with sizes of the program.  Their wording is that of other array
languages: ``Index [1:7, 2] out of bounds for array of shape [5][3].``
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from funmem.ir.lmad import Dim, DimFix, DimRange, SliceDim
from funmem.ir.scalars import F64, ScalarType, Value, show
from funmem.ir.sizes import ONE, ZERO, Size

MAX_VALUES = 24
"""Cap on the values of a message, since a failing device reports a fixed number of values."""

OFFSETS = "The offsets of the rows do not rise from 0 to {}."
"""The message of a kernel over rows whose offsets are none."""

_BRACES = re.compile(r"\{\}|\{\{|\}\}|[{}]")


def literal(text: str) -> str:
    """Return the message whose text is ``text``, with braces doubled."""
    return text.replace("{", "{{").replace("}", "}}")


def holes(message: str) -> int | None:
    """Return the number of values that a message needs; None if it has a single brace."""
    found = _BRACES.findall(message)
    return None if "{" in found or "}" in found else found.count("{}")


def parts(message: str) -> list[str]:
    """Return the texts around the holes, one more than there are holes."""
    texts, pos = [""], 0
    for m in _BRACES.finditer(message):
        texts[-1] += message[pos : m.start()]
        pos = m.end()
        if m[0] == "{}":
            texts.append("")
        else:
            texts[-1] += m[0][0]
    texts[-1] += message[pos:]
    return texts


def fill(message: str, values: Iterable[str]) -> str:
    """Return the text of a message filled with as many values as it has holes."""
    first, *others = parts(message)
    return first + "".join(f"{v}{text}" for v, text in zip(values, others, strict=True))


def fill_last(message: str, value: str) -> str:
    """Return the message with a value in its last hole; the others stay."""
    *texts, before, last = parts(message)
    return "{}".join(literal(text) for text in (*texts, before + value + last))


def show_value(v: Value, t: ScalarType) -> str:
    """Return a value as text: ``-3``, ``true``; a float has a suffix: ``1.5f64``."""
    if t.is_int:
        return str(v)
    text = show(v, t)
    return f"{text}f64" if t is F64 and text[-1].isdigit() else text


# ---------------------------------------------------------------------- messages of traps


class SizedMessage(NamedTuple):
    """A message and the sizes that fill its holes."""

    message: str
    args: tuple[Size, ...]


def index_message(index: Sequence[Size], shape: Sequence[Size]) -> SizedMessage:
    """Return ``Index [3, 4] out of bounds for array of shape [2][5].``"""
    return _out_of_bounds([DimFix(i) for i in index], shape)


def slice_message(dims: Sequence[SliceDim], shape: Sequence[Size]) -> SizedMessage:
    """Return ``Index [1:7, 2] out of bounds for array of shape [5][3].``

    A range is given by its start, its end and, if it is not 1, its stride.  Trailing dimensions
    that are selected completely are omitted: a row out of bounds is ``Index [5]``.
    """
    named = len(dims)
    while named > 1 and dims[named - 1] == DimRange(ZERO, shape[named - 1], ONE):
        named -= 1
    return _out_of_bounds(dims[:named], shape[:named])


def _out_of_bounds(dims: Sequence[SliceDim], shape: Sequence[Size]) -> SizedMessage:
    texts: list[str] = []
    args: list[Size] = []
    for d in dims:
        match d:
            case DimFix(i):
                texts.append("{}")
                args.append(i)
            case DimRange(start, length, stride):
                texts.append("{}:{}" if stride == ONE else "{}:{}:{}")
                args += [start, start + length * stride]
                args += [stride] if stride != ONE else []
    message = f"Index [{', '.join(texts)}] out of bounds for array of shape {_shape(shape)}."
    return SizedMessage(message, (*args, *shape))


def flat_message(offset: Size, dims: Sequence[Dim], n: Size) -> SizedMessage:
    """Return ``Slice [1 + {(2 : 3)}] out of bounds for array of shape [4].``"""
    text = " ".join("({} : {})" for _ in dims)
    message = f"Slice [{{}} + {{{{{text}}}}}] out of bounds for array of shape [{{}}]."
    return SizedMessage(message, (offset, *(s for d in dims for s in (d.len, d.stride)), n))


def reshape_message(old: Sequence[Size], new: Sequence[Size]) -> SizedMessage:
    """Return ``Cannot unflatten array of shape [6] to array of shape [4][2]``."""
    what = "unflatten" if len(old) == 1 < len(new) else "reshape"
    message = f"Cannot {what} array of shape {_shape(old)} to array of shape {_shape(new)}"
    return SizedMessage(message, (*old, *new))


def _shape(shape: Sequence[Size]) -> str:
    return "[{}]" * len(shape)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint with the most similar known name, ``did you mean `length`?``, or ``""``."""
    import difflib  # only messages need it

    near = difflib.get_close_matches(name, set(known), n=1, cutoff=0.7)
    return f"did you mean `{near[0]}`?" if near else ""
