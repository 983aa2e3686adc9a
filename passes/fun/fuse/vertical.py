"""Vertical fusion: a producer becomes part of its consumer (F3)."""

from collections.abc import Iterator

from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Binder,
    Body,
    Compound,
    DerivedArray,
    FreshArray,
    Index,
    InPlace,
    Kernel,
    KernelDim,
    Map,
    RaggedKernel,
    Scalar,
    Slice,
    Stm,
    Type,
    Var,
)
from funmem.ir.logic.body_facts import At, BodyFacts
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.substitute import freshen_body, subst_body, substitution
from funmem.ir.traverse import free_in_stm, map_collective, sub_bodies, with_bodies
from funmem.passes.fun.fuse.again import cheap_again
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import (
    OTHER_USES,
    AnyKernel,
    Equal,
    Matching,
    Refusal,
    Traps,
    elements,
    makes_it_too,
    not_consumed,
    only_read,
    parallel,
    rows_noticed,
    same_iterations,
    same_traps,
    traps_of,
)


class Work:
    """The statements of one body during fusion, and the uses of each name."""

    def __init__(self, b: Body[Ann], start: At) -> None:
        self.stms: list[Stm[Ann] | None] = list(b.stms)
        self.places = BodyFacts(self.stms, start)
        self.free = [free_in_stm(s) for s in b.stms]
        self.users: dict[Name, set[int]] = {}
        for q, names in enumerate(self.free):
            for x in names:
                self.users.setdefault(x, set()).add(q)
        for a in b.result:
            if isinstance(a, Var):
                self.users.setdefault(a.name, set()).add(len(b.stms))
        self.traps: dict[int, Traps] = {}
        """The traps that kernels may raise, by position, computed on demand."""
        self.maker: dict[Name, int] = {}
        self.origin: dict[Name, int] = {}
        """The position of the kernel that contained the statement of a name at first."""
        for q, s in enumerate(b.stms):
            if isinstance(s.exp, Kernel | RaggedKernel):
                self.maker.update((p.name, q) for p in s.pat)
                self.origin.update((x.name, q) for t in s.exp.body.stms for x in t.pat)

    def kernel(self, q: int) -> tuple[Stm[Ann], AnyKernel] | None:
        """Return statement ``q`` if it is still present and a kernel; None otherwise."""
        s = self.stms[q]
        return (s, s.exp) if s is not None and isinstance(s.exp, Kernel | RaggedKernel) else None

    def traps_of(self, q: int, s: Stm[Ann]) -> Traps:
        """Return the traps that kernel ``q`` may raise; a fused kernel raises
        those of its parts.
        """
        if q not in self.traps:
            self.traps[q] = traps_of(s, self.places.at(q))
        return self.traps[q]

    def between(self, p: int, q: int) -> list[Stm[Ann]]:
        """Return the statements after ``p`` and before ``q``."""
        return [s for s in self.stms[p + 1 : q] if s is not None]

    def replace(self, p: int, q: int, s: Stm[Ann], at: int) -> None:
        """Replace statements ``p`` and ``q`` by one at ``at``, which is one of the two.

        It may raise the traps of its parts.  If the first may trap on a negative size, or checks
        offsets, the facts after it change, and the traps of later kernels are computed again.
        """
        first, second = self.stms[p], self.stms[q]
        assert first is not None
        assert second is not None
        free = (self.free[p] | self.free[q]) - {b.name for b in first.pat}
        own = self.traps_of(p, first)
        other = self.traps_of(q, second) if at == q else traps_of(second, self.places.at(p))
        if TrapKind.NEGATIVE_SIZE in own.all or isinstance(first.exp, RaggedKernel):
            self.traps = {k: traps for k, traps in self.traps.items() if k < p}
        for k in (p, q):
            for x in self.free[k]:
                self.users[x].discard(k)
            self.free[k] = frozenset()
            self.stms[k] = None
        self.stms[at] = self.in_order(-1, s)  # new statements compute indices
        self.free[at], self.traps[at] = free, own | other
        for x in free:
            self.users.setdefault(x, set()).add(at)
        self.maker.update((b.name, at) for b in s.pat)
        self.places.forget(min(p, q))

    def replace_reader(self, p: int, q: int, s: Stm[Ann]) -> None:
        """Replace statement ``q`` by one that computes the elements of producer ``p`` itself,
        which cannot trap.
        """
        first = self.stms[p]
        assert first is not None
        made = frozenset(b.name for b in first.pat)
        for x in made & self.free[q]:
            self.users[x].discard(q)
        self.stms[q] = self.in_order(p, s)
        self.free[q] = (self.free[q] - made) | self.free[p]
        for x in self.free[p]:
            self.users.setdefault(x, set()).add(q)
        self.places.forget(q)

    def in_order(self, p: int, s: Stm[Ann]) -> Stm[Ann]:
        """Return a fused kernel with the statements of its body in the order of the program.

        New statements come from position ``p``.  C compilers begin long operations (square roots,
        divisions) in the order of the text: in the order of fusion, Black-Scholes on whole arrays
        took 1.1 times as long as the same formulas on numbers.
        """
        assert isinstance(s.exp, Kernel | RaggedKernel)
        stms = s.exp.body.stms
        if not all(t.pat for t in stms):  # an assertion has no name
            return s
        for t in stms:
            self.origin.setdefault(t.pat[0].name, p)
        ordered = sorted(stms, key=lambda t: self.origin[t.pat[0].name])
        return evolve(s, exp=evolve(s.exp, body=evolve(s.exp.body, stms=tuple(ordered))))

    def result(self, b: Body[Ann]) -> Body[Ann]:
        """Return the body with the remaining statements."""
        return evolve(b, stms=tuple(s for s in self.stms if s is not None))


class Vertical:
    """(F3) in one body."""

    def __init__(self, w: Work, fresh: Fresh, aliases: Aliases, *, inside: bool) -> None:
        self.w = w
        self.fresh = fresh
        self.aliases = aliases
        self.inside = inside

    def run(self) -> Iterator[tuple[Stm[Ann], Refusal]]:
        """Fuse kernels, consumers from top to bottom; yield the refusals."""
        for q in range(len(self.w.stms)):
            refused: dict[int, Refusal] = {}
            while (p := self.next_producer(q, refused)) is not None:
                refusal = self.fuse(p, q)
                if refusal is not None:
                    refused[p] = refusal
                else:
                    refused = {}
            for p, refusal in refused.items():
                s = self.w.stms[p]
                assert s is not None
                yield s, refusal

    def next_producer(self, q: int, refused: dict[int, Refusal]) -> int | None:
        """Return the nearest map before ``q`` that it reads and that was not refused yet."""
        if self.w.kernel(q) is None:
            return None
        found = {self.w.maker[x] for x in self.w.free[q] if x in self.w.maker} - refused.keys()
        maps = [p for p in found if (k := self.w.kernel(p)) and isinstance(k[1].collective, Map)]
        return max((p for p in maps if p < q), default=None)

    def fuse(self, p: int, q: int) -> Refusal | None:
        """Fuse two statements; return the reason if they are not fused."""
        w = self.w
        first, second = w.kernel(p), w.kernel(q)
        assert first is not None
        assert second is not None
        (s, producer), (t, consumer) = first, second
        made = frozenset(b.name for b in s.pat)
        reads = only_read(consumer, made & w.free[q], len(elements(consumer)))
        if isinstance(reads, Refusal):
            return reads
        m = same_iterations(producer, consumer, reads, self.equal_before(q))
        if isinstance(m, Refusal):
            return m
        kept = [k for k, b in enumerate(s.pat) if w.users.get(b.name, set()) - {q}]
        if kept:
            own = isinstance(producer, Kernel) and isinstance(consumer, Kernel)
            if own and self.all_compute_it(p):
                assert isinstance(producer, Kernel)
                assert isinstance(consumer, Kernel)
                w.replace_reader(p, q, self.again(s, producer, t, consumer, m))
                return None
            if any(min(w.users[s.pat[k].name]) < q for k in kept):
                return Refusal(OTHER_USES, "the array is used before the consumer")
            if (no := makes_it_too(consumer, producer, m)) is not None:
                return no
        known = w.places.at(p)
        gone = [b.name for k, b in enumerate(s.pat) if k not in kept]
        between = w.between(p, q)
        no = (
            parallel(producer, consumer, inside=self.inside)
            or rows_noticed(s, gone, t, known)
            or same_traps(s, w.traps_of(p, s), between, t, m, known)
            or not_consumed(w.free[p], [*between, t], self.aliases)
        )
        if no is not None:
            return no
        w.replace(p, q, self.fused(s, producer, t, consumer, m, kept), q)
        return None

    def all_compute_it(self, p: int) -> bool:
        """True if a producer is cheap, and all its readers can compute its elements themselves, so
        that its arrays vanish.
        """
        w = self.w
        first = w.kernel(p)
        assert first is not None
        s, producer = first
        if not isinstance(producer, Kernel):
            return False
        made = frozenset(b.name for b in s.pat)
        readers = sorted({q for x in made for q in w.users.get(x, ())})
        if cheap_again(s, w.traps_of(p, s), w.places.at(p)) is not None:
            return False
        for q in readers:
            t = w.kernel(q) if q < len(w.stms) else None
            if t is None or not isinstance(t[1], Kernel) or len(t[1].dims) != len(producer.dims):
                return False
            reads = only_read(t[1], made & w.free[q], len(producer.dims))
            if isinstance(reads, Refusal):
                return False
            m = same_iterations(producer, t[1], reads, self.equal_before(q))
            if isinstance(m, Refusal) or any(m.backwards):
                return False
        end = w.stms[readers[-1]]
        assert end is not None
        later = [*w.between(p, readers[-1]), end]
        return not_consumed(w.free[p], later, self.aliases) is None

    def again(
        self,
        s: Stm[Ann],
        producer: Kernel[Ann],
        t: Stm[Ann],
        consumer: Kernel[Ann],
        m: Matching,
    ) -> Stm[Ann]:
        """Return the consumer, which computes the producer's elements itself."""
        first = freshen_body(_at_own_indices(producer, consumer, m), self.fresh)
        results = {b.name: a for b, a in zip(s.pat, first.result, strict=True)}
        image: dict[Name, Atom] = {}
        second = _reading(consumer.body, results, len(consumer.dims), image)
        if image:
            second = subst_body(second, image)
        body = evolve(second, stms=(*first.stms, *second.stms))
        return evolve(t, exp=evolve(consumer, body=body))

    def equal_before(self, q: int) -> Equal:
        """Return a function that decides whether two sizes are equal before statement ``q``."""

        def equal(a: Size, b: Size) -> bool:
            if a == b:
                return True
            known = self.w.places.at(q)
            return known.nonneg(a - b) and known.nonneg(b - a)

        return equal

    def fused(
        self,
        s: Stm[Ann],
        producer: AnyKernel,
        t: Stm[Ann],
        consumer: AnyKernel,
        m: Matching,
        kept: list[int],
    ) -> Stm[Ann]:
        """Return the consumer with the producer's body before its own."""
        depth = len(elements(consumer))
        if isinstance(producer, Kernel) and len(producer.dims) > depth:
            producer = self.split(s, producer, depth)
        if isinstance(producer, RaggedKernel):
            first, consumer = _over_rows(producer, consumer)
        elif m.identity and isinstance(consumer, Kernel):  # rename the indices of the consumer
            first, consumer = producer.body, _at_indices(consumer, producer.dims)
        else:
            first = _at_own_indices(producer, consumer, m)
        results = {b.name: a for b, a in zip(s.pat, first.result, strict=True)}
        image: dict[Name, Atom] = {}
        second = _reading(consumer.body, results, depth, image)
        if image:
            second = subst_body(second, image)
        more = tuple(first.result[k] for k in kept)
        body = Body((*first.stms, *second.stms), (*second.result, *more), second.at)
        pat = (*t.pat, *(s.pat[k] for k in kept))
        return Stm(pat, evolve(consumer, body=body), t.at)

    def split(self, s: Stm[Ann], producer: Kernel[Ann], depth: int) -> Kernel[Ann]:
        """Return ``kernel i, j do b`` as ``kernel i do kernel j do b``."""
        rows = tuple(
            Binder[Ann](self.fresh(b.name), _row_type(b.type, depth), None, b.at) for b in s.pat
        )
        inner = Stm(rows, Kernel(producer.dims[depth:], Map(), producer.body), s.at)
        body = Body((inner,), tuple(Var(b.name) for b in rows), producer.body.at)
        return Kernel(producer.dims[:depth], Map(), body)


def _row_type(t: Type, depth: int) -> ArrayType:
    assert isinstance(t, ArrayType)
    return ArrayType(t.elem, t.shape[depth:])


def _at_indices(consumer: Kernel[Ann], dims: tuple[KernelDim, ...]) -> Kernel[Ann]:
    """Return the consumer with the producer's indices in place of its own.

    Its sizes stay: an assertion may say that the producer's are equal, but types have these.
    """
    image: dict[Name, Atom] = {
        own.index: Var(d.index) for own, d in zip(consumer.dims, dims, strict=True)
    }
    dims = tuple(evolve(d, size=own.size) for own, d in zip(consumer.dims, dims, strict=True))
    collective = map_collective(consumer.collective, substitution(image))
    return Kernel(dims, collective, subst_body(consumer.body, image))


def _over_rows(
    producer: RaggedKernel[Ann], consumer: AnyKernel
) -> tuple[Body[Ann], RaggedKernel[Ann]]:
    """Return the producer's body at the consumer's index, and the consumer over the same rows."""
    if isinstance(consumer, Kernel):
        index, own = consumer.dims[0].index, consumer.collective
        assert isinstance(own, Map)
        over = evolve(producer, index=index, collective=own, body=consumer.body)
    else:
        over = consumer
    image: dict[Name, Atom] = {producer.index: Var(over.index)}
    if over.row.index != producer.row.index:
        image[producer.row.index] = Var(over.row.index)
    return subst_body(producer.body, image), over


def _at_own_indices(producer: Kernel[Ann], consumer: AnyKernel, m: Matching) -> Body[Ann]:
    """Return the producer's body for the element that the consumer's iteration reads."""
    image: dict[Name, Atom] = {}
    lets: list[Stm[Ann]] = []
    for d, k, back in zip(producer.dims, m.position, m.backwards, strict=True):
        own = elements(consumer)[k]
        if back:
            mirrored = size_exp(own.size - 1 - var(own.index))
            lets.append(Stm((Binder(d.index, I64, None),), mirrored))
        else:
            image[d.index] = Var(own.index)
    body = subst_body(producer.body, image)
    return evolve(body, stms=(*lets, *body.stms)) if lets else body


def _reading(
    b: Body[Ann], results: dict[Name, Atom], depth: int, image: dict[Name, Atom]
) -> Body[Ann]:
    """Return a body that uses results instead of reading them; ``image`` collects the replacements
    of scalars.
    """
    out: list[Stm[Ann]] = []
    for s in b.stms:
        match s.exp:
            case Index(x, index) if x in results:
                a = results[x]
                if len(index) > depth:
                    assert isinstance(a, Var)
                    out.append(evolve(s, exp=Index(a.name, index[depth:])))
                elif isinstance(a, Var):
                    image[s.pat[0].name] = a
                else:
                    out.append(evolve(s, exp=a))
            case Slice(x, dims) if x in results:
                a = results[x]
                assert isinstance(a, Var)
                out.append(evolve(s, exp=Slice(a.name, dims[depth:])))
            case Compound():
                new = [_reading(inner, results, depth, image) for inner in sub_bodies(s.exp)]
                out.append(evolve(s, exp=with_bodies(s.exp, new)))
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
                out.append(s)
            case Assert() | Alloc():
                out.append(s)
    return evolve(b, stms=tuple(out))
