"""Conditions over sizes as C.

C computes them in 64 bits.  A condition whose terms do not fit fails on the device, and the host
evaluates it again in exact integers (:func:`funmem.codegen.host.trap`).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from funmem.ir.imp import Injective, InRange, NonNegative, RangeInside, SizesEqual
from funmem.ir.imp_traverse import condition_sizes
from funmem.ir.names import Name
from funmem.ir.sizes import Size

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
