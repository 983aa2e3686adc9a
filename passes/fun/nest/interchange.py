"""Loop interchange: a loop in a kernel with a kernel in its body becomes the outer loop (N4)."""

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Binder,
    Body,
    Exp,
    For,
    Index,
    Kernel,
    Loop,
    LoopParam,
    Map,
    Slice,
    Stm,
    Var,
)
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Fresh, Name
from funmem.ir.sizes import Size, var
from funmem.ir.substitute import rename
from funmem.ir.traverse import map_exp
from funmem.passes.fun.fuse.conditions import Refusal
from funmem.passes.fun.fuse.traps import any_order, effects_of_all
from funmem.passes.fun.nest.conditions import (
    ONE_TRAP,
    PERFECT,
    cheap,
    counted,
    types_nonneg,
)
from funmem.passes.fun.nest.perfect import Stms
from funmem.passes.fun.schedule.builder import of_rows
from funmem.passes.fun.schedule.fold import row_dims


def interchange(s: Stm[Ann], outer: Kernel[Ann], known: PointFacts, fresh: Fresh) -> Stms | Refusal:
    """Return the initial values of all iterations and the loop around the kernel, or the reason why
    the kernel stays as it is.

    Conditions: the body is the loop after cheap statements that cannot trap (1), the loop is
    counted and carries arrays that it does not update (9), whose sizes are not negative (5), and
    its iterations raise one kind of trap (7).
    """
    body = outer.body
    if not body.stms or not isinstance(body.stms[-1].exp, Loop):
        return Refusal(PERFECT, "it does not end with a loop")
    *before, last = body.stms
    loop = last.exp
    assert isinstance(loop, Loop)
    place = {p.name: k for k, p in enumerate(last.pat)}
    returned = [a.name for a in body.result if isinstance(a, Var) and a.name in place]
    if len(set(returned)) != len(body.result):
        return Refusal(PERFECT, "some results are not results of the loop")
    (inside,) = known.inside(outer)
    own = frozenset(d.index for d in outer.dims) | {p.name for t in before for p in t.pat}
    carried = [p.binder for p in loop.params]
    no = (
        counted(last, own)
        or cheap(before, Kernel((), Map(), loop.body), inside)
        or types_nonneg(carried, known)
    )
    if no is not None:
        return no
    (within,) = inside.after_all(before).inside(loop)
    if not any_order(effects_of_all(loop.body.stms, within)):
        return Refusal(ONE_TRAP, "the loop may raise several kinds of trap")
    return _Interchange(s, outer, before, last, loop, fresh).statements(
        dict(zip(returned, s.pat, strict=True))
    )


class _Interchange:
    """Rewrites ``kernel i do before; loop …`` to ``kernel i do before in (a, …)`` and a loop around
    a kernel that repeats ``before``.
    """

    def __init__(
        self,
        s: Stm[Ann],
        outer: Kernel[Ann],
        before: list[Stm[Ann]],
        last: Stm[Ann],
        loop: Loop[Ann],
        fresh: Fresh,
    ) -> None:
        self.s, self.outer, self.before, self.last, self.loop = s, outer, before, last, loop
        self.fresh = fresh
        self.sizes = tuple(d.size for d in outer.dims)

    def statements(self, named: dict[Name, Binder[Ann]]) -> Stms:
        """Return the new statements; ``named`` are the outer kernel's binders of loop results."""
        start = tuple(self.wide(p.binder) for p in self.loop.params)
        params = tuple(self.wide(p.binder) for p in self.loop.params)
        nexts = tuple(self.wide(p.binder) for p in self.loop.params)
        pat = tuple(
            named.get(p.name) or self.wide(q.binder)
            for p, q in zip(self.last.pat, self.loop.params, strict=True)
        )
        reads = tuple(self.read(p.binder, a) for p, a in zip(self.loop.params, params, strict=True))
        step = Body((*self.before, *reads, *self.loop.body.stms), self.loop.body.result)
        inner = Stm(nexts, self.renamed(step), self.last.at)
        assert isinstance(self.loop.form, For)
        loop = Loop(
            tuple(LoopParam(p, Var(a.name)) for p, a in zip(params, start, strict=True)),
            self.loop.form,
            Body((inner,), tuple(Var(b.name) for b in nexts)),
        )
        return (*self.initial(start), Stm(pat, loop, self.last.at))

    def initial(self, start: tuple[Binder[Ann], ...]) -> list[Stm[Ann]]:
        """Return kernels that compute the initial values, one kernel for each shape."""
        groups: dict[tuple[Size, ...], list[tuple[Binder[Ann], Atom]]] = {}
        for b, p in zip(start, self.loop.params, strict=True):
            shape = b.type.shape if isinstance(b.type, ArrayType) else ()
            groups.setdefault(shape, []).append((b, p.init))
        return [
            Stm(
                tuple(b for b, _ in group),
                self.renamed(Body(tuple(self.before), tuple(a for _, a in group))),
                self.s.at,
            )
            for group in groups.values()
        ]

    def wide(self, b: Binder[Ann]) -> Binder[Ann]:
        """Return the binder of the array of a parameter's values in all iterations."""
        return Binder(self.fresh(b.name), of_rows(b.type, *self.sizes), None, b.at)

    def read(self, b: Binder[Ann], a: Binder[Ann]) -> Stm[Ann]:
        """Return the statement that reads the iteration's own value of a parameter."""
        index = tuple(var(d.index) for d in self.outer.dims)
        exp: Exp[Ann] = Index(a.name, index)
        if isinstance(b.type, ArrayType):
            exp = Slice(a.name, row_dims(b.type, *index))
        return Stm((b,), exp, b.at)

    def renamed(self, body: Body[Ann]) -> Exp[Ann]:
        """Return a kernel with fresh names for the statements that occur in both kernels."""
        names = {p.name: self.fresh(p.name) for t in self.before for p in t.pat}
        names |= {d.index: self.fresh(d.index) for d in self.outer.dims}
        kernel: Exp[Ann] = Kernel(self.outer.dims, Map(), body)
        return map_exp(kernel, rename(names))
