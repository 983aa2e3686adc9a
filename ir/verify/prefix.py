"""Which arrays hold running sums: element k is ``v(0) + … + v(k)``, modulo 2^64.

    kernel i < n scan (+) (0) do … in (v(i))        a scan with +
    loop (a' = a, s = 0) for i < n do … s' = s + v(i)        the same in order
                                      … a' with [i] = s'
    parts[t] = v(c*t) + … + v(c*t + c - 1)          what ``schedule`` makes of a scan (S2): chunks
    starts[t] = parts[0] + … + parts[t - 1]         of c iterations, each of which goes on where
    concat (reshape rows) rest                      those before it end, and the rest after them

A sum may be *guarded*: ``s | ((x | y | s) >> 63)`` where ``s = x + y`` is -1 as soon as the sum of
numbers that are not negative is no i64, and stays -1; before that it is the sum.  The addends of
all parts are compared as cases of the iteration (cases.py): only if they are the same function of
the index are the parts parts of one sum.
"""

from funmem.ir.fun import (
    Ann,
    Atom,
    Concat,
    Const,
    For,
    Kernel,
    Loop,
    Map,
    Reshape,
    Scan,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.traverse import bound_names
from funmem.ir.verify.cases import Case, Cases, Iteration, Number, Op, Term, certain
from funmem.ir.verify.signs import between

NOTHING = Const(0, I64)
SIGN = Number(const(63))
"""An i64 shifted by so much is -1 if it is negative, and else 0."""


@frozen
class Sums:
    """Element k of an array adds up ``addend`` in the iterations up to k."""

    addend: Cases
    """In terms of the iteration's index."""
    guarded: bool
    length: Size

    def at_most(self, most: int, it: Iteration) -> bool:
        """Whether all addends are between 0 and a number."""
        return all(between(c, most, self.length, it) for c in self.addend)


def sums(a: Name, it: Iteration) -> Sums | None:
    """What a vector of i64 adds up; None if that is not seen."""
    (length,) = it.scene.types[a].shape
    match it.scene.made_by.get(a):
        case Stm(pat, Kernel((d,), Scan(op, ne), body) as e):
            at = [b.name for b in pat].index(a)
            if at >= len(ne) or ne[at] != NOTHING:
                return None
            it.open(e)
            other = certain(Number(var(op.params[len(ne) + at].name)))
            added = _added(it.scalar(op.body.result[at]), op.params[at].name, it)
            if added is None or added[0] != other:
                return None
            return Sums(it.result(body, body.result[at], d.size), added[1], length)
        case Stm(_, Loop()):
            run = _filled(a, ZERO, it)
            if run is None or run.start != NOTHING:
                return None
            return Sums(run.addend, run.guarded, length)
        case Stm(_, Concat(0, (first, rest))):
            return _in_chunks(first, rest, length, it)
        case _:
            return None


def _added(cases: Cases, acc: Name, it: Iteration) -> tuple[Cases, bool] | None:
    """What is added to an accumulator, and whether the sum is guarded."""
    found: list[Case] = []
    guards: set[bool] = set()
    for c in cases:
        if not isinstance(c.value, Number) or any(it.mentions(t, acc) for t, _ in c.said):
            return None
        unguarded = _unguarded(c.value, acc, it)
        guards.add(unguarded is not None)
        added = Number((c.value.p if unguarded is None else unguarded) - var(acc))
        if it.mentions(added, acc):
            return None
        found.append(Case(c.said, added))
    return (tuple(found), guards.pop()) if len(guards) == 1 else None


def _unguarded(value: Number, acc: Name, it: Iteration) -> Size | None:
    """The sum s of ``s | ((acc | y | s) >> 63)``; the operands of | are in any order."""
    for s in _ored(value, it):
        others = _ored(value, it) - {s}
        if len(others) != 1 or not isinstance(s, Number):
            continue
        (shifted,) = others
        match it.operator(shifted.p) if isinstance(shifted, Number) else None:
            case Op(BinOp.SHR.value, (Number() as signs, bits)) if bits == SIGN:
                y = Number(s.p - var(acc))
                if _ored(signs, it) == {Number(var(acc)), y, s}:
                    return s.p
            case _:
                pass
    return None


def _ored(t: Term, it: Iteration) -> frozenset[Term]:
    """The operands of a chain of |."""
    match it.operator(t.p) if isinstance(t, Number) else None:
        case Op(BinOp.OR.value, (a, b)):
            return _ored(a, it) | _ored(b, it)
        case _:
            return frozenset({t})


# ---------------------------------------------------------------------- loops


@frozen
class _Run:
    """A loop whose accumulator begins as ``start``; each of ``count`` iterations adds to it."""

    start: Atom
    count: Size
    addend: Cases
    guarded: bool


def _run(s: Stm[Ann], at: int, lo: Size, it: Iteration) -> _Run | None:
    """What the parameter ``at`` of a loop adds up, if its first iteration is number ``lo``."""
    match s.exp:
        case Loop(params, For(i, n), body):
            it.varying |= {*bound_names(body), *(p.binder.name for p in params), i}
            index = certain(Number(var(it.index) - it.resolved(lo).p))
            if it.known.setdefault(i, index) != index:
                return None
            added = _added(it.scalar(body.result[at]), params[at].binder.name, it)
            return None if added is None else _Run(params[at].init, n, *added)
        case _:
            return None


def _filled(a: Name, lo: Size, it: Iteration) -> _Run | None:
    """The loop that writes its accumulator to each element of ``a``, after it has added to it."""
    match it.scene.made_by.get(a):
        case Stm(pat, Loop(params, For(i, n), body)) as s if (n,) == it.scene.types[a].shape:
            at = [b.name for b in pat].index(a)
            value = _updated(body.result[at], params[at].binder.name, i, it)
            return _run(s, body.result.index(value), lo, it) if value in body.result else None
        case _:
            return None


def _updated(result: Atom, array: Name, i: Name, it: Iteration) -> Atom | None:
    """The scalar in ``array with [i] = scalar``, if that is the result, and the loop's own."""
    if not isinstance(result, Var):
        return None
    match it.scene.made_by.get(result.name):
        case Stm(_, Update(x, (DimFix(at),), value)) if x == array and at == var(i):
            return value
        case _:
            return None


# ---------------------------------------------------------------------- chunks


@frozen
class _Chunks:
    """``number`` chunks of ``length`` iterations, each added up."""

    number: Size
    length: Size
    addend: Cases
    guarded: bool


def _in_chunks(first: Name, rest: Name, length: Size, it: Iteration) -> Sums | None:
    """The sums of chunks, and those of what comes after them."""
    match it.scene.made_by.get(first):
        case Stm(_, Reshape((_,), table)):
            pass
        case _:
            return None
    found = _row(table, it)
    if found is None:
        return None
    t, row = found
    chunks = _starts(row.start, t, it)
    if chunks is None or row != _Run(row.start, chunks.length, chunks.addend, chunks.guarded):
        return None
    if it.scene.types[table].shape != (chunks.number, chunks.length):
        return None
    tail = _filled(rest, chunks.number * chunks.length, it)
    if tail is None or _totals(tail.start, it) != chunks:
        return None
    same = (tail.addend, tail.guarded) == (chunks.addend, chunks.guarded)
    return Sums(chunks.addend, chunks.guarded, length) if same else None


def _row(table: Name, it: Iteration) -> tuple[Name, _Run] | None:
    """The loop that fills row t of a table, and t."""
    match it.scene.made_by.get(table):
        case Stm(pat, Kernel((d,), Map(), body)):
            it.varying |= {*bound_names(body), d.index}
            a = body.result[[b.name for b in pat].index(table)]
            if not isinstance(a, Var):
                return None
            _, length = it.scene.types[table].shape
            run = _filled(a.name, length * var(d.index), it)
            return None if run is None else (d.index, run)
        case _:
            return None


def _starts(start: Atom, t: Name, it: Iteration) -> _Chunks | None:
    """The chunks that come before chunk t, which ``start`` adds up."""
    match _element(it.scalar(start), t, it):
        case at, Stm(_, Loop(params, For(i), body)) as s:
            value = _updated(body.result[at], params[at].binder.name, i, it)
            accs = [k for k, p in enumerate(params) if value == Var(p.binder.name)]
            return _over_parts(s, accs[0], it) if accs else None
        case _:
            return None


def _totals(start: Atom, it: Iteration) -> _Chunks | None:
    """The chunks that ``start`` adds up, all of them."""
    made = _result(start, it)
    return None if made is None else _over_parts(made[1], made[0], it)


def _over_parts(s: Stm[Ann], at: int, it: Iteration) -> _Chunks | None:
    """A loop over chunks, each of which a thread has added up from 0."""
    match s.exp:
        case Loop(params, For(i, n), body) if params[at].init == NOTHING:
            added = _added(it.scalar(body.result[at]), params[at].binder.name, it)
        case _:
            return None
    if added is None:
        return None
    parts, guarded = added
    match _element(parts, i, it):
        case part, Stm(_, Kernel((d,), Map(), inner)) if d.size == n:
            made = _result(inner.result[part], it)
        case _:
            return None
    match made:
        case acc, Stm(_, Loop(_, For(_, length))) as own:
            it.varying |= {*bound_names(inner), d.index}
            run = _run(own, acc, length * var(d.index), it)
        case _:
            return None
    if run is None or run.start != NOTHING or run.guarded is not guarded:
        return None
    return _Chunks(n, length, run.addend, run.guarded)


def _result(a: Atom, it: Iteration) -> tuple[int, Stm[Ann]] | None:
    """The statement that binds a name, and to which of its results."""
    s = it.scene.made_by.get(a.name) if isinstance(a, Var) else None
    if s is None or not isinstance(a, Var):
        return None
    return [b.name for b in s.pat].index(a.name), s


def _element(cases: Cases, i: Name, it: Iteration) -> tuple[int, Stm[Ann]] | None:
    """What makes the array of which a scalar is element i."""
    match cases:
        case (Case((), Number(p)),):
            pass
        case _:
            return None
    match it.operator(p):
        case Op(_, (Number(at),), array) if array is not None and at == var(i):
            return _result(Var(array), it)
        case _:
            return None
