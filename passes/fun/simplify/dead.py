"""Dead-code elimination, from bottom to top.

    statements             without uses; an ``alloc`` of a block that no home names
    results                of branches, loops and kernels, without uses
    loop parameters        that are used only for their own next value
    iota, replicate        of sizes that may be negative: ``replicate [0][n] x`` traps alike

Condition (1) for removing a statement: it cannot trap, and it terminates.  The prover knows only
index ranges and signs of sizes, so some dead statements stay; each is a remark.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Binder,
    Body,
    Const,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Hist,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    Loop,
    Opaque,
    RaggedKernel,
    Replicate,
    Scalar,
    Stm,
    Var,
    While,
)
from funmem.ir.logic.body_facts import BodyFacts
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.logic.may_trap import collected, why_rows_trap, why_statement_traps
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.sizes import ZERO
from funmem.ir.traverse import (
    binder_uses,
    free_in_body,
    free_in_stm,
    kept,
    operators,
    sub_bodies,
    with_bodies,
    with_parts,
    with_stms,
)
from funmem.passes.fun.simplify.refusals import CANNOT_TRAP, Refusals


def without_dead_code(e: Entry[Ann], refusals: Refusals) -> Entry[Ann]:
    """Return an entry point without dead code."""
    known = BodyFacts(e.body.stms, lambda: of_entry(e))
    return evolve(e, body=_Dead(refusals).body(e.body, known))


def cannot_trap(s: Stm[Ann], known: PointFacts) -> str | None:
    """(1) The statement cannot trap, and it terminates."""
    return why_statement_traps(s, known)


def rows_cannot_trap(s: Stm[Ann], x: Name, known: PointFacts) -> str | None:
    """(1) for one result of a kernel: if the kernel is empty, its rows have no negative size."""
    return why_rows_trap(s, known, (x,))


def _without_elements(s: Stm[Ann]) -> Stm[Ann]:
    """Return a dead statement that traps as a dead array of some size does, and has no elements.

    With a home in memory it stays as it is.  (A ``scratch`` would count as uninitialised.)
    """
    match s:
        case Stm((Binder(_, ArrayType(_, shape), None) as b,), Iota() | Replicate()) if (
            ZERO not in shape
        ):
            none = (ZERO, *shape)
            exp = Replicate(none, Const(False, BOOL))
            return evolve(s, pat=(evolve(b, type=ArrayType(BOOL, none)),), exp=exp)
        case _:
            return s


@frozen
class _Place:
    """The position of a statement, and the facts before it."""

    around: BodyFacts
    position: int

    @property
    def known(self) -> PointFacts:
        return self.around.at(self.position)

    def inside(self, e: Exp[Ann]) -> tuple[BodyFacts, ...]:
        """Return the facts in the bodies of :func:`sub_bodies`."""
        return tuple(self.around.inner(self.position, e, k) for k in range(len(sub_bodies(e))))


class _Dead:
    """The traversal; every dead statement that stays is a refusal."""

    def __init__(self, refusals: Refusals) -> None:
        self.refusals = refusals
        self._done: dict[tuple[int, tuple[int, ...]], tuple[Body[Ann], Refusals]] = {}
        """Memo table: bodies of loops without the dead code for some of their results, because
        enclosing loops process them several times.  The keys are identities of bodies.
        """

    def body(self, b: Body[Ann], known: BodyFacts) -> Body[Ann]:
        """Return a body without dead code; all its results are used."""
        needed = {a.name for a in b.result if isinstance(a, Var)}
        stms: list[Stm[Ann]] = []
        for k in reversed(range(len(b.stms))):
            s = b.stms[k]
            if needed.isdisjoint([p.name for p in s.pat]):
                why = cannot_trap(s, known.at(k))
                if why is None:
                    continue
                if s.pat:
                    self.refusals.note(s, CANNOT_TRAP, why)
                    s = _without_elements(s)
            s = self.trimmed(s, frozenset(needed), _Place(known, k))
            needed |= free_in_stm(s)
            stms.append(s)
        return with_stms(b, reversed(stms))

    def trimmed(self, s: Stm[Ann], needed: frozenset[Name], at: _Place) -> Stm[Ann]:
        """Return a statement that stays, without its unused results."""
        match s.exp:
            case If() as e:
                return self.conditional(s, e, needed, at)
            case Loop() as e:
                return self.loop(s, e, needed, at)
            case Kernel() | RaggedKernel() as e:
                return self.kernel(s, e, needed, at)
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
                return s
            case Assert() | Alloc() | Opaque():
                return s

    def conditional(self, s: Stm[Ann], e: If[Ann], needed: frozenset[Name], at: _Place) -> Stm[Ann]:
        """Return a conditional whose branches return only used results."""
        keep = _live(s.pat, needed) or _one(s.pat)
        arms = zip((e.then, e.orelse), at.inside(e), strict=True)
        then, orelse = (self.body(_returning(b, keep), known) for b, known in arms)
        return with_parts(s, _at(s.pat, keep), with_bodies(e, (then, orelse)))

    def loop(self, s: Stm[Ann], e: Loop[Ann], needed: frozenset[Name], at: _Place) -> Stm[Ann]:
        """Return a loop without unused parameters.  A parameter is used if its final value is, or
        if the body uses it for another parameter.
        """
        (known,) = at.inside(e)
        binders = tuple(p.binder for p in e.params)
        used = frozenset((e.form.cond,)) if isinstance(e.form, While) else frozenset[Name]()
        keep: list[int] = []
        body, refusals = e.body, Refusals()
        while True:
            both = {*_live(s.pat, needed), *_live(binders, used)}
            now = sorted({*_closed(s.pat, both), *_closed(binders, both)}) or _one(s.pat)
            if now == keep:
                break
            keep = now
            body, refusals = self.iteration(e.body, keep, known)
            used = used | free_in_body(body)
        self.refusals.include(refusals)
        params = kept(e.params, _at(e.params, keep))
        same = body is e.body and params is e.params
        return with_parts(s, _at(s.pat, keep), e if same else Loop(params, e.form, body))

    def iteration(
        self, b: Body[Ann], keep: Sequence[int], known: BodyFacts
    ) -> tuple[Body[Ann], Refusals]:
        """Return the body of a loop for some of its results, and the refusals in it."""
        key = id(b), tuple(keep)
        if key not in self._done:
            inside = _Dead(Refusals())
            inside._done = self._done
            self._done[key] = inside.body(_returning(b, keep), known), inside.refusals
        return self._done[key]

    def kernel(
        self,
        s: Stm[Ann],
        e: Kernel[Ann] | RaggedKernel[Ann],
        needed: frozenset[Name],
        at: _Place,
    ) -> Stm[Ann]:
        """Return a kernel without unused mapped results; those of its collective stay."""
        *in_op, inside = at.inside(e)
        first = collected(e.collective)
        keep = [
            j
            for j, p in enumerate(s.pat)
            if j < first or p.name in needed or rows_cannot_trap(s, p.name, at.known) is not None
        ] or _one(s.pat)
        buckets = 1 if isinstance(e.collective, Hist) else 0
        results = [*range(buckets), *(j + buckets for j in keep)]
        body = self.body(_returning(e.body, results), inside)
        ops = (self.body(op.body, known) for op, known in zip(operators(e), in_op, strict=True))
        return with_parts(s, _at(s.pat, keep), with_bodies(e, (*ops, body)))


# ---------------------------------------------------------------------- positions


def _live(pat: Sequence[Binder[Ann]], needed: Iterable[Name]) -> list[int]:
    """Return the positions whose names are used, or that the types and homes of these mention."""
    wanted = frozenset(needed)
    return _closed(pat, {j for j, p in enumerate(pat) if p.name in wanted})


def _closed(pat: Sequence[Binder[Ann]], positions: Iterable[int]) -> list[int]:
    """Return the positions, and those that their types and homes mention."""
    found: set[int] = set()
    todo = set(positions)
    while todo:
        found |= todo
        mentioned = frozenset[Name]().union(*(binder_uses(pat[j]) for j in todo))
        todo = {j for j, p in enumerate(pat) if p.name in mentioned} - found
    return sorted(found)


def _one(pat: Sequence[Binder[Ann]]) -> list[int]:
    """Return the cheapest position for a statement without used results: a scalar if possible."""
    scalars = [j for j, p in enumerate(pat) if isinstance(p.type, ScalarType)]
    return scalars[:1] or _closed(pat, range(len(pat))[:1])


T = TypeVar("T")


def _at(xs: Sequence[T], keep: Sequence[int]) -> tuple[T, ...]:
    return tuple(xs[j] for j in keep)


def _returning(b: Body[Ann], keep: Sequence[int]) -> Body[Ann]:
    result = kept(b.result, _at(b.result, keep))
    return b if result is b.result else evolve(b, result=result)
