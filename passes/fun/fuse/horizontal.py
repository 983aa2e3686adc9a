"""Horizontal fusion: independent kernels over the same iterations become one (F4)."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import (
    Ann,
    Atom,
    Body,
    Collective,
    Lambda,
    Map,
    RaggedKernel,
    Reduce,
    Scan,
    Stm,
    Var,
)
from funmem.ir.logic.may_trap import collected
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size
from funmem.ir.substitute import subst_body, substitution
from funmem.ir.traverse import free_in_exp, map_collective
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import (
    AnyKernel,
    Refusal,
    arrays_in,
    elements,
    has_kernels,
    not_consumed,
)
from funmem.passes.fun.fuse.traps import bound_only, commute, effects, effects_of_all
from funmem.passes.fun.fuse.vertical import Work

APART = "(8) neither uses the other, and one of them can move to the other"
COMMON = "(9) both read a common array"
FEW = "(10) the kernel has few results"
SAME_TRAPS = "(3) the first trap stays the first"

MOST_RESULTS = 8
"""Largest number of results of a fused kernel; more would exceed the registers."""

NEIGHBOURS = 4
"""Number of earlier kernels over the same iterations that are tried."""


class Horizontal:
    """(F4) in one body."""

    def __init__(self, w: Work, aliases: Aliases) -> None:
        self.w = w
        self.aliases = aliases
        self.changed = False

    def run(self) -> Iterator[tuple[Stm[Ann], Refusal]]:
        """Fuse kernels from top to bottom; yield the refusals."""
        alike: dict[_Iterations, list[int]] = {}
        for q in range(len(self.w.stms)):
            found = self.w.kernel(q)
            if found is None or not isinstance(found[1].collective, Map | Reduce | Scan):
                continue
            earlier = alike.setdefault(_iterations(found[1]), [])
            for p in reversed(earlier[-NEIGHBOURS:]):
                at = self.fuse(p, q)
                if not isinstance(at, Refusal):
                    if at == q:
                        earlier.remove(p)
                        earlier.append(q)
                    break
                s = self.w.stms[p]
                if s is not None and at.condition != COMMON:
                    yield s, at
            else:
                earlier.append(q)

    def fuse(self, p: int, q: int) -> int | Refusal:
        """Fuse two statements; return the position of the result, or why they are not fused."""
        w = self.w
        first, second = w.kernel(p), w.kernel(q)
        assert first is not None
        assert second is not None
        (s, a), (t, b) = first, second
        known = w.places.at(p)
        offsets = {a.offsets} if isinstance(a, RaggedKernel) else set[Name]()
        if not arrays_in((free_in_exp(a) & free_in_exp(b)) - offsets, known):
            return Refusal(COMMON, "fusing them would save no reads")
        if len(s.pat) + len(t.pat) > MOST_RESULTS:
            return Refusal(FEW, f"the fused kernel would have {len(s.pat) + len(t.pat)} results")
        if has_kernels(a.body) or has_kernels(b.body):
            return Refusal(COMMON, "one of them contains kernels")
        between = w.between(p, q)
        at = self.place(p, q, s, t, between)
        if isinstance(at, Refusal):
            return at
        w.replace(p, q, together(s, a, t, b), at)
        self.changed = True
        return at

    def place(
        self, p: int, q: int, s: Stm[Ann], t: Stm[Ann], between: Sequence[Stm[Ann]]
    ) -> int | Refusal:
        """Return the position for both: the second's if the first is not used before it, or the
        first's if the second uses nothing from between.
        """
        w = self.w
        made = frozenset(b.name for b in s.pat)
        if made & w.free[q]:
            return Refusal(APART, "the second reads a result of the first")
        known = w.places.at(p)
        later = bound_only(s, known)
        own = w.traps_of(p, s).all
        bound = frozenset(b.name for u in between for b in u.pat)
        if not any(k < q for x in made for k in w.users.get(x, ())):
            at, other = q, w.traps_of(q, t).all
            if TrapKind.NEGATIVE_SIZE in own:  # then the first no longer shows a size nonnegative
                other = effects(t, later.after_all(between))
        elif w.free[q].isdisjoint(bound):  # the second moves before the facts from between
            at, other = p, effects(t, known)
        else:
            return Refusal(APART, "a statement between uses the first, and the second uses it")
        if not commute(own, other):
            return Refusal(SAME_TRAPS, "the two may raise different traps")
        if not commute(own if at == q else other, effects_of_all(between, later)):
            return Refusal(SAME_TRAPS, "a kernel and a statement between may raise different traps")
        if at == p:  # arrays consumed between are consumed after the second has read them
            return at
        return not_consumed(free_in_exp(s.exp), between, self.aliases) or at


_Iterations: TypeAlias = "tuple[type, tuple[Size, ...], Name | None]"
"""What kernels have in common that may become one."""


def _iterations(e: AnyKernel) -> _Iterations:
    """Return the kind of the collective, the sizes, and the offsets of rows."""
    offsets = e.offsets if isinstance(e, RaggedKernel) else None
    return type(e.collective), tuple(d.size for d in elements(e)), offsets


def together(s: Stm[Ann], a: AnyKernel, t: Stm[Ann], b: AnyKernel) -> Stm[Ann]:
    """Return both kernels as one over the indices of the first."""
    image: dict[Name, Atom] = {
        d.index: Var(own.index) for d, own in zip(elements(b), elements(a), strict=True)
    }
    if isinstance(a, RaggedKernel) and isinstance(b, RaggedKernel):
        image[b.row.index] = Var(a.row.index)
    second = subst_body(b.body, image)
    collective = both(a.collective, map_collective(b.collective, substitution(image)))
    i, j = collected(a.collective), collected(b.collective)
    first = a.body
    result = (*first.result[:i], *second.result[:j], *first.result[i:], *second.result[j:])
    pat = (*s.pat[:i], *t.pat[:j], *s.pat[i:], *t.pat[j:])
    body = Body((*first.stms, *second.stms), result, first.at)
    return evolve(s, pat=pat, exp=evolve(a, collective=collective, body=body))


def both(a: Collective[Ann], b: Collective[Ann]) -> Map | Reduce[Ann] | Scan[Ann]:
    """Return one collective with the product of two operators."""
    match a, b:
        case Reduce(), Reduce():
            return Reduce(product(a.op, b.op), (*a.ne, *b.ne), a.comm and b.comm)
        case Scan(), Scan():
            return Scan(product(a.op, b.op), (*a.ne, *b.ne))
        case _:
            return Map()


def product(f: Lambda[Ann], g: Lambda[Ann]) -> Lambda[Ann]:
    """Return the operator ``(a, b) (c, d) -> (f a c, g b d)``."""
    i, j = len(f.params) // 2, len(g.params) // 2
    params = (*f.params[:i], *g.params[:j], *f.params[i:], *g.params[j:])
    stms = (*f.body.stms, *g.body.stms)
    return Lambda(params, Body(stms, (*f.body.result, *g.body.result), f.body.at))
