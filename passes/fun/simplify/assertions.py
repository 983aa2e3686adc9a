"""Assertions that say the same in every iteration of a kernel, in front of it.

    kernel i < n do                          let c = m >= 0
      let c = m >= 0                         let some = n <= 0 || c
      assert c "…"                   ->      assert some "…"
      …                                      kernel i < n do …

What remains is often a kernel that cannot trap, which fuse and nest can use: tables of two
dimensions, in source programs, assert in each row that rows have no negative length.

*Conditions.*  (1) Nothing in front of the assertion, in the iteration, may trap: with the first
iteration the assertion would have failed, and with what it says.  (2) Its condition and the values
that it shows are computed from scalars outside, by what cannot trap there either.  (3) Whether
there is an iteration can be said by comparing names and constants with zero, for arithmetic may
wrap around where sizes do not.
"""

from collections.abc import Iterable
from typing import TypeAlias

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    Assert,
    Bin,
    Binder,
    Body,
    Const,
    Convert,
    Entry,
    Kernel,
    KernelDim,
    MemProgram,
    Program,
    ScalarExp,
    Stm,
    Un,
    Var,
)
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.logic.may_trap import why_statement_traps, why_traps
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ONE
from funmem.ir.traverse import (
    free_in_stm,
    kept,
    program_fresh,
    sub_bodies,
    walk,
    with_bodies,
    with_exp,
    with_stms,
)

Stms: TypeAlias = tuple[Stm[Ann], ...]


def assertions_outside(p: MemProgram) -> MemProgram:
    """The program with such assertions in front of kernels; itself, if there are none."""
    if not any(_asserts(s) for e in p.entries for s in walk(e.body)):
        return p
    fresh = program_fresh(p)
    entries = kept(p.entries, (_entry(e, fresh) for e in p.entries))
    return p if entries is p.entries else Program(entries)


def _asserts(s: Stm[Ann]) -> bool:
    """Whether it is a kernel in whose body an assertion stands."""
    return isinstance(s.exp, Kernel) and any(isinstance(t.exp, Assert) for t in s.exp.body.stms)


def _entry(e: Entry[Ann], fresh: Fresh) -> Entry[Ann]:
    body = _body(e.body, of_entry(e), fresh)
    return e if body is e.body else evolve(e, body=body)


def _body(b: Body[Ann], known: PointFacts, fresh: Fresh) -> Body[Ann]:
    """Kernels inside of others first: what stands in front of them then may go on."""
    stms: list[Stm[Ann]] = []
    for s in b.stms:
        insides = known.inside(s.exp)
        bodies = [
            _body(c, inside, fresh) for c, inside in zip(sub_bodies(s.exp), insides, strict=True)
        ]
        first: Stms = ()
        if isinstance(s.exp, Kernel):
            first, bodies[-1] = _moved(s.exp.dims, bodies[-1], known, insides[-1], fresh)
        for t in (*first, with_exp(s, with_bodies(s.exp, bodies))):
            stms.append(t)
            known = known.after(t)
    return with_stms(b, stms)


def _moved(
    dims: Iterable[KernelDim], b: Body[Ann], known: PointFacts, inside: PointFacts, fresh: Fresh
) -> tuple[Stms, Body[Ann]]:
    """What goes in front of a kernel, and what is left of its body.

    ``known`` holds in front of the kernel, ``inside`` at the start of the body.
    """
    counts = [d.size for d in dims if not known.nonneg(d.size - ONE)]
    if any(n.as_name is None and n.as_const is None for n in counts):  # (3)
        return (), b
    found, scalars = _found(b, frozenset(d.index for d in dims), known, inside)
    if not found:
        return (), b
    wanted = frozenset[Name]().union(*map(free_in_stm, found))
    for s in reversed(scalars):
        if s.pat[0].name in wanted:
            wanted |= free_in_stm(s)
    out = [s for s in scalars if s.pat[0].name in wanted]
    left = [s for s in b.stms if not any(s is t for t in (*out, *found))]
    for s in found:
        assert isinstance(s.exp, Assert)
        holds = s.exp.cond
        if counts:
            either: ScalarExp = holds
            for n in reversed(counts):
                none = Bin(BinOp.LE, size_exp(n), Const(0, I64))
                either = Bin(BinOp.LOR, none, either)
            x = fresh(holds.name if isinstance(holds, Var) else "holds")
            out.append(Stm((Binder(x, BOOL, None),), either, s.at))
            holds = Var(x)
        out.append(with_exp(s, evolve(s.exp, cond=holds)))
    return tuple(out), with_stms(b, left)


def _found(
    b: Body[Ann], indices: frozenset[Name], known: PointFacts, inside: PointFacts
) -> tuple[list[Stm[Ann]], list[Stm[Ann]]]:
    """The assertions that may go outside, (1) and (2), and all scalars that may.

    These will be computed in front of all assertions, and even if there is no iteration: nothing
    that follows from either may be needed for that they do not trap.
    """
    own = set(indices)
    found: list[Stm[Ann]] = []
    scalars: list[Stm[Ann]] = []
    for s in b.stms:
        same = free_in_stm(s).isdisjoint(own)
        if isinstance(s.exp, Assert) and same:
            found.append(s)
        elif why_statement_traps(s, inside) is not None:
            break
        elif same and _is_scalar(s) and why_traps(s.exp, known) is None:
            scalars.append(s)
            known = known.after(s)
        else:
            own |= {p.name for p in s.pat}
        inside = inside.after(s)
    return found, scalars


def _is_scalar(s: Stm[Ann]) -> bool:
    return isinstance(s.exp, Const | Var | Bin | Un | Convert)
