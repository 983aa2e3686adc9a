r"""The copies of a FUNMEM program: where lowering moves the elements of an array.

    let y = copy b                     to y's place
    let y = concat k … b …             to b's part of it
    let y = [b, …] : …                 to b's row
    let y = x with [W] = b             to x's place, sliced by W
    let y = replicate [d] b            to every row
    let y = scatter x is b             rows of b to rows of x
    kernel i < n do … in (b)           from each thread to its row of the result
    … reduce (\(a : [k]t) … -> …)      to and from an operator's parameters (call by copy)

A copy whose source and destination are the same place moves nothing: lowering drops it
(passes/lower/copies.py), and it is not listed here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from attrs import field

from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Atom,
    Binder,
    Body,
    Concat,
    Copy,
    DerivedArray,
    Entry,
    For,
    Hist,
    If,
    Index,
    Iota,
    Kernel,
    Lambda,
    Loop,
    MemProgram,
    Opaque,
    RaggedKernel,
    Reduce,
    Replicate,
    Scalar,
    Scan,
    Scatter,
    Scratch,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimRange
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import ONE, ZERO, Size, const, product, var
from funmem.ir.traverse import inner_indices
from funmem.passes.lower.collectives import accumulators, mapped_results
from funmem.passes.lower.context import Context, Place


class CopyKind(Enum):
    """The kind of statement that copies an array; the value is shown to the user."""

    COPY = "copy"
    CONCAT = "concat"
    LITERAL = "array literal"
    UPDATE = "update"
    REPLICATE = "replicate"
    SCATTER = "scatter"
    THREAD = "result of a thread"
    OPERATOR = "operator"


@frozen
class Around:
    """A kernel or loop around a copy; ``times`` is the trip count of its body, None if unknown."""

    what: str
    at: Span = field(eq=False)
    times: Size | None
    binds: frozenset[Name] = field(default=frozenset(), eq=False)
    """The loop's parameters and index; they identify the loop."""


@frozen
class ArrayCopy:
    """One copied array: the statement that copies it (as operand or result number ``slot``), source
    and destination, and the number of bytes that one execution copies.
    """

    entry: Name
    statement: Name
    kind: CopyKind
    slot: int
    source: Name
    dest: Name
    places: tuple[Place, Place]
    bytes: Size
    around: tuple[Around, ...] = field(eq=False)
    at: Span = field(eq=False)

    @property
    def key(self) -> tuple[Name, Name, CopyKind, int]:
        """The identity of the copy; it survives changes to the program around it."""
        return self.entry, self.statement, self.kind, self.slot

    @property
    def times(self) -> Size | None:
        """The number of executions as a polynomial, or None if there is no formula."""
        every = [a.times for a in self.around]
        return None if None in every else product(t for t in every if t is not None)


def copies(program: MemProgram) -> tuple[ArrayCopy, ...]:
    """Return all copies that a FUNMEM program makes, in textual order."""
    return tuple(c for e in program.entries for c in _Finder(e).find())


class _Finder:
    def __init__(self, entry: Entry[Ann]) -> None:
        self._entry = entry
        self._ctx = Context.of(entry)

    def find(self) -> Iterator[ArrayCopy]:
        """Yield the copies in textual order; those for operators are numbered within their
        statement.
        """
        numbers: Counter[Name] = Counter()
        for c in self._body(self._entry.body, ()):
            if c.kind is CopyKind.OPERATOR:
                yield evolve(c, slot=numbers[c.statement])
                numbers[c.statement] += 1
            else:
                yield c

    def _body(self, b: Body[Ann], around: tuple[Around, ...]) -> Iterator[ArrayCopy]:
        for s in b.stms:
            yield from self._statement(s, around)

    def _statement(self, s: Stm[Ann], around: tuple[Around, ...]) -> Iterator[ArrayCopy]:
        match s.exp:
            case Copy(b):
                yield from self._move(s, CopyKind.COPY, 0, Var(b), self._result(s), around)
            case Concat(dim, xs):
                yield from self._concat(s, dim, xs, around)
            case ArrayLit(elems):
                for k, a in enumerate(elems):
                    row = self._result(s).prefix((const(k),))
                    yield from self._move(s, CopyKind.LITERAL, k, a, row, around)
            case Update(x, where, value):
                place = self._ctx.place(x)
                part = Place(place.block, place.ix.part(where), place.elem)
                yield from self._move(s, CopyKind.UPDATE, 0, value, part, around)
            case Replicate(shape, value):
                if self._ctx.place_of(value) is not None:
                    index = tuple(var(Name(f"…{k}")) for k in range(len(shape)))
                    row = self._result(s).prefix(index)
                    inside = (*around, Around("replicate", s.at, product(shape)))
                    yield from self._move(s, CopyKind.REPLICATE, 0, value, row, inside)
            case Scatter(x, indices, values):
                yield from self._scatter(s, x, indices, values, around)
            case If(_, then, orelse):
                yield from self._body(then, around)
                yield from self._body(orelse, around)
            case Loop(_, form, body) as loop:
                times = form.bound if isinstance(form, For) else None
                inside = (*around, Around("loop", s.at, times, loop_names(loop)))
                yield from self._body(body, inside)
            case Kernel() as k:
                yield from self._kernel(s, k, around)
            case Scalar() | Index() | DerivedArray() | Iota() | Scratch() | Assert() | Alloc():
                return
            case Opaque():
                return
            case RaggedKernel():
                raise unscheduled()

    def _concat(
        self, s: Stm[Ann], dim: int, xs: Sequence[Name], around: tuple[Around, ...]
    ) -> Iterator[ArrayCopy]:
        z, offset = self._result(s), ZERO
        for k, x in enumerate(xs):
            shape = self._ctx.shape(x)
            part = [DimRange(offset if j == dim else ZERO, n, ONE) for j, n in enumerate(shape)]
            target = Place(z.block, z.ix.slice_f(part), z.elem)
            yield from self._move(s, CopyKind.CONCAT, k, Var(x), target, around)
            offset = offset + shape[dim]

    def _scatter(
        self, s: Stm[Ann], x: Name, indices: Name, values: Name, around: tuple[Around, ...]
    ) -> Iterator[ArrayCopy]:
        """Yield the copy of rows into ``x``; their destinations depend on data."""
        (n,) = self._ctx.shape(indices)
        dest, source = self._ctx.place(x), self._ctx.place(values)
        size = product(self._ctx.shape(values)[1:]) * source.elem.bytes
        inside = (*around, Around("scatter", s.at, n))
        name = s.pat[0].name
        yield ArrayCopy(
            self._entry.name,
            name,
            CopyKind.SCATTER,
            0,
            values,
            name,
            (source, dest),
            size,
            inside,
            s.at,
        )

    # -- kernels

    def _kernel(
        self, s: Stm[Ann], k: Kernel[Ann], around: tuple[Around, ...]
    ) -> Iterator[ArrayCopy]:
        threads = (*around, Around("kernel", s.at, product(d.size for d in k.dims)))
        rows = (*around, Around("kernel", s.at, product(d.size for d in k.dims[:-1])))
        index = tuple(var(d.index) for d in k.dims)
        mapped = mapped_results(s, k)
        match k.collective:
            case Reduce(op, ne):
                yield from self._folded(s, op, ne, k.body.result[: len(ne)], (rows, threads))
                yield from self._from_operator(
                    s, s.pat[: len(ne)], index[:-1], _accumulator_atoms(op), rows
                )
            case Scan(op, ne):
                yield from self._folded(s, op, ne, k.body.result[: len(ne)], (rows, threads))
                yield from self._from_operator(
                    s, s.pat[: len(ne)], index, _accumulator_atoms(op), threads
                )
            case Hist(dest, op, ne):
                yield from self._buckets(s, k, (dest, op, len(ne)), threads)
            case _:
                pass
        results = k.body.result[len(k.body.result) - len(mapped) :]
        yield from self._body(k.body, threads)
        for slot, (y, a) in enumerate(zip(mapped, results, strict=True)):
            if isinstance(y.type, ArrayType):
                row = self._ctx.place(y.name).prefix(index)
                yield from self._move(s, CopyKind.THREAD, slot, a, row, threads, y.name)

    def _folded(
        self,
        s: Stm[Ann],
        op: Lambda[Ann],
        ne: Sequence[Atom],
        values: Sequence[Atom],
        around: tuple[tuple[Around, ...], tuple[Around, ...]],
    ) -> Iterator[ArrayCopy]:
        """Copies of neutral elements and values into an operator's parameters, and of its results
        back.
        """
        rows, threads = around
        acc = accumulators(op)
        yield from self._to_operator(s, acc, ne, rows)
        yield from self._to_operator(s, op.params[len(acc) :], values, threads)
        yield from self._body(op.body, threads)
        yield from self._to_operator(s, acc, op.body.result, threads)

    def _buckets(
        self,
        s: Stm[Ann],
        k: Kernel[Ann],
        hist: tuple[Sequence[Name], Lambda[Ann], int],
        around: tuple[Around, ...],
    ) -> Iterator[ArrayCopy]:
        """Copies of a bucket's row to the operator and back."""
        dest, op, n = hist
        acc = accumulators(op)
        index = (*(var(d.index) for d in k.dims[:-1]), var(Name("…")))
        rows = [self._ctx.place(x).prefix(index) for x in dest]
        for x, p, row in zip(dest, acc, rows, strict=True):
            if isinstance(p.type, ArrayType):
                home = self._ctx.place(p.name)
                yield from self._record(s, CopyKind.OPERATOR, 0, x, (row, home), around, p.name)
        yield from self._to_operator(s, op.params[len(acc) :], k.body.result[1 : n + 1], around)
        yield from self._body(op.body, around)
        for x, row, a in zip(dest, rows, op.body.result, strict=True):
            yield from self._move(s, CopyKind.OPERATOR, 0, a, row, around, x)

    def _to_operator(
        self,
        s: Stm[Ann],
        params: Sequence[Binder[Ann]],
        values: Sequence[Atom],
        around: tuple[Around, ...],
    ) -> Iterator[ArrayCopy]:
        for slot, (p, a) in enumerate(zip(params, values, strict=True)):
            if isinstance(p.type, ArrayType):
                place = self._ctx.place(p.name)
                yield from self._move(s, CopyKind.OPERATOR, slot, a, place, around, p.name)

    def _from_operator(
        self,
        s: Stm[Ann],
        pat: Sequence[Binder[Ann]],
        index: tuple[Size, ...],
        values: Sequence[Atom],
        around: tuple[Around, ...],
    ) -> Iterator[ArrayCopy]:
        for slot, (z, a) in enumerate(zip(pat, values, strict=True)):
            if isinstance(z.type, ArrayType):
                place = self._ctx.place(z.name).prefix(index)
                yield from self._move(s, CopyKind.OPERATOR, slot, a, place, around, z.name)

    # -- one copy

    def _result(self, s: Stm[Ann]) -> Place:
        return self._ctx.place(s.pat[0].name)

    def _move(
        self,
        s: Stm[Ann],
        kind: CopyKind,
        slot: int,
        value: Atom,
        target: Place,
        around: tuple[Around, ...],
        dest: Name | None = None,
    ) -> Iterator[ArrayCopy]:
        """Yield a copy of ``value`` to ``target`` if it is an array that lies elsewhere."""
        source = self._ctx.place_of(value)
        if not isinstance(value, Var) or source is None or target.same_as(source):
            return
        places = (source, target)
        yield from self._record(s, kind, slot, value.name, places, around, dest)

    def _record(
        self,
        s: Stm[Ann],
        kind: CopyKind,
        slot: int,
        source: Name,
        places: tuple[Place, Place],
        around: tuple[Around, ...],
        dest: Name | None,
    ) -> Iterator[ArrayCopy]:
        name = s.pat[0].name
        size = product(places[0].ix.shape) * places[0].elem.bytes
        entry = self._entry.name
        yield ArrayCopy(entry, name, kind, slot, source, dest or name, places, size, around, s.at)


def loop_names(loop: Loop[Ann]) -> frozenset[Name]:
    """Return the names that a loop binds around its body; they identify the loop."""
    return frozenset((*(p.binder.name for p in loop.params), *inner_indices(loop)))


def _accumulator_atoms(op: Lambda[Ann]) -> tuple[Atom, ...]:
    return tuple(Var(p.name) for p in accumulators(op))


def by_key(found: Sequence[ArrayCopy]) -> Mapping[tuple[Name, Name, CopyKind, int], ArrayCopy]:
    """Return a table from :attr:`ArrayCopy.key` to the copy."""
    return {c.key: c for c in found}
