"""The candidates: copies of a finished array to a known destination, which may become superfluous.

    let y = x with [W] = b          x's place, sliced by W
    let y = concat k … b …          b's part of y
    let y = [b, …] : …              b's row of y
    let y = copy b                  y
    kernel i < n do … in (b)        row i of the kernel's result
    loop (x … = x0) … in (b)        x0's place: this is no copy, but a loop that works in one place
                                    needs no allocation
    let y = kernel j < k do b[j] …  y's place, if b is a thread's own and y is not: this is no copy
                                    either, but then b needs no block in each thread

Candidates are listed from the last statement to the first, and from the outside inwards: when an
array moves, the arrays built inside it have not been tried yet, and move along later.
"""

from collections.abc import Iterator, Sequence
from enum import Enum

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Body,
    Compound,
    Concat,
    Copy,
    DerivedArray,
    Home,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    Loop,
    Map,
    Replicate,
    Scalar,
    Scratch,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimRange
from funmem.ir.logic.body_facts import BodyFacts
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.may_trap import collected
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, const, var
from funmem.ir.traverse import (
    NESTS,
    free_in_stm,
    sub_bodies,
    walk,
)
from funmem.passes.mem.short_circuit.view import View


class Kind(Enum):
    """The kind of statement that copies the array; the value is for remarks."""

    UPDATE = "update"
    CONCAT = "concat"
    LITERAL = "array literal"
    COPY = "copy"
    THREAD = "result of a thread"
    LOOP = "next value"
    OPERAND = "operand"


@frozen
class Copied:
    """An array that a statement copies, and the destination."""

    kind: Kind
    slot: int
    """The number of the operand or result of the statement."""
    source: Name
    dest: Name
    """The array of which the target is all or a part."""
    target: Home

    def __str__(self) -> str:
        x = self.dest if self.kind is Kind.LOOP else self.source
        return f"{self.kind.value} of {x}"


Key = tuple[Name, Kind, int]


@frozen
class Candidate:
    """A copy, and its position in the program."""

    what: Copied
    stm: Stm[Ann]
    body: Body[Ann]
    """The body that contains the copy: the statement's, or that of the kernel's threads."""
    position: int
    """The number of the body's statements before the copy."""
    in_branch: bool
    """True if only one branch of an enclosing ``if`` copies."""
    knowledge: BodyFacts = field(eq=False, repr=False)
    """The facts before each of the body's statements."""

    @property
    def key(self) -> Key:
        """The identity of the copy; it survives changes to the program around it."""
        return self.stm.pat[-1].name, self.what.kind, self.what.slot

    @property
    def known(self) -> PointFacts:
        """The facts at the copy."""
        return self.knowledge.at(self.position)

    @property
    def region(self) -> tuple[Stm[Ann], ...]:
        """The statements of the body before the copy."""
        return self.body.stms[: self.position]


def candidates(view: View) -> Iterator[Candidate]:
    """Yield all copies of an entry point that move data, the last one first."""
    for k in reversed(range(len(view.entry.body.stms))):
        yield from candidates_in(k, view)


def candidates_in(k: int, view: View) -> Iterator[Candidate]:
    """Yield the candidates in the statement at position ``k`` of the entry point's body."""
    found = _in_statement(view.entry.body, k, view.knowledge, view, in_branch=False)
    return (c for c in found if view.homes[c.what.source] != c.what.target)


def _in_statement(
    b: Body[Ann], k: int, known: BodyFacts, view: View, *, in_branch: bool
) -> Iterator[Candidate]:
    s = b.stms[k]
    if s.exp.__class__ not in NESTS:
        for what in copied(s, view):
            yield Candidate(what, s, b, k, in_branch, known)
        return
    for what in operands(s, view):
        yield Candidate(what, s, b, k, in_branch, known)
    for what in next_values(s, view):
        yield Candidate(what, s, b, k + 1, in_branch, known)
    inside = [(inner, known.inner(k, s.exp, j)) for j, inner in enumerate(sub_bodies(s.exp))]
    if isinstance(s.exp, Kernel):
        body, start = s.exp.body, inside[-1][1]
        for what in thread_results(s, s.exp, view):
            yield Candidate(what, s, body, len(body.stms), in_branch, start)
    within = in_branch or isinstance(s.exp, If)
    for inner, start in reversed(inside):
        for j in reversed(range(len(inner.stms))):
            yield from _in_statement(inner, j, start, view, in_branch=within)


def copied(s: Stm[Ann], view: View) -> Iterator[Copied]:
    """Yield the arrays that a statement itself copies as a whole, in order."""
    match s.exp:
        case Update(x, where, Var(b)) if view.is_array(b):
            home = view.homes[x]
            yield Copied(Kind.UPDATE, 0, b, x, Home(home.block, home.ix.part(where)))
        case Concat(dim, xs):
            yield from _concatenated(s.pat[0].name, dim, xs, view)
        case ArrayLit(elems):
            y = s.pat[0].name
            home = view.homes[y]
            for k, a in enumerate(elems):
                if isinstance(a, Var) and view.is_array(a.name):
                    row = Home(home.block, home.ix.index_f(const(k)))
                    yield Copied(Kind.LITERAL, k, a.name, y, row)
        case Copy(b):
            y = s.pat[0].name
            yield Copied(Kind.COPY, 0, b, y, view.homes[y])
        case Iota() | Replicate() | Scratch() | InPlace() | DerivedArray():
            return
        case Scalar() | Index() | Compound() | Assert() | Alloc():
            return


def _concatenated(y: Name, dim: int, xs: Sequence[Name], view: View) -> Iterator[Copied]:
    home = view.homes[y]
    start = ZERO
    for k, x in enumerate(xs):
        shape = view.shape(x)
        part = [DimRange(start if j == dim else ZERO, n, ONE) for j, n in enumerate(shape)]
        yield Copied(Kind.CONCAT, k, x, y, Home(home.block, home.ix.slice_f(part)))
        start = start + shape[dim]


def thread_results(s: Stm[Ann], e: Kernel[Ann], view: View) -> Iterator[Copied]:
    """Yield the arrays that a thread copies to its rows of the kernel's results, in order."""
    index = [var(d.index) for d in e.dims]
    mapped = s.pat[collected(e.collective) :]
    results = e.body.result[len(e.body.result) - len(mapped) :]
    for k, (y, a) in enumerate(zip(mapped, results, strict=True)):
        if isinstance(a, Var) and view.is_array(a.name):
            home = view.homes[y.name]
            row = Home(home.block, home.ix.prefix(index))
            yield Copied(Kind.THREAD, k, a.name, y.name, row)


def operands(s: Stm[Ann], view: View) -> Iterator[Copied]:
    """Yield the operands that a kernel reads element by element to make an array in a block that is
    shared by more threads, and that are not used again under any name.

    Such an operand lies in a thread's own block; it may be built in the place of the kernel's
    result.
    """
    if not isinstance(s.exp, Kernel) or not isinstance(s.exp.collective, Map) or len(s.pat) != 1:
        return
    (y,) = s.pat
    body, index = s.exp.body, tuple(var(d.index) for d in s.exp.dims)
    for k, x in enumerate(sorted({t.exp.x for t in body.stms if isinstance(t.exp, Index)})):
        home = view.homes[x]
        if y.home is None or view.types[x] != y.type or not view.is_put(x):
            continue
        views = view.live.aliases(x) - {x}
        if not view.live.last_use(x, s) or not views.isdisjoint(free_in_stm(s)):
            continue
        others = (z for z in free_in_stm(s) - {x} if view.is_array(z))
        there = view.roots(y.home.block)
        if any(not there.isdisjoint(view.roots(view.homes[z].block)) for z in others):
            continue  # the kernel reads what x would overwrite, such as an accumulator
        uses = [t for t in walk(body) if x in free_in_stm(t)]
        if not all(isinstance(t.exp, Index) and t.exp.index == index for t in uses):
            continue
        if view.kernels_around(home.block) > view.kernels_around(y.home.block):
            yield Copied(Kind.OPERAND, k, x, y.name, y.home)


def next_values(s: Stm[Ann], view: View) -> Iterator[Copied]:
    """Yield the results of a loop whose next values lie in a new block in each iteration; the
    target is the initial value's place, where every next value may be built as well.
    """
    if not isinstance(s.exp, Loop):
        return
    e = s.exp
    if not any(view.is_array(z.name) for z in s.pat):
        return
    new = {t.pat[0].name for t in walk(e.body) if isinstance(t.exp, Alloc)}
    for k, (z, p, a) in enumerate(zip(s.pat, e.params, e.body.result, strict=True)):
        if not isinstance(p.init, Var) or not isinstance(a, Var) or not view.is_array(z.name):
            continue
        if not new.isdisjoint(view.roots(view.homes[a.name].block)):
            yield Copied(Kind.LOOP, k, z.name, p.binder.name, view.homes[p.init.name])
