"""Floats that are never NaN: then a minimum or maximum of one with any float is cheaper.

    acc <- f32.inf;  for i < n do  x <- xs[i] : f32;  acc <- min(acc, x)  done

A minimum ignores a NaN (minimumNumber), so ``acc`` is a number in every iteration.  With a number
on its left, ``b <= a ? b : a`` ignores a NaN on its right without a test, and -0 < +0 takes one
operation more: the sign of ``a`` is or-ed to ``b``.

The analysis is a greatest fixed point over the variables and the blocks of an entry point: a float
is a number if all that is assigned to it is.  Only blocks that the entry point allocates count, and
only if all their accesses have one type.
"""

from collections.abc import Iterator, Mapping

from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpEntry,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import VarType, nested
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, ScalarType, UnOp


def numbers(e: ImpEntry, types: Mapping[Name, VarType]) -> frozenset[Name]:
    """Return the float variables and the blocks of an entry point that never hold a NaN."""
    every = tuple(nested(e.body))
    given = {p.block if isinstance(p, ArrayPort) else p.x for p in e.params}
    declared = {s.x for s in every if isinstance(s, Declare)} - given
    found = {x for x in declared if _float(types.get(x))} | (declared & _own_blocks(every))
    while wrong := {x for s in every for x in _not_numbers(s, found, types)} & found:
        found -= wrong
    return frozenset(found)


def _float(t: VarType | None) -> bool:
    return isinstance(t, ScalarType) and t.is_float


def _own_blocks(every: tuple[ImpStm, ...]) -> set[Name]:
    """Return the block variables that are set by allocations only, and hold one type of floats."""
    elems: dict[Name, set[ScalarType]] = {}
    others: set[Name] = set()
    made: set[Name] = set()
    for s in every:
        match s:
            case Allocate(x):
                made.add(x)
            case Assign(x, Var(y)):  # two variables may hold one block
                others |= {x, y}
            case CallStm(results):
                others.update(results)
            case OpaqueStm():
                others.update(p.block for p in (*s.results, *s.arrays))
            case Read(_, block, _, elem) | Write(block, _, _, elem):
                elems.setdefault(block, set()).add(elem)
            case CopyElement(dst, _, src, _, elem):
                elems.setdefault(dst, set()).add(elem)
                elems.setdefault(src, set()).add(elem)
            case Assign() | Declare() | Check():
                pass
            case IfStm() | ForStm() | WhileStm() | KernelStm():
                pass
    floats = {x for x, ts in elems.items() if len(ts) == 1 and all(t.is_float for t in ts)}
    return (made & floats) - others


def _not_numbers(s: ImpStm, known: set[Name], types: Mapping[Name, VarType]) -> Iterator[Name]:
    """Yield the variables and blocks into which a statement may put a NaN; ``known`` hold none."""
    match s:
        case Assign(x, value) if not is_number(value, known, types):
            yield x
        case Read(x, block) if block not in known:
            yield x
        case Write(block, _, value) if not is_number(value, known, types):
            yield block
        case CopyElement(dst, _, src) if src not in known:
            yield dst
        case CallStm(results):
            yield from results
        case Assign() | Read() | Write() | CopyElement() | OpaqueStm():
            pass
        case Declare() | Allocate() | Check():
            pass
        case IfStm() | ForStm() | WhileStm() | KernelStm():
            pass


def is_number(
    e: ScalarExp, known: frozenset[Name] | set[Name], types: Mapping[Name, VarType]
) -> bool:
    """True if a float expression is never NaN, given the variables that are not."""
    match e:
        case Const(value, _):
            return value == value
        case Var(x):
            return x in known or not _float(types.get(x))
        case Bin(BinOp.MIN | BinOp.MAX, a, b):
            return is_number(a, known, types) or is_number(b, known, types)
        case Un(UnOp.NEG | UnOp.ABS, a) | Convert(_, a):
            return is_number(a, known, types)
        case Bin() | Un():
            return False
