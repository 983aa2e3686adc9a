"""Kernels side by side over the same iterations become one: (F4)."""

from collections.abc import Iterator, Sequence

from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import (
    Ann,
    Atom,
    Body,
    Collective,
    Kernel,
    Lambda,
    Map,
    Reduce,
    Scan,
    Stm,
    Var,
)
from funmem.ir.logic.may_trap import collected
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size
from funmem.ir.traverse import free_in_exp, map_collective, subst_body, substitution
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import (
    Refusal,
    arrays_in,
    has_kernels,
    not_consumed,
)
from funmem.passes.fun.fuse.traps import bound_only, commute, effects, effects_of_all
from funmem.passes.fun.fuse.vertical import Work

APART = "(8) neither needs the other, and one of them can move to the other"
COMMON = "(9) both read one array"
FEW = "(10) the kernel has few results"
SAME_TRAPS = "(3) the first trap stays the first"

MOST_RESULTS = 8
"""A kernel with more results would run out of registers."""

NEIGHBOURS = 4
"""How many earlier kernels over the same iterations are tried."""


class Horizontal:
    """(F4) in one body."""

    def __init__(self, w: Work, aliases: Aliases) -> None:
        self.w = w
        self.aliases = aliases

    def run(self) -> Iterator[tuple[Stm[Ann], Refusal]]:
        """Fuse what can be fused, from top to bottom; answers the refusals."""
        alike: dict[tuple[type, tuple[Size, ...]], list[int]] = {}
        for q in range(len(self.w.stms)):
            found = self.w.kernel(q)
            if found is None or not isinstance(found[1].collective, Map | Reduce | Scan):
                continue
            key = (type(found[1].collective), tuple(d.size for d in found[1].dims))
            earlier = alike.setdefault(key, [])
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
        """Fuse two statements; answers where they are now, or why not."""
        w = self.w
        first, second = w.kernel(p), w.kernel(q)
        assert first is not None
        assert second is not None
        (s, a), (t, b) = first, second
        known = w.places.before(p)
        if not arrays_in(free_in_exp(a) & free_in_exp(b), known):
            return Refusal(COMMON, "fusing them would save no reading")
        if len(s.pat) + len(t.pat) > MOST_RESULTS:
            return Refusal(FEW, f"it would have {len(s.pat) + len(t.pat)}")
        if has_kernels(a.body) or has_kernels(b.body):
            return Refusal(COMMON, "each is a nest of its own")
        between = w.between(p, q)
        at = self.place(p, q, s, t, between)
        if isinstance(at, Refusal):
            return at
        w.replace(p, q, together(s, a, t, b), at)
        return at

    def place(
        self, p: int, q: int, s: Stm[Ann], t: Stm[Ann], between: Sequence[Stm[Ann]]
    ) -> int | Refusal:
        """Where both can stand: the second's place if nobody needs the first before, or the
        first's if the second needs nothing from between.
        """
        w = self.w
        made = frozenset(b.name for b in s.pat)
        if made & w.free[q]:
            return Refusal(APART, "the second reads what the first makes")
        known = w.places.before(p)
        later = bound_only(s, known)
        own = w.traps_of(p, s).all
        bound = frozenset(b.name for u in between for b in u.pat)
        if not any(k < q for x in made for k in w.users.get(x, ())):
            at, other = q, w.traps_of(q, t).all
            if TrapKind.NEGATIVE_SIZE in own:  # then nothing follows from its not trapping
                other = effects(t, later.after_all(between))
        elif w.free[q].isdisjoint(bound):  # nor does the second know what is shown between
            at, other = p, effects(t, known)
        else:
            return Refusal(APART, "a statement between needs the first and the second needs it")
        if not commute(own, other):
            return Refusal(SAME_TRAPS, "the two may trap differently")
        if not commute(own if at == q else other, effects_of_all(between, later)):
            return Refusal(SAME_TRAPS, "a kernel and a statement between may trap differently")
        if at == p:  # what is consumed between would be consumed after the second has read it
            return at
        return not_consumed(free_in_exp(s.exp), between, self.aliases) or at


def together(s: Stm[Ann], a: Kernel[Ann], t: Stm[Ann], b: Kernel[Ann]) -> Stm[Ann]:
    """Both kernels as one over the first one's indices."""
    image: dict[Name, Atom] = {
        d.index: Var(own.index) for d, own in zip(b.dims, a.dims, strict=True)
    }
    second = subst_body(b.body, image)
    collective = both(a.collective, map_collective(b.collective, substitution(image)))
    i, j = collected(a.collective), collected(b.collective)
    first = a.body
    result = (*first.result[:i], *second.result[:j], *first.result[i:], *second.result[j:])
    pat = (*s.pat[:i], *t.pat[:j], *s.pat[i:], *t.pat[j:])
    body = Body((*first.stms, *second.stms), result, first.at)
    return evolve(s, pat=pat, exp=Kernel(a.dims, collective, body))


def both(a: Collective[Ann], b: Collective[Ann]) -> Collective[Ann]:
    """One collective with the product of two operators."""
    match a, b:
        case Reduce(), Reduce():
            return Reduce(product(a.op, b.op), (*a.ne, *b.ne), a.comm and b.comm)
        case Scan(), Scan():
            return Scan(product(a.op, b.op), (*a.ne, *b.ne))
        case _:
            return Map()


def product(f: Lambda[Ann], g: Lambda[Ann]) -> Lambda[Ann]:
    """``(a, b) (c, d) -> (f a c, g b d)``."""
    i, j = len(f.params) // 2, len(g.params) // 2
    params = (*f.params[:i], *g.params[:j], *f.params[i:], *g.params[j:])
    stms = (*f.body.stms, *g.body.stms)
    return Lambda(params, Body(stms, (*f.body.result, *g.body.result), f.body.at))
