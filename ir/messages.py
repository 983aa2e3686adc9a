"""Messages with holes: what an assertion and a trap say, in all languages and on all engines.

A message is a text in which ``{}`` stands for a value, in order, and ``{{`` and ``}}`` for braces.
There is no other brace in it, and no other rule: a text without holes has doubled braces too.

The messages about indices, slices and reshapes are made here once, so that every engine says the
same; the values that fill them are sizes of the program.  They read as users of array languages
know them: ``Index [1:7, 2] out of bounds for array of shape [5][3].``
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from funmem.ir.lmad import Dim, DimFix, DimRange, SliceDim
from funmem.ir.scalars import F64, ScalarType, Value, show
from funmem.ir.sizes import ONE, ZERO, Size

MAX_VALUES = 24
"""The most values of a message: a device that fails reports so many with it."""

_BRACES = re.compile(r"\{\}|\{\{|\}\}|[{}]")


def literal(text: str) -> str:
    """The message that says a text as it is."""
    return text.replace("{", "{{").replace("}", "}}")


def holes(message: str) -> int | None:
    """How many values a message needs; None if it has a brace that means nothing."""
    found = _BRACES.findall(message)
    return None if "{" in found or "}" in found else found.count("{}")


def parts(message: str) -> list[str]:
    """The texts around the holes, one more than there are holes."""
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
    """What a message says, with as many values as it has holes."""
    first, *others = parts(message)
    return first + "".join(f"{v}{text}" for v, text in zip(values, others, strict=True))


def fill_last(message: str, value: str) -> str:
    """The message with a value in its last hole; the others stay."""
    *texts, before, last = parts(message)
    return "{}".join(literal(text) for text in (*texts, before + value + last))


def show_value(v: Value, t: ScalarType) -> str:
    """A value in a message: ``-3``, ``true``; a float as values are written: ``1.5f64``."""
    if t.is_int:
        return str(v)
    text = show(v, t)
    return f"{text}f64" if t is F64 and text[-1].isdigit() else text


# ---------------------------------------------------------------------- what traps say


class Said(NamedTuple):
    """A message and the sizes that fill it."""

    message: str
    args: tuple[Size, ...]


def index_message(index: Sequence[Size], shape: Sequence[Size]) -> Said:
    """``Index [3, 4] out of bounds for array of shape [2][5].``"""
    return _out_of_bounds([DimFix(i) for i in index], shape)


def slice_message(dims: Sequence[SliceDim], shape: Sequence[Size]) -> Said:
    """``Index [1:7, 2] out of bounds for array of shape [5][3].``: a range says where it starts
    and where it would end, and its stride if that is not one.

    Whole dimensions at the end are not mentioned: a row out of bounds is ``Index [5]``.
    """
    named = len(dims)
    while named > 1 and dims[named - 1] == DimRange(ZERO, shape[named - 1], ONE):
        named -= 1
    return _out_of_bounds(dims[:named], shape[:named])


def _out_of_bounds(dims: Sequence[SliceDim], shape: Sequence[Size]) -> Said:
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
    return Said(message, (*args, *shape))


def flat_message(offset: Size, dims: Sequence[Dim], n: Size) -> Said:
    """``Slice [1 + {(2 : 3)}] out of bounds for array of shape [4].``"""
    text = " ".join("({} : {})" for _ in dims)
    message = f"Slice [{{}} + {{{{{text}}}}}] out of bounds for array of shape [{{}}]."
    return Said(message, (offset, *(s for d in dims for s in (d.len, d.stride)), n))


def reshape_message(old: Sequence[Size], new: Sequence[Size]) -> Said:
    """``Cannot unflatten array of shape [6] to array of shape [4][2]``"""
    what = "unflatten" if len(old) == 1 < len(new) else "reshape"
    message = f"Cannot {what} array of shape {_shape(old)} to array of shape {_shape(new)}"
    return Said(message, (*old, *new))


def _shape(shape: Sequence[Size]) -> str:
    return "[{}]" * len(shape)


def suggestion(name: str, known: Iterable[str]) -> str:
    """A hint with what is known by a similar name, ``did you mean `length`?``, or nothing."""
    import difflib  # only messages need it

    near = difflib.get_close_matches(name, set(known), n=1, cutoff=0.7)
    return f"did you mean `{near[0]}`?" if near else ""
