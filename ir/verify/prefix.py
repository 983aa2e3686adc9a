"""Which arrays hold running sums: element k is ``v(0) + … + v(k)``, modulo 2^64.

    kernel i < n scan (+) (0) do … in (v(i))        a scan with +
    loop (a' = a, s = 0) for i < n do … s' = s + v(i)        the same in order
                                      … a' with [i] = s'
    parts[t] = v(c*t) + … + v(c*t + c - 1)          the chunks into which ``schedule`` divides a
    starts[t] = parts[0] + … + parts[t - 1]         scan (S2): c iterations each, starting from the
    concat (reshape rows) rest                      sum of the chunks before, then the remainder

and which scalars are such a sum as a whole: a reduction with +, a loop that only adds, or, from the
sum of all chunks on, the loop over the remainder.

A sum may be *guarded*: ``s | ((x | y | s) >> 63)`` with ``s = x + y`` is the sum as long as the sum
of nonnegative numbers fits i64, and -1 from then on.  The addends of all parts are compared as
cases of the iteration (cases.py): the parts belong to one sum only if their addends are the same
function of the index.

A map that follows a scan may be computed in the scan's loops (scan_maps.py of ``schedule``), which
then store its elements in place of the sums, or beside them:

    loop (a' = a, s = start) for i < c do … s' = s + v(i)   a' with [i] = w(i, s')
"""

from collections.abc import Iterator, Mapping

from funmem.ir.fun import (
    Ann,
    Atom,
    Concat,
    Const,
    For,
    Kernel,
    Loop,
    Map,
    Reduce,
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
from funmem.ir.verify.cases import Iteration
from funmem.ir.verify.signs import between
from funmem.ir.verify.terms import Case, Cases, Number, Op, Term, certain

NOTHING = Const(0, I64)
SIGN = Number(const(63))
"""Shifting an i64 right by 63 gives -1 if it is negative, and else 0."""


@frozen
class Sums:
    """Element k of an array is the sum of ``addend`` over the iterations up to k."""

    addend: Cases
    """A function of the iteration's index."""
    guarded: bool
    length: Size

    def at_most(self, most: int, it: Iteration) -> bool:
        """True if all addends are proved to be between 0 and ``most``."""
        return all(between(c, most, self.length, it) for c in self.addend)


def sums(a: Name, it: Iteration) -> Sums | None:
    """Return the sum that a vector of i64 holds; None if it is not recognised."""
    (length,) = it.scene.types[a].shape
    match it.scene.made_by.get(a):
        case Stm(pat, Kernel((_,), Scan(), _) as e):
            return _folded(e, [b.name for b in pat].index(a), it)
        case Stm(_, Loop()):
            run = _filled(a, ZERO, it)
            if run is None or run.start != NOTHING:
                return None
            return Sums(run.addend, run.guarded, length)
        case Stm(_, Concat(0, (first, rest))):
            return _in_chunks(first, rest, length, it)
        case _:
            return None


def total(x: Name, it: Iteration) -> Sums | None:
    """Return the sum whose last element is scalar ``x``, or 0; None if it is not recognised."""
    match it.scene.made_by.get(x):
        case Stm(pat, Kernel((_,), Reduce(), _) as e):
            return _folded(e, [b.name for b in pat].index(x), it)
        case Stm(pat, Loop(params)) as s:
            at = [b.name for b in pat].index(x)
            before = _totals(params[at].init, it)
            lo = ZERO if before is None else before.number * before.length
            run = _run(s, at, lo, it)
            if run is None or (before is None and run.start != NOTHING):
                return None
            if before is not None and (run.addend, run.guarded) != (before.addend, before.guarded):
                return None
            return Sums(run.addend, run.guarded, lo + run.count)
        case _:
            return None


def _folded(e: Kernel[Ann], at: int, it: Iteration) -> Sums | None:
    """Return the sum in result ``at`` of a scan or reduction."""
    (d,) = e.dims
    assert isinstance(e.collective, Scan | Reduce)
    op, ne = e.collective.op, e.collective.ne
    if at >= len(ne) or ne[at] != NOTHING:
        return None
    it.open(e)
    other = certain(Number(var(op.params[len(ne) + at].name)))
    added = _added(it.scalar(op.body.result[at]), op.params[at].name, it)
    if added is None or added[0] != other:
        return None
    return Sums(it.result(e.body, e.body.result[at], d.size), added[1], d.size)


def _added(cases: Cases, acc: Name, it: Iteration) -> tuple[Cases, bool] | None:
    """Return what is added to an accumulator, and true if the sum is guarded; or None."""
    found: list[Case] = []
    guards: set[bool] = set()
    for c in cases:
        if not isinstance(c.value, Number) or any(it.mentions(t, acc) for t, _ in c.path):
            return None
        unguarded = _unguarded(c.value, acc, it)
        guards.add(unguarded is not None)
        added = Number((c.value.p if unguarded is None else unguarded) - var(acc))
        if it.mentions(added, acc):
            return None
        found.append(Case(c.path, added))
    return (tuple(found), guards.pop()) if len(guards) == 1 else None


def _unguarded(value: Number, acc: Name, it: Iteration) -> Size | None:
    """Return s of ``s | ((acc | y | s) >> 63)``, with the operands of | in any order, or None."""
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
    """Return the operands of a chain of |."""
    match it.operator(t.p) if isinstance(t, Number) else None:
        case Op(BinOp.OR.value, (a, b)):
            return _ored(a, it) | _ored(b, it)
        case _:
            return frozenset({t})


# ---------------------------------------------------------------------- loops


@frozen
class _Run:
    """A loop whose accumulator starts as ``start``; each of ``count`` iterations adds to it."""

    start: Atom
    count: Size
    addend: Cases
    guarded: bool


def _run(s: Stm[Ann], at: int, lo: Size, it: Iteration) -> _Run | None:
    """Return the sum in parameter ``at`` of a loop whose first iteration has number ``lo``."""
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
    """Return the loop that adds to its accumulator and then stores it in each element of ``a``."""
    match _stored(a, it):
        case s, value if isinstance(s.exp, Loop) and value in s.exp.body.result:
            return _run(s, s.exp.body.result.index(value), lo, it)
        case _:
            return None


def _stored(a: Name, it: Iteration) -> tuple[Stm[Ann], Atom] | None:
    """Return the loop that stores a scalar in each element of ``a``, and the scalar."""
    match it.scene.made_by.get(a):
        case Stm(pat, Loop(params, For(i, n), body)) as s if (n,) == it.scene.types[a].shape:
            at = [b.name for b in pat].index(a)
            value = _updated(body.result[at], params[at].binder.name, i, it)
            return None if value is None else (s, value)
        case _:
            return None


def _updated(result: Atom, array: Name, i: Name, it: Iteration) -> Atom | None:
    """Return the scalar in ``array with [i] = scalar`` if that made ``result``, or None."""
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
    """``number`` chunks of ``length`` iterations, each with its sum."""

    number: Size
    length: Size
    addend: Cases
    guarded: bool


@frozen
class _Rows:
    """A table of ``number`` rows of ``length`` elements; thread ``thread`` makes ``row``."""

    thread: Name
    row: Name
    number: Size
    length: Size


def _in_chunks(first: Name, rest: Name, length: Size, it: Iteration) -> Sums | None:
    """Return the sum that consists of the sums of chunks and of the remainder."""
    found = _rows(first, it)
    if found is None:
        return None
    run = _filled(found.row, found.length * var(found.thread), it)
    tail = _filled(rest, found.number * found.length, it)
    return None if run is None or tail is None else _continued(run, tail, found, length, it)


def _continued(run: _Run, tail: _Run, rows: _Rows, length: Size, it: Iteration) -> Sums | None:
    """Return the sum if that of each row starts from the rows before, and the remainder's from all
    of them.
    """
    chunks = _starts(run.start, rows.thread, it)
    if chunks is None or run != _Run(run.start, chunks.length, chunks.addend, chunks.guarded):
        return None
    if (rows.number, rows.length) != (chunks.number, chunks.length):
        return None
    if _totals(tail.start, it) != chunks:
        return None
    same = (tail.addend, tail.guarded) == (chunks.addend, chunks.guarded)
    return Sums(chunks.addend, chunks.guarded, length) if same else None


def mapped(a: Name, it: Iteration) -> tuple[Cases, Mapping[Name, Sums]] | None:
    """Return element i of a map that ``schedule`` computes in the loops of a scan, and the sums in
    it; None if the vector is not made so, or if the chunks and the remainder differ.

    The loops' accumulators after iteration i are ``x.rank``, where x is in the iteration's
    ``ranks``; the sums are of these x.  The iteration's index is i.
    """
    (length,) = it.scene.types[a].shape
    match it.scene.made_by.get(a):
        case Stm(_, Concat(0, (first, rest))):
            rows = _rows(first, it)
        case _:
            return None
    if rows is None:
        return None
    match _stored(rows.row, it), _stored(rest, it):
        case (one, value), (other, last):
            pass
        case _:
            return None
    found: dict[Name, Sums] = {}
    replaced: dict[Name, Cases] = {}
    assert isinstance(one.exp, Loop)
    assert isinstance(other.exp, Loop)
    ends = zip(one.exp.body.result, other.exp.body.result, strict=False)
    for at, (x, y) in enumerate(ends):
        if not (isinstance(x, Var) and isinstance(y, Var)):
            continue
        acc = one.exp.params[at].binder
        if acc.type is not I64:
            continue
        run = _run(one, at, rows.length * var(rows.thread), it)
        tail = _run(other, at, rows.number * rows.length, it)
        if run is None or tail is None:
            continue
        whole = _continued(run, tail, rows, length, it)
        if whole is not None:
            rank = Name(f"{acc.name}.rank")
            it.ranks[rank], found[acc.name] = acc.name, whole
            it.varying.add(rank)
            same = (*_copied(x.name, it), *_copied(y.name, it))
            replaced |= dict.fromkeys(same, certain(Number(var(rank))))
            if not whole.guarded:  # else the sum before is unknown once it has overflowed
                starts = (acc.name, other.exp.params[at].binder.name)
                replaced |= dict.fromkeys(starts, _before(rank, whole.addend))
    it.known.update(replaced)
    places = it.scalar(value)
    return (places, found) if found and places == it.scalar(last) else None


def _before(rank: Name, addend: Cases) -> Cases:
    """Return an accumulator before it becomes ``rank``, modulo 2^64."""
    return tuple(
        Case(c.path, Number(var(rank) - c.value.p, exact=False))
        for c in addend
        if isinstance(c.value, Number)
    )


def _copied(x: Name, it: Iteration) -> Iterator[Name]:
    """Yield a name, and the names of which it is a copy."""
    yield x
    match it.scene.made_by.get(x):
        case Stm(_, Var(y)):
            yield from _copied(y, it)
        case _:
            pass


def _rows(flat: Name, it: Iteration) -> _Rows | None:
    """Return the rows of the table that is reshaped to a vector."""
    match it.scene.made_by.get(flat):
        case Stm(_, Reshape((_,), table)):
            pass
        case _:
            return None
    match it.scene.made_by.get(table):
        case Stm(pat, Kernel((d,), Map(), body)):
            it.varying |= {*bound_names(body), d.index}
            a = body.result[[b.name for b in pat].index(table)]
            shape = it.scene.types[table].shape
            if not isinstance(a, Var) or len(shape) != 2:
                return None
            return _Rows(d.index, a.name, *shape)
        case _:
            return None


def _starts(start: Atom, t: Name, it: Iteration) -> _Chunks | None:
    """Return the chunks before chunk t, whose sum is ``start``."""
    match _element(it.scalar(start), t, it):
        case at, Stm(_, Loop(params, For(i), body)) as s:
            value = _updated(body.result[at], params[at].binder.name, i, it)
            accs = [k for k, p in enumerate(params) if value == Var(p.binder.name)]
            return _over_parts(s, accs[0], it) if accs else None
        case _:
            return None


def _totals(start: Atom, it: Iteration) -> _Chunks | None:
    """Return the chunks, the sum of all of which is ``start``."""
    made = _result(start, it)
    return None if made is None else _over_parts(made[1], made[0], it)


def _over_parts(s: Stm[Ann], at: int, it: Iteration) -> _Chunks | None:
    """Return the chunks over which a loop adds; a thread has added up each one from 0."""
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
    """Return the index of a result and the statement that binds it."""
    s = it.scene.made_by.get(a.name) if isinstance(a, Var) else None
    if s is None or not isinstance(a, Var):
        return None
    return [b.name for b in s.pat].index(a.name), s


def _element(cases: Cases, i: Name, it: Iteration) -> tuple[int, Stm[Ann]] | None:
    """Return the index and statement that make the array of which a scalar is element i."""
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
