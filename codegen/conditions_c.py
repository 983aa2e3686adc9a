"""Conditions over sizes as C.

C computes them in 64 bits.  A condition whose terms do not fit fails on the device, and the host
evaluates it again in exact integers (:func:`funmem.codegen.host.trap`).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from funmem.codegen.exprs import is_plain
from funmem.ir.imp import Injective, InRange, NonNegative, RangeInside, SizesEqual
from funmem.ir.imp_traverse import condition_sizes
from funmem.ir.names import Name
from funmem.ir.sizes import ONE, Size

SizeCondition: TypeAlias = InRange | RangeInside | Injective | NonNegative | SizesEqual
"""A condition over sizes."""

Exact: TypeAlias = Callable[[Size], tuple[str, str]]
"""Prints a size.  Returns a C operand and the variable that flags overflow, empty if none can."""

Numbers: TypeAlias = Callable[[Sequence[str], int], str]
"""Declares an array of numbers.  Takes its first elements and its length; returns its C name."""


def c_condition(
    cond: SizeCondition, exact: Exact, numbers: Numbers, sizes: frozenset[Name] = frozenset()
) -> str:
    """Return a condition over sizes as a C expression; it is false if a term exceeds 64 bits.

    ``sizes``: variables known not to be negative.  An index below such a size is tested with one
    unsigned comparison, since a negative index becomes a large unsigned number.
    """
    if cond == Injective(()):
        return "true"
    if (simple := _contiguous(cond, exact, sizes)) is not None:
        return simple
    terms, flags = zip(*map(exact, condition_sizes(cond)), strict=True)
    fits = [f"!{o}" for o in flags if o]
    match cond:
        case InRange(_, size):
            i, n = terms
            if size.as_name in sizes and not fits:
                return f"(ulong)({i}) < (ulong)({n})"
            return _all(*fits, f"0 <= {i}", f"{i} < {n}")
        case RangeInside():
            return _range_inside(terms, flags, fits)
        case Injective(dims):
            rank = len(dims)
            if rank == 1:
                length, stride = terms
                return _all(*fits, f"({stride} != 0 || {length} <= 1)")
            lengths_and_strides = numbers(terms, 5 * rank)
            return _all(*fits, f"sz_injective({rank}, {lengths_and_strides})")
        case NonNegative():
            return _all(*fits, f"{terms[0]} >= 0")
        case SizesEqual():
            a, b = terms
            return _all(*fits, f"{a} == {b}")


def _contiguous(cond: SizeCondition, exact: Exact, sizes: frozenset[Name]) -> str | None:
    """Return RangeInside of stride 1 as C without arithmetic that may overflow; None for others.

    ``len <= n`` as unsigned numbers implies that len is not negative, since n is not.
    """
    if not isinstance(cond, RangeInside) or cond.stride != ONE:
        return None
    if not all(map(is_plain, (cond.len, cond.start, cond.n))):
        return None
    length, start, n = (exact(s)[0] for s in (cond.len, cond.start, cond.n))
    fits = f"(ulong){length} <= (ulong){n}"
    inside = f"(ulong){start} <= (ulong){n} - (ulong){length}"
    known = cond.n.as_name in sizes or cond.n.as_const is not None
    whole = _all(*([] if known else [f"0 <= {n}"]), fits, inside)
    return f"({length} == 0) || ({whole})"


def _range_inside(terms: Sequence[str], flags: Sequence[str], fits: Sequence[str]) -> str:
    """Return RangeInside as C; ``terms``: length, start, last index, size of the dimension."""
    length, start, last, n = terms
    empty = _all(*fits[: bool(flags[0])], f"{length} == 0")
    bounds = (f"0 <= {start}", f"{start} < {n}", f"0 <= {last}", f"{last} < {n}")
    whole = f"({empty}) || ({_all(*fits, f'{length} > 0', *bounds)})"
    if not flags[2]:
        return whole
    # With one element the stride is not used, so the last index may exceed 64 bits.
    first = [f"!{flags[k]}" for k in (0, 1, 3) if flags[k]]
    return f"{whole} || ({_all(*first, f'{length} == 1', *bounds[:2])})"


def _all(*conditions: str) -> str:
    return " && ".join(conditions)
