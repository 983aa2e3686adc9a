"""Consumption: which arrays a program may update in place (language.md, section 2).

    Γ ⊢ s ⊣ consumed

``x with …``, ``scatter x``, ``hist (x)`` and a loop parameter ``*`` *consume* x: afterwards neither
x nor an array that may share its elements is used.  Sharing is described by *roots*: a fresh array
is its own root, a derived array has its source's roots, the result of ``if`` or ``loop`` is a root
itself and also has the roots of every array that it may be.  Two arrays alias if they have a common
root, and consuming an array consumes its roots.

A root records the number of kernels, operators and loops around its binding.  An array bound
outside one of them is shared by all iterations, so none of them may consume it.

The judgement is for well-typed entry points (fun.py); names are unique, so it needs no scopes.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from attrs import field

from funmem.ir.check.rules import Report, require
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Entry,
    Hist,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    LoopParam,
    Map,
    Opaque,
    RaggedKernel,
    Replicate,
    Scatter,
    Scratch,
    Stm,
    Un,
    Update,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import define

NO_ROOTS: frozenset[Name] = frozenset()


@define
class Uses:
    """The roots of each array; the consumed roots, each with the array consumed and the place.

    ``early``: arrays that are consumed although they, or their aliases, are used later; ``read``:
    pairs of a consumed array and one that the same expression reads and that may alias it;
    ``shared``: parameters with * whose next values may alias other next values.
    """

    roots: dict[Name, frozenset[Name]] = field(factory=dict)
    depth: dict[Name, int] = field(factory=dict)
    kept: set[Name] = field(factory=set)
    consumed: dict[Name, tuple[Name, Span]] = field(factory=dict)
    early: set[Name] = field(factory=set)
    read: set[tuple[Name, Name]] = field(factory=set)
    shared: set[Name] = field(factory=set)
    now: int = 0
    report: Report = field(factory=Report)

    def of(self, a: Atom) -> frozenset[Name]:
        """Return the roots of an operand; a scalar has none."""
        return self.roots.get(a.name, NO_ROOTS) if isinstance(a, Var) else NO_ROOTS

    def bind(self, p: Binder[Ann], aliases: Iterable[Name]) -> None:
        """Set the roots of an array; other binders have none."""
        if isinstance(p.type, ArrayType):
            self.roots[p.name] = frozenset(aliases)
            self.depth[p.name] = self.now

    def fresh(self, *binders: Binder[Ann]) -> None:
        """Bind arrays that alias nothing."""
        for p in binders:
            self.bind(p, (p.name,))

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Enter the body of a kernel, operator or loop."""
        self.now += 1
        yield
        self.now -= 1


# ---------------------------------------------------------------------- programs and bodies


def entry(e: Entry[Ann]) -> tuple[Diagnostic, ...]:
    """⊢ entry: return the errors of consumption of a well-typed entry point."""
    return tuple(uses(e).report.errors)


def uses(e: Entry[Ann]) -> Uses:
    """Return the aliases in a well-typed entry point, and what it consumes."""
    u = Uses()
    u.fresh(*(p.binder for p in e.params))
    u.kept.update(p.binder.name for p in e.params if not p.unique)
    body(u, e.body)
    return u


def body(u: Uses, b: Body[Ann]) -> None:
    """Γ ⊢ b ⊣ consumed: the statements in order, then the results are used."""
    for s in b.stms:
        with u.report.on(*s.pat):
            statement(u, s)
        u.fresh(*(p for p in s.pat if p.name not in u.roots))
    with u.report.on():
        use(u, _names(b.result), b.at)


# ---------------------------------------------------------------------- statements


def statement(u: Uses, s: Stm[Ann]) -> None:
    """Γ ⊢ s ⊣ consumed; binders that get no roots here are bound as fresh by :func:`body`."""
    e = s.exp
    match e:
        case DerivedArray():
            use(u, (e.x,), s.at)
            u.bind(s.pat[0], u.roots[e.x])
        case Update(x=x, value=value):  # T-CONSUME
            consume(u, x, _names((value,)), s.at)
        case Scatter(x, indices, values):  # T-CONSUME
            consume(u, x, (indices, values), s.at)
        case If():
            conditional(u, s, e)
        case Loop():  # T-CONSUME-LOOP
            loop(u, s, e)
        case Kernel():  # T-CONSUME
            kernel(u, s, e)
        case RaggedKernel():
            use(u, (e.offsets,), s.at)
            iterations(u, e, s.at)
        case Index(x=x) | Copy(x=x):
            use(u, (x,), s.at)
        case Concat(xs=xs):
            use(u, xs, s.at)
        case Replicate(value=value):
            use(u, _names((value,)), s.at)
        case ArrayLit(elems=elems) | Opaque(args=elems):
            use(u, _names(elems), s.at)
        case Const() | Var() | Bin() | Un() | Convert() | Call():
            pass
        case Iota() | Scratch() | Assert() | Alloc():
            pass


def use(u: Uses, xs: Iterable[Name], at: Span) -> None:
    """X is used: no array that it may alias was consumed before (T-CONSUME-USED)."""
    for x in xs:
        gone = min((r for r in u.roots.get(x, NO_ROOTS) if r in u.consumed), default=None)
        by, where = u.consumed[gone] if gone is not None else (x, at)
        if gone is not None:
            u.early.add(by)
        require(
            gone is None,
            at,
            "T-CONSUME-USED",
            "{} is used after {} was consumed{}",
            x,
            "it" if by == x else f"{by}, which it may alias,",
            f" in line {where.line}" if where.line else "",
            hint="consume a copy, or use the array before it is consumed",
        )


def consume(u: Uses, x: Name, others: tuple[Name, ...], at: Span) -> None:
    """X is consumed by an expression that also reads ``others`` (T-CONSUME)."""
    use(u, (x, *others), at)
    roots = sorted(u.roots[x])
    for y in others:
        apart = not u.roots.get(y, NO_ROOTS) & u.roots[x]
        if not apart:
            u.read.add((x, y))
        require(
            apart,
            at,
            "T-CONSUME",
            "{} is consumed while {} is read",
            x,
            "it" if x == y else f"{y}, which may alias it,",
            hint=f"copy {y} first",
        )
    for r in roots:
        require(
            r not in u.kept,
            at,
            "T-CONSUME",
            "{} is consumed, but {} is a parameter without *",
            x,
            "it" if r == x else f"it may alias {r}, which",
            hint="write * before the parameter's type, or consume a copy",
        )
    for r in roots:
        require(
            u.depth[r] >= u.now,
            at,
            "T-CONSUME",
            "{} is consumed in the body of a kernel, operator or loop outside which {} is bound",
            x,
            "it" if r == x else f"{r}, which it may alias,",
            hint="every iteration would consume it: make it a loop parameter with *, or copy it",
        )
    u.consumed.update((r, (x, at)) for r in roots)


# ---------------------------------------------------------------------- control


def conditional(u: Uses, s: Stm[Ann], e: If[Ann]) -> None:
    """The statement consumes what either branch consumes; a result aliases both branches' results.

    A branch may return what the other one consumed (``if c then x with … else x``).  That array
    cannot be used otherwise any more, so the result takes it over.  If several results may be the
    same such array, the first takes it over, and the others alias the first.
    """
    before = dict(u.consumed)
    body(u, e.then)
    by_then, u.consumed = u.consumed, dict(before)
    body(u, e.orelse)
    u.consumed.update(by_then)
    heirs: dict[Name, Name] = {}
    for p, a, b in zip(s.pat, e.then.result, e.orelse.result, strict=True):
        aliases = {p.name}
        for r in u.of(a) | u.of(b):
            taken = r in u.consumed and r not in before
            aliases.add(heirs.setdefault(r, p.name) if taken else r)
        u.bind(p, aliases)


def loop(u: Uses, s: Stm[Ann], e: Loop[Ann]) -> None:
    """A parameter with * consumes its initial value, whose next value nothing else aliases."""
    for q in e.params:
        if q.unique and isinstance(q.init, Var) and q.init.name in u.roots:
            consume(u, q.init.name, (), s.at)
    use(u, _names(q.init for q in e.params if not q.unique), s.at)
    with u.inside():
        u.fresh(*(q.binder for q in e.params))
        u.kept.update(q.binder.name for q in e.params if not q.unique)
        body(u, e.body)
        with u.report.on(*s.pat):
            independent(u, e)
    for p, q in zip(s.pat, e.params, strict=True):
        u.bind(p, {p.name} if q.unique else {p.name} | flows(u, q, e))


def independent(u: Uses, e: Loop[Ann]) -> None:
    """The next value of a parameter with * aliases nothing else (T-CONSUME-LOOP).

    It may be another parameter with *: that array is passed on, and no other next value has it.
    """
    for q, a in zip(e.params, e.body.result, strict=True):
        if not q.unique:
            continue
        x = q.binder.name
        for r in sorted(u.of(a)):
            inside = u.depth[r] >= u.now
            own = r == x or all(r != other.binder.name for other in e.params if not other.unique)
            require(
                inside,
                e.body.at,
                "T-CONSUME-LOOP",
                "the next value of *{} may alias {}, which is bound outside the loop",
                x,
                r,
                hint="return a copy",
            )
            require(
                own,
                e.body.at,
                "T-CONSUME-LOOP",
                "the next value of *{} may alias {}, a parameter of the loop without *",
                x,
                r,
                hint="return a copy",
            )
        for other, b in zip(e.params, e.body.result, strict=True):
            apart = other is q or not u.of(a) & u.of(b)
            if not apart and other.binder.name not in u.shared:  # one copy is enough for two
                u.shared.add(x)
            require(
                apart,
                e.body.at,
                "T-CONSUME-LOOP",
                "the next values of *{} and {} may alias each other",
                x,
                other.binder.name,
                hint="return a copy",
            )


def flows(u: Uses, q: LoopParam[Ann], e: Loop[Ann]) -> frozenset[Name]:
    """Return what a parameter without * may alias after the loop: an initial value or a result of
    the body, its own or that of parameters passed on to it.
    """
    shared = {
        p.binder.name: u.of(p.init) | u.of(a)
        for p, a in zip(e.params, e.body.result, strict=True)
        if not p.unique
    }
    found: set[Name] = set()
    todo = {q.binder.name}
    while todo:
        found |= todo
        todo = {r for x in todo for r in shared.get(x, NO_ROOTS)} - found
    return frozenset(found - shared.keys())


def kernel(u: Uses, s: Stm[Ann], e: Kernel[Ann]) -> None:
    """Hist consumes its destinations; results are fresh, as are the operator's parameters."""
    if isinstance(e.collective, Hist):
        for x in e.collective.dest:
            consume(u, x, (), s.at)
    iterations(u, e, s.at)


def iterations(u: Uses, e: Kernel[Ann] | RaggedKernel[Ann], at: Span) -> None:
    """The operator's parameters are fresh; no iteration consumes what it shares with others."""
    c = e.collective
    if not isinstance(c, Map):
        use(u, _names(c.ne), at)
        with u.inside():
            u.fresh(*c.op.params)
            body(u, c.op.body)
    with u.inside():
        body(u, e.body)


def _names(atoms: Iterable[Atom]) -> tuple[Name, ...]:
    return tuple(a.name for a in atoms if isinstance(a, Var))
