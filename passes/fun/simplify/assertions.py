"""Loop-invariant assertions of a kernel move before it.

    kernel i < n do                          let c = m >= 0
      let c = m >= 0                         let some = n <= 0 || c
      assert c "…"                   ->      assert some "…"
      …                                      kernel i < n do …

The remaining kernel often cannot trap, so that fuse and nest apply.  For instance, two-dimensional
comprehensions assert in each row that rows have no negative length.

*Conditions.*  (1) No statement before the assertion in the iteration may trap.  Then the assertion
is the first to fail, in the first iteration.  (2) Its condition and the values of its message are
computed from scalars outside, by expressions that cannot trap there.  (3) The test for an empty
kernel compares only names and constants with zero, because arithmetic may wrap around; a product is
zero if a factor is.
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
from funmem.ir.sizes import ONE, Size, var
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
    """Return the program with these assertions moved; the same object if there are none."""
    if not any(_asserts(s) for e in p.entries for s in walk(e.body)):
        return p
    fresh = program_fresh(p)
    entries = kept(p.entries, (_entry(e, fresh) for e in p.entries))
    return p if entries is p.entries else Program(entries, p.functions)


def _asserts(s: Stm[Ann]) -> bool:
    """True if a statement is a kernel with an assertion at the top level of its body."""
    return isinstance(s.exp, Kernel) and any(isinstance(t.exp, Assert) for t in s.exp.body.stms)


def _entry(e: Entry[Ann], fresh: Fresh) -> Entry[Ann]:
    body = _body(e.body, of_entry(e), fresh)
    return e if body is e.body else evolve(e, body=body)


def _body(b: Body[Ann], known: PointFacts, fresh: Fresh) -> Body[Ann]:
    """Rewrite a body, inner kernels first, because an assertion may move out of several kernels."""
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
    """Return the statements to put before a kernel, and its remaining body.

    ``known`` are the facts before the kernel, ``inside`` those at the start of the body.
    """
    counts = [n for d in dims if not known.nonneg(d.size - ONE) for n in _factors(d.size, known)]
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


def _factors(n: Size, known: PointFacts) -> tuple[Size, ...]:
    """Return sizes of which one is 0 exactly if ``n`` is: the factors of a product without negative
    ones.
    """
    match n.terms:
        case [(factors, k)] if k > 0 and all(known.nonneg(var(x)) for x in factors):
            return tuple(var(x) for x in dict.fromkeys(factors))
        case _:
            return (n,)


def _found(
    b: Body[Ann], indices: frozenset[Name], known: PointFacts, inside: PointFacts
) -> tuple[list[Stm[Ann]], list[Stm[Ann]]]:
    """Return the assertions that meet (1) and (2), and all scalars that may move.

    The scalars are computed before the assertions, and even if the kernel is empty.  So the proof
    that they do not trap must use neither the assertions nor the ranges of indices.
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
