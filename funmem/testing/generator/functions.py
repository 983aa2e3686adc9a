"""Outlining: scalar statements of a generated program become functions, called from several places.

    before                              after
    let (a : i32) = x + 1               def f (p : i32) -> (r : i32) = … in (a1)
    let (b : i32) = a * a               let (b : i32) = call f (x)
    … b …                               … b …
    let (y : i32) = xs[0]               let (y0 : i32) = xs[0]
                                        let (c : i32) = call f (y0)
                                        let (y : i32) = y0 ^ c

A run of statements without arrays becomes the body of a function; the names that it uses are the
parameters, those that are used after it the results.  Conditionals and loops of scalars are among
the statements, and calls of functions that were made before.

A further call changes what the program computes.  It stands where a scalar is bound that is neither
an i64 nor a bool, so that indices, sizes and conditions of loops stay in their ranges; not in an
operator, which would no longer be associative; and not beside the counter of a ``while``.
Functions with loops have no further calls, as any argument could be the number of iterations.
"""

import random
from collections.abc import Iterator, Mapping, Sequence

from funmem.ir.erase import erase
from funmem.ir.fun import (
    Ann,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Const,
    Convert,
    Entry,
    Function,
    FunProgram,
    If,
    Kernel,
    Loop,
    Program,
    RaggedKernel,
    Scalar,
    ScalarExp,
    Stm,
    Var,
    While,
)
from funmem.ir.functions import apart, called, is_partial, table
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalars import ScalarType, normalise
from funmem.ir.traverse import (
    entry_binders,
    free_in_stm,
    inner_binders,
    inner_indices,
    map_sub_bodies,
    operators,
    program_fresh,
    sub_bodies,
    walk,
    with_exp,
    with_stms,
)
from funmem.testing.generator.program import BOOL, I64, Generated
from funmem.testing.generator.scalars import safe_operators

MOST = 3
"""Largest number of functions of a program."""

FURTHER = 3
"""Largest number of further calls of a function."""

LONGEST = 12
"""Largest number of statements that become a function, not counting those in their bodies."""

PARTIAL = 0.15
"""Probability that a function that may trap is called again, with arguments on which it may."""

Types = Mapping[Name, ScalarType]


def outlined(g: Generated) -> Generated:
    """Return the program with one to :data:`MOST` functions; unchanged if no statement fits.

    The same program and seed give the same result.
    """
    rng = random.Random(f"functions {g.seed}")
    made = _Outlining(rng, program_fresh(g.program))
    p = g.program
    for _ in range(rng.randint(1, MOST)):
        p = made.one_more(p)
    return g if p is g.program else evolve(g, program=p)


@frozen
class Place:
    """A body, and the scalars in scope where it begins.

    ``operator``: it belongs to an operator.  ``counts``: it counts the iterations of a ``while``.
    ``kernel``: it is in a kernel.
    """

    body: Body[Ann]
    scope: Types
    operator: bool = False
    counts: bool = False
    kernel: bool = False


@define
class _Outlining:
    rng: random.Random
    fresh: Fresh

    def one_more(self, p: FunProgram) -> FunProgram:
        """Return the program with one more function, or the program itself."""
        entry: Entry[Ann] = p.entries[0]
        runs = [(at, *run) for at in places(entry) for run in _runs(at.body)]
        if not runs:
            return p
        sizes = [min(LONGEST, end - start) for _, start, end in runs]
        at, start, end = self.rng.choices(runs, sizes)[0]
        f, body = self._outline(at, start, end)
        if f is None:
            return p
        entry = evolve(entry, body=replaced(entry.body, at.body, body))
        p = erase(Program((entry,), (*p.functions, f)))
        if _has_loop(p, f) or (is_partial(f) and self.rng.random() >= PARTIAL):
            return p
        for _ in range(self.rng.randint(1, FURTHER)):
            p = self._called_again(p, f)
        return p

    def _outline(self, at: Place, start: int, end: int) -> tuple[Function | None, Body[Ann]]:
        """Return the function of some statements of a run, and the body that calls it."""
        stms, rng = at.body.stms, self.rng
        length = rng.randint(1, min(LONGEST, end - start))
        start = rng.randint(start, end - length)
        run, rest = stms[start : start + length], stms[start + length :]
        types = types_after(at.scope, stms[:start])
        used = {a.name for a in at.body.result if isinstance(a, Var)}.union(*map(free_in_stm, rest))
        results = [b for s in run for b in s.pat if b.name in used]
        own = {b.name for s in run for b in s.pat}
        given = sorted(frozenset[Name]().union(*map(free_in_stm, run)) - own)
        if not results:
            return None, at.body
        f = Function(
            self.fresh("f"),
            tuple(Binder(x, types[x], None) for x in given),
            tuple(Binder(self.fresh("r"), b.type, None) for b in results),
            Body(run, tuple(Var(b.name) for b in results)),
        )
        f = apart(f, self.fresh)
        call = Stm(tuple(results), Call(f.name, tuple(map(Var, given)), is_partial(f)))
        return f, evolve(at.body, stms=(*stms[:start], call, *rest))

    def _called_again(self, p: FunProgram, f: Function) -> FunProgram:
        """Return the program with a further call of a function, where a scalar is bound."""
        entry: Entry[Ann] = p.entries[0]
        sites = [
            (at, k, b)
            for at in places(entry)
            if not at.operator and not at.counts
            for k, s in enumerate(at.body.stms)
            for b in s.pat
            if isinstance(b.type, ScalarType) and b.type not in (I64, BOOL)
        ]
        if not sites:
            return p
        at, k, b = self.rng.choice(sites)
        stms = self._mixed(at, k, b, f)
        body = evolve(at.body, stms=(*at.body.stms[:k], *stms, *at.body.stms[k + 1 :]))
        entry = evolve(entry, body=replaced(entry.body, at.body, body))
        return erase(Program((entry,), p.functions))

    def _mixed(self, at: Place, k: int, b: Binder[Ann], f: Function) -> tuple[Stm[Ann], ...]:
        """Return the k-th statement, a call, and ``b`` computed from both."""
        s, rng, t = at.body.stms[k], self.rng, b.type
        assert isinstance(t, ScalarType)
        before = evolve(b, name=self.fresh(b.name))
        pat = tuple(before if q is b else q for q in s.pat)
        types = {
            **types_after(at.scope, at.body.stms[:k]),
            **types_after({}, (evolve(s, pat=pat),)),
        }
        args = tuple(self._argument(types, q) for q in f.params)
        got = tuple(Binder(self.fresh("c"), r.type, None) for r in f.results)
        chosen = rng.choice(got)
        value: ScalarExp = Var(chosen.name)
        if chosen.type is not t:
            value = Convert(t, value)
        op = rng.choice(safe_operators(t))
        return (
            evolve(s, pat=pat),
            Stm(got, Call(f.name, args, is_partial(f))),
            Stm((b,), Bin(op, Var(before.name), value)),
        )

    def _argument(self, types: Types, p: Binder[Ann]) -> Atom:
        """Return a name in scope of the parameter's type, often a late one, or a constant."""
        t = p.type
        assert isinstance(t, ScalarType)
        alike = [x for x, found in types.items() if found is t]
        if alike and self.rng.random() < 0.85:
            return Var(self.rng.choice(alike[-6:]))
        return Const(normalise(self.rng.randint(0, 3), t) if t is not BOOL else True, t)


# ---------------------------------------------------------------------- places


def places(e: Entry[Ann]) -> Iterator[Place]:
    """Yield all bodies of an entry point, outer before inner."""
    scope = {b.name: b.type for b in entry_binders(e) if isinstance(b.type, ScalarType)}
    for r in (*e.implicit_results, *e.results):
        scope.pop(r.name, None)
    yield from _within(Place(e.body, scope))


def _within(at: Place) -> Iterator[Place]:
    yield at
    scope: Types = at.scope
    for s in at.body.stms:
        of = {id(op.body): op.params for op in operators(s.exp)}
        for b in sub_bodies(s.exp):
            inside = {x: I64 for x in inner_indices(s.exp) if id(b) not in of}
            params = of.get(id(b), () if of else inner_binders(s.exp))
            inside |= {q.name: q.type for q in params if isinstance(q.type, ScalarType)}
            counts = isinstance(s.exp, Loop) and isinstance(s.exp.form, While)
            operator = at.operator or id(b) in of
            kernel = at.kernel or isinstance(s.exp, Kernel | RaggedKernel)
            yield from _within(Place(b, {**scope, **inside}, operator, counts, kernel))
        scope = types_after(scope, (s,))


def types_after(scope: Types, stms: Sequence[Stm[Ann]]) -> Types:
    """Return a scope and the scalars that statements bind."""
    new = {b.name: b.type for s in stms for b in s.pat if isinstance(b.type, ScalarType)}
    return {**scope, **new}


def replaced(b: Body[Ann], old: Body[Ann], new: Body[Ann]) -> Body[Ann]:
    """Return a body in which ``new`` replaces ``old``, which is the same object."""
    if b is old:
        return new
    return with_stms(
        b,
        (with_exp(s, map_sub_bodies(s.exp, lambda c: replaced(c, old, new))) for s in b.stms),
    )


# ---------------------------------------------------------------------- what fits a function


def _runs(b: Body[Ann]) -> Iterator[tuple[int, int]]:
    """Yield the longest runs of statements that fit a function: the first, and the end."""
    start = 0
    for k in range(len(b.stms) + 1):
        if k == len(b.stms) or not _fits(b.stms[k]):
            if any(_computes(s) for s in b.stms[start:k]):
                yield start, k
            start = k + 1


def _fits(s: Stm[Ann]) -> bool:
    """True if a statement computes scalars from scalars (T-FUNCTION)."""
    scalars = all(isinstance(b.type, ScalarType) for b in (*s.pat, *inner_binders(s.exp)))
    inner = (t for b in sub_bodies(s.exp) for t in b.stms)
    return scalars and isinstance(s.exp, Scalar | If | Loop | Assert) and all(map(_fits, inner))


def _computes(s: Stm[Ann]) -> bool:
    return bool(s.pat) and not isinstance(s.exp, Const | Var)


def _has_loop(p: FunProgram, f: Function) -> bool:
    """True if a function, or one that it calls, has a loop."""
    if any(isinstance(s.exp, Loop) for s in walk(f.body)):
        return True
    functions = table(p)
    return any(_has_loop(p, functions[x]) for x in called(f.body))
