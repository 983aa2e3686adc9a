"""Inequalities over the variables that a loop carries, which hold at the start of each iteration.

    loop (low = 0) (high = n) (c = 0 < n) while c do    0 <= low, low <= n, high <= n; and where c
      let middle = (low + high) / 2                     is true: low < high
      let c' = xs[middle] < x                           so 0 <= middle < n: no check
      let (low', high') = if c' then (middle + 1, high) else (low, middle)
      let go = low' < high'
      in (low', high', go)

Candidates are guessed from the initial values, the lengths of the arrays that the body accesses,
and the comparisons in it.  The candidates that do not hold initially are dropped.  Then all others
are assumed at the start of an iteration, and those that do not follow at its end are dropped, until
none is (Flanagan and Leino, Houdini, FME 2001).  What remains holds by induction.  The condition of
a while-loop is true at the start of an iteration, so what its definition says about the body's
results, holds there for the variables, if it holds initially where the first condition is true.

Incomplete: candidates relate a variable to its initial value, to a length or another operand
outside the loop, or to another variable.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import TYPE_CHECKING

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Bin,
    Body,
    Const,
    Exp,
    For,
    If,
    Index,
    Loop,
    LoopParam,
    ScalarExp,
    Slice,
    Stm,
    Type,
    Update,
    Var,
    While,
)
from funmem.ir.logic.bounded import modulo, shown
from funmem.ir.logic.branches import COMPARISONS, comparisons
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import (
    atom_size,
    bound_in_body,
    free_in_exp,
    scalar_leaves,
    sub_bodies,
    walk,
)

if TYPE_CHECKING:
    from funmem.ir.logic.facts import PointFacts

NESTED = 1
"""Largest number of loops inside each other that one analysis follows; each repeats the inner
ones.
"""

ROUNDS = 8
"""Largest number of times that the body is followed; if candidates still fall then, none is kept.
"""

LIMITS = 8
"""Largest number of sizes that each variable is compared with."""

PAIRED = 4
"""Largest number of i64 variables that are compared with each other."""

VARIABLES = 8
"""Largest number of i64 variables of a loop that is analysed: candidates grow with it."""

STATEMENTS = 200
"""Largest number of statements in the body of a loop that is analysed, inner ones included."""


KEPT = 4
"""Largest number of answers that the body of a loop keeps."""


@frozen
class Invariants:
    """Polynomials over a loop's variables, and names from outside, that are not negative."""

    always: tuple[Size, ...] = ()
    """At the start of each iteration, and after the last one."""
    going: tuple[Size, ...] = ()
    """At the start of each iteration only."""


NONE = Invariants()


class Memo:
    """The invariants that were found last for a loop, with the facts before it."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Loop[Ann], Facts, Invariants]] = {}

    def of(self, e: Loop[Ann], known: "PointFacts") -> Invariants:
        """Return the invariants of a loop, given the facts before it."""
        before = self._found.get(id(e))
        if before is not None and before[0] is e and before[1] is known.facts:
            return before[2]
        found = invariants(e, known)
        self._found[id(e)] = (e, known.facts, found)
        return found


def invariants(e: Loop[Ann], known: "PointFacts") -> Invariants:
    """Return inequalities over the i64 variables of a loop, given the facts before it."""
    if known.loops >= NESTED or not 0 < len(_variables(e)) <= VARIABLES:
        return NONE
    if next(islice(walk(e.body), STATEMENTS, None), None) is not None:
        return NONE
    question = _Question.of(e, known)
    for asked, answer in e.body.searches:
        if asked == question:
            assert isinstance(answer, Invariants)
            return answer
    found = _Search(e, known.in_loop()).found()
    object.__setattr__(e.body, "searches", ((question, found), *e.body.searches[: KEPT - 1]))
    return found


def _variables(e: Loop[Ann]) -> Sequence[int]:
    """Return the numbers of the i64 parameters; without those that only say where arrays lie, if
    there are too many.
    """
    found = [k for k, p in enumerate(e.params) if p.binder.type is I64]
    if len(found) <= VARIABLES:
        return found
    homes = (p.binder.home for p in e.params)
    places = frozenset[Name]().union(*[h.ix.free() for h in homes if h is not None])
    return [k for k in found if e.params[k].binder.name not in places]


@frozen
class _Question:
    """All that the invariants of a loop with a given body depend on.

    Every pass asks for the invariants of the loops that it has left as they were, so a body keeps
    the last answers.
    """

    params: tuple[LoopParam[Ann], ...]
    form: For | While
    facts: Facts
    types: tuple[tuple[Name, Type | None], ...]
    """The types of the names that the loop uses."""
    scalars: tuple[tuple[Name, ScalarExp], ...]
    """The definitions of these names, of those in the facts, and of the names in definitions."""
    either: tuple[Var, ...]
    rows: frozenset[tuple[Name, Size]]
    no_scratch: bool

    @staticmethod
    def of(e: Loop[Ann], known: "PointFacts") -> "_Question":
        """Return the question for a loop, given the facts before it."""
        used = sorted(free_in_exp(e))
        types = tuple((x, known.types.get(x)) for x in used)
        sizes = {x for _, t in types if isinstance(t, ArrayType) for d in t.shape for x in d.free()}
        todo = [*used, *sizes, *known.facts.names, *(c.name for c in known.either)]
        scalars: dict[Name, ScalarExp] = {}
        while todo:
            x = todo.pop()
            definition = known.scalars.get(x)
            if definition is not None and x not in scalars:
                scalars[x] = definition
                todo += [a.name for a in scalar_leaves(definition) if isinstance(a, Var)]
        return _Question(
            e.params,
            e.form,
            known.facts,
            types,
            tuple(sorted(scalars.items(), key=lambda item: item[0])),
            known.either,
            known.rows,
            known.no_scratch,
        )


class _Search:
    """The search for the invariants of one loop."""

    def __init__(self, e: Loop[Ann], known: "PointFacts") -> None:
        self.loop, self.known = e, known
        self.params = {e.params[k].binder.name: k for k in _variables(e)}
        self.first = {x: atom_size(e.params[k].init) for x, k in self.params.items()}
        self.next = {x: atom_size(e.body.result[k]) for x, k in self.params.items()}
        self.inside = bound_in_body(e.body) | {p.binder.name for p in e.params}
        if isinstance(e.form, For):
            self.inside |= {e.form.index}
        self.cond: int | None = None
        if isinstance(e.form, While):
            self.cond = [p.binder.name for p in e.params].index(e.form.cond)

    def found(self) -> Invariants:
        """Return the candidates that hold by induction."""
        always = [p for p in self.candidates() if self.starts(p, self.known)]
        going: list[Size] = []
        if self.cond is not None:
            start = self.known.given(self.loop.params[self.cond].init, True)
            going = [p for p in self.conditions(always) if self.starts(p, start)]
        for _ in range(ROUNDS):
            if not always and not going:
                return NONE
            body = _Walked(self.loop.body, self.head(always, going))
            kept = [p for p in always if body.shows(p.subst(self.next))]
            kept_going = [p for p in going if body.shows(p.subst(self.next), self.again())]
            if (kept, kept_going) == (always, going):
                implied = {p + 1 for p in always}
                return Invariants(tuple(p for p in always if p not in implied), tuple(going))
            always, going = kept, kept_going
        return NONE

    def again(self) -> Atom | None:
        """Return the condition of the next iteration of a while-loop."""
        return None if self.cond is None else self.loop.body.result[self.cond]

    def starts(self, p: Size, known: "PointFacts") -> bool:
        """True if ``p >= 0`` holds for the initial values."""
        return shown(p.subst(self.first), known.facts, known.scalars)

    def head(self, always: Iterable[Size], going: Iterable[Size]) -> "PointFacts":
        """Return the facts at the start of an iteration."""
        return self.known.starting(self.loop, Invariants(tuple(always), tuple(going)))

    # ------------------------------------------------------------------ candidates

    def candidates(self) -> Iterator[Size]:
        """Yield inequalities over the variables, the stronger of two before the weaker."""
        limits = tuple(self.limits())
        for x in self.params:
            v, first = var(x), self.first[x]
            yield from (v - 1, v)
            if first.as_const is None or first.as_const > 1 or first.as_const < 0:
                yield v - first
            for limit in limits:
                yield from (limit - 1 - v, limit - v)
            if first not in limits:
                yield first - v
        if len(self.params) <= PAIRED:
            yield from (var(y) - var(x) for x, y in permutations(self.params, 2))

    def limits(self) -> Iterator[Size]:
        """Yield the lengths of the arrays that the body accesses, and operands of comparisons."""
        found: dict[Size, None] = {}
        carried = {r: x for x, r in self.next.items()} | {var(x): x for x in self.params}
        types = self.known.binding(p.binder for p in self.loop.params).types
        for s in walk(self.loop.body):
            for limit in _limits(s, types, carried.keys()):
                if limit.free().isdisjoint(self.inside):
                    found[limit] = None
        yield from list(found)[:LIMITS]

    def conditions(self, always: Sequence[Size]) -> Iterator[Size]:
        """Yield what the condition of the next iteration says about the variables."""
        cond = self.again()
        assert cond is not None
        end = _Walked(self.loop.body, self.head(always, ())).end
        results = {self.loop.body.result[k]: x for x, k in self.params.items()}
        back = {p: var(x) for r, x in results.items() if (p := modulo(r, end.scalars)) is not None}

        def over_variables(e: ScalarExp) -> Size | None:
            """Return an operand as a polynomial in which the variables stand for their results."""
            if isinstance(e, Var) and e in results:
                return var(results[e])
            p = modulo(e, end.scalars)
            return None if p is None else back.get(p, p)

        for op, a, b in comparisons(cond, True, end.scalars, end.types):
            p, q = over_variables(a), over_variables(b)
            if p is not None and q is not None:
                for d in _differences(op, p, q):
                    if d.free() & self.inside <= self.params.keys():
                        yield d


class _Walked:
    """A body, and the facts before each of its statements and at its end."""

    def __init__(self, body: Body[Ann], start: "PointFacts") -> None:
        self.stms = body.stms
        self.before = [start]
        self._sides: dict[int, tuple[_Walked, ...]] = {}
        for s in body.stms:
            self.before.append(self.before[-1].after(s))

    @property
    def end(self) -> "PointFacts":
        return self.before[-1]

    def shows(self, p: Size, cond: Atom | None = None) -> bool:
        """True if ``p >= 0`` follows at the end, where ``cond`` is true; a result of a branch is
        that of either side.
        """
        end = self.end if cond is None else self.end.given(cond, True)
        if shown(p, end.facts, end.scalars):
            return True
        names = p.free()
        for k in reversed(range(len(self.stms))):
            s = self.stms[k]
            if isinstance(s.exp, If) and not names.isdisjoint(b.name for b in s.pat):
                sides = zip((s.exp.then, s.exp.orelse), self.sides(k, s.exp), strict=True)
                return all(walked.shows(p.subst(_results(s, side))) for side, walked in sides)
        return False

    def sides(self, k: int, e: If[Ann]) -> "tuple[_Walked, ...]":
        """Return both sides of the branch that statement ``k`` is, each followed once."""
        if k not in self._sides:
            starts = self.before[k].inside(e)
            both = zip((e.then, e.orelse), starts, strict=True)
            self._sides[k] = tuple(_Walked(side, start) for side, start in both)
        return self._sides[k]


def _results(s: Stm[Ann], side: Body[Ann]) -> Mapping[Name, Size]:
    """Return the results of a branch by the names that they are bound to."""
    both = zip(s.pat, side.result, strict=True)
    return {b.name: atom_size(r) for b, r in both if b.type is I64}


def _limits(s: Stm[Ann], types: Mapping[Name, object], carried: Collection[Size]) -> Iterator[Size]:
    e = s.exp
    if isinstance(e, Index | Slice | Update):
        t = types.get(e.x)
        if isinstance(t, ArrayType):
            yield from t.shape
    if isinstance(e, Bin) and e.op in COMPARISONS:
        p, q = _size(e.a), _size(e.b)
        if p is not None and q is not None:
            if p in carried:
                yield q
            if q in carried:
                yield p


def _size(e: ScalarExp) -> Size | None:
    """Return an i64 atom as a size; None for other constants, and for other expressions."""
    if isinstance(e, Var) or (isinstance(e, Const) and e.type is I64):
        return atom_size(e)
    return None


def _differences(op: BinOp, p: Size, q: Size) -> Iterator[Size]:
    """Yield polynomials that are not negative where ``p op q`` holds."""
    match op:
        case BinOp.LT:
            yield q - p - 1
        case BinOp.LE:
            yield q - p
        case BinOp.GT:
            yield p - q - 1
        case BinOp.GE:
            yield p - q
        case BinOp.EQ:
            yield from (p - q, q - p)
        case _:
            pass


def of_loops(body: Body[Ann], known: "PointFacts") -> Mapping[int, Invariants]:
    """Return the invariants of all loops in a body, by the identity of the loop.  A loop that
    occurs twice is left out: its places may have different facts.
    """
    found: dict[int, Invariants] = {}
    if any(_carries(s.exp) for s in walk(body)):
        _collect(body, known, found)
    return found


def _carries(e: Exp[Ann]) -> bool:
    return isinstance(e, Loop) and any(p.binder.type is I64 for p in e.params)


def _collect(body: Body[Ann], known: "PointFacts", found: dict[int, Invariants]) -> None:
    for s in body.stms:
        if isinstance(s.exp, Loop):
            again = id(s.exp) in found
            found[id(s.exp)] = NONE if again else known.invariants(s.exp)
        for inner, start in zip(sub_bodies(s.exp), known.inside(s.exp), strict=True):
            _collect(inner, start, found)
        known = known.after(s)
