"""The productions that FUN, FUNMEM and IMP share, as text; and the layout of lines.

Long statements are broken so that a line has at most :data:`WIDTH` columns where that is possible.
"""

from collections.abc import Iterable, Sequence

from funmem.ir.fun import Bin, Const, Convert, Linkage, ScalarExp, Space, Un, Var
from funmem.ir.lmad import SliceDim
from funmem.ir.scalars import BinOp, UnOp
from funmem.ir.scalars import show as show_constant
from funmem.ir.sizes import Size
from funmem.ir.text.parse_parts import INFIX, PREFIX, PREFIX_LEVEL, Infix

WIDTH = 100
"""Width of a line in columns."""

# ---------------------------------------------------------------------- scalar expressions


def show_scalar(e: ScalarExp) -> str:
    """Return a scalar expression, with the fewest parentheses that preserve its tree."""
    return _scalar(e, 0)


def _scalar(e: ScalarExp, level: int) -> str:
    """Return ``e``, in parentheses if it is an operator looser than ``level``."""
    match e:
        case Const(value, t):
            return show_constant(value, t)
        case Var(name):
            return name
        case Bin(op, a, b):
            infix = INFIX.get(op.value)
            return _call(op, a, b) if infix is None else _infix(infix, a, b, level)
        case Un(op, a):
            return _prefix(op, a) if op.value in PREFIX else _call(op, a)
        case Convert(to, a):
            return f"{to}({_scalar(a, 0)})"


def call_words(partial: bool, linkage: Linkage) -> list[str]:
    """Return the words behind the arguments of a call."""
    if linkage is not Linkage.OWN:
        return [linkage.value]
    return ["partial"] if partial else []


def _call(op: BinOp | UnOp, *args: ScalarExp) -> str:
    return f"{op}({', '.join(_scalar(a, 0) for a in args)})"


def _infix(infix: Infix, a: ScalarExp, b: ScalarExp, level: int) -> str:
    text = f"{_scalar(a, infix.left)} {infix.op.value} {_scalar(b, infix.right)}"
    return text if infix.level >= level else f"({text})"


def _prefix(op: UnOp, a: ScalarExp) -> str:
    operand = _scalar(a, PREFIX_LEVEL)
    if op is not UnOp.NEG:
        return f"{op}{operand}"
    if operand.startswith("-"):
        return f"- {operand}"  # `--` would begin a comment
    is_number = isinstance(a, Const) and not isinstance(a.value, bool)
    return f"-({operand})" if is_number else f"-{operand}"  # `-5` is a constant


# ---------------------------------------------------------------------- small things


def show_shape(sizes: Iterable[Size]) -> str:
    """Return ``[size]…[size]``."""
    return "".join(f"[{d}]" for d in sizes)


def show_dims(dims: Iterable[SliceDim]) -> str:
    """Return ``[dim, …, dim]``."""
    return f"[{', '.join(map(str, dims))}]"


def show_alloc(size: Size, space: Space) -> str:
    """Return ``alloc size``, ``alloc.local size``, …"""
    return f"alloc{'' if space is Space.DEVICE else f'.{space.value}'} {size}"


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def show_string(s: str) -> str:
    """Return a string in quotes, with characters escaped that a terminal cannot display."""
    return f'"{"".join(_ESCAPES.get(c) or _character(c) for c in s)}"'


def _character(c: str) -> str:
    return c if c.isprintable() else f"\\u{{{ord(c):X}}}"


# ---------------------------------------------------------------------- lines


def indent(lines: Iterable[str]) -> list[str]:
    """Return lines, indented by two columns."""
    return [f"  {line}" for line in lines]


def fill(items: Iterable[str], width: int, hang: str = "    ") -> list[str]:
    """Return items, as many per line as fit; later lines begin with ``hang``."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + 1 + len(item) <= width:
            lines[-1] += f" {item}"
        else:
            lines.append(hang + item if lines else item)
    return lines


def ended(items: Sequence[str], end: str) -> list[str]:
    """Append ``end`` to the last item, so that it does not begin a line."""
    return [*items[:-1], f"{items[-1]} {end}"]


def separated(items: Iterable[str], end: str = "") -> list[str]:
    """Append a comma to each item but the last, and ``end`` to the last."""
    items = list(items)
    return [f"{item}{',' if k + 1 < len(items) else end}" for k, item in enumerate(items)]
