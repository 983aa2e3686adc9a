"""A scan and the map that reads it in one pass over the elements: rule (S2), second part.

    ys = kernel i < n scan (op) (ne) do v(i)
    zs = kernel j < n do w(j, ys[j])
    ->  …, and the second pass over each chunk:
        loop (acc = start) for the chunk's i do acc' = op(acc, v(i));  zs[i] = w(i, acc')

*Condition*: the map follows the scan directly; its iteration j reads element j of the scan and no
other, computes scalars, and cannot trap.  ``ys`` is stored only if something else reads it.
"""

from collections.abc import Sequence

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Binder,
    Body,
    For,
    Index,
    Kernel,
    Lambda,
    Loop,
    LoopParam,
    Map,
    Reduce,
    Scan,
    Stm,
    Type,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import ZERO, var
from funmem.ir.substitute import freshen_body, rename, subst_body
from funmem.ir.traverse import bound_names, map_body, map_lambda
from funmem.passes.fun.fuse.scans import reads_scan
from funmem.passes.fun.schedule.builder import Builder
from funmem.passes.fun.schedule.fold import (
    I64,
    Carried,
    Stretch,
    apply,
    operands,
    write_row,
    written,
)
from funmem.passes.fun.schedule.strips import is_plain
from funmem.passes.fun.schedule.views import with_views


@frozen
class Follower:
    """The map that follows a scan.

    ``stored``: which results of the scan are stored; ``body``: the map's, over the scan's index, in
    which ``values`` stand for the scan's elements.
    """

    pat: tuple[Binder[Ann], ...]
    stored: tuple[int, ...]
    body: Body[Ann]
    values: tuple[Name, ...]

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of the map's results in one iteration."""
        arrays = (p.type for p in self.pat)
        return tuple(t.elem for t in arrays if isinstance(t, ArrayType))


def follower(b: Builder, s: Stm[Ann], t: Stm[Ann], used: frozenset[Name]) -> Follower | None:
    """Return how ``t`` follows scan ``s``, if it meets the condition; ``used`` are the names that
    later statements use.
    """
    e, scan = t.exp, s.exp
    assert isinstance(scan, Kernel)
    if not (isinstance(e, Kernel) and isinstance(e.collective, Map) and len(e.dims) == 1):
        return None
    assert isinstance(scan.collective, Scan)
    results = (p.type for p in t.pat)
    if not (
        all(isinstance(x, ArrayType) and x.rank == 1 for x in results)
        and all(isinstance(x, ScalarType) for x in operands(scan.collective.op))
        and len(s.pat) == len(scan.collective.ne)
        and reads_scan(s, e)
        and all(is_plain(x, e.dims[0], b) for x in e.body.stms)
    ):
        return None
    values = tuple(b.fresh(p.name) for p in s.pat)
    image = {p.name: x for p, x in zip(s.pat, values, strict=True)}
    stms = tuple(_from(x, image) for x in e.body.stms)
    body = subst_body(evolve(e.body, stms=stms), {e.dims[0].index: Var(scan.dims[0].index)})
    stored = tuple(k for k, p in enumerate(s.pat) if p.name in used)
    return Follower(t.pat, stored, body, values)


def _from(s: Stm[Ann], image: dict[Name, Name]) -> Stm[Ann]:
    """Return a statement that takes a value in place of an element of the scan."""
    e = s.exp
    return evolve(s, exp=Var(image[e.x])) if isinstance(e, Index) and e.x in image else s


def fold_through(
    b: Builder, kernel: Kernel[Ann], s: Stretch, start: Sequence[Atom], f: Follower
) -> tuple[Name, ...]:
    """Add a loop that scans a range from ``start`` on, and runs the map on it; return the stored
    arrays of the scan, and those of the map.
    """
    assert isinstance(kernel.collective, Scan)
    op = kernel.collective.op
    types = operands(op)
    kept = [*(types[k] for k in f.stored), *f.types]
    carried = [written(b, "scanned", t, s.width) for t in kept]
    carried += [Carried("acc", t, a, False) for t, a in zip(types, start, strict=True)]
    params = tuple(
        LoopParam(Binder[Ann](b.fresh(c.base), c.type, None), c.init, c.unique) for c in carried
    )
    names = tuple(p.binder.name for p in params)
    inner = b.inner()
    counter = b.fresh(s.index)
    first, second = kernel.body, f.body
    if s.lo != ZERO:
        total = kernel.dims[-1].size
        both = Body((*first.stms, *second.stms), ())
        seen = with_views(b, both, s.index, s.lo, s.count, total, counter).stms
        first = evolve(first, stms=seen[: len(first.stms)])
        second = evolve(second, stms=seen[len(first.stms) :])
    index = counter
    if s.lo != ZERO:
        index = inner.let(s.index, I64, size_exp(s.lo + var(counter)))
    copy = subst_body(freshen_body(first, b.fresh), {s.index: Var(index)})
    inner.stms += copy.stms
    accs = apply(inner, op, (*(Var(x) for x in names[len(kept) :]), *copy.result[: len(types)]))
    image: dict[Name, Atom] = dict(zip(f.values, accs, strict=True))
    after = subst_body(freshen_body(second, b.fresh), {**image, s.index: Var(index)})
    inner.stms += after.stms
    rows = tuple(
        Var(write_row(inner, x, s.width, t, var(counter), a))
        for x, t, a in zip(names, kept, (*(accs[k] for k in f.stored), *after.result), strict=False)
    )
    pat = tuple(Binder[Ann](b.fresh(c.base), c.type, None) for c in carried)
    b.stms.append(Stm(pat, Loop(params, For(counter, s.count), inner.body(*rows, *accs)), b.at))
    return tuple(p.name for p in pat[: len(kept)])


def scan_of_same(s: Stm[Ann], later: Sequence[Stm[Ann]]) -> Name | None:
    """Return the first result of a later scan that folds what reduction ``s`` folds, by the same
    operator; None if there is none.
    """
    e = s.exp
    if not (isinstance(e, Kernel) and isinstance(e.collective, Reduce) and len(e.dims) == 1):
        return None
    reduce = e.collective
    if len(reduce.ne) != len(s.pat):
        return None
    own = _canonical(e, reduce.op)
    for t in later:
        k = t.exp
        if (
            isinstance(k, Kernel)
            and isinstance(k.collective, Scan)
            and len(k.dims) == 1
            and (k.collective.ne, k.dims[0].size) == (reduce.ne, e.dims[0].size)
            and len(t.pat) == len(reduce.ne)
            and _canonical(k, k.collective.op) == own
        ):
            return t.pat[0].name
    return None


def _canonical(e: Kernel[Ann], op: Lambda[Ann]) -> tuple[Lambda[Ann], Body[Ann]]:
    """Return the operator and the body with all bound names numbered."""
    bound = (
        *(d.index for d in e.dims),
        *(p.name for p in op.params),
        *bound_names(op.body),
        *bound_names(e.body),
    )
    numbered = rename({x: Name(f"{k}") for k, x in enumerate(bound)})
    return map_lambda(op, numbered), map_body(e.body, numbered)
