"""The data that a statement itself moves, without its bodies: the rules of fig. 10, statically.

A :class:`Move` writes the elements of an array, or of a part of it, from another array or from
scalars; the heap interpreter does nothing if source and destination are the same place.  A kernel
moves its results, and a collective its accumulators, in the order that :class:`Nest` lists.
"""

from collections.abc import Iterable, Iterator, Sequence

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Atom,
    Binder,
    Compound,
    Concat,
    Copy,
    DerivedArray,
    Hist,
    Index,
    Iota,
    Kernel,
    Map,
    Opaque,
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
from funmem.ir.lmad import Dim, Lmad, SliceDim
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ZERO, Size, SizeLike, var
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.spot import Spot

POSITION = ".at."


def position(y: Name, which: str) -> Name:
    """Return a name for an index that no statement binds and each execution chooses anew."""
    return Name(f"{y}{POSITION}{which}")


def positions(names: Iterable[Name]) -> frozenset[Name]:
    """Return the names that :func:`position` made."""
    return frozenset(x for x in names if POSITION in x)


@frozen
class Move:
    """A write of ``into``, a part of ``array``, from ``source`` at ``taken`` or from scalars."""

    into: Spot
    array: Name
    source: Name | None
    taken: Spot | None
    at: Stm[Ann]
    what: str
    ranges: tuple[tuple[Name, Size], ...] = ()
    """Indices that no statement binds, with their bounds: a position in a scatter, a bucket."""

    @property
    def is_nothing(self) -> bool:
        """True if source and destination are the same place, for all values of names."""
        return self.taken == self.into


def moves_of(s: Stm[Ann], scene: Scene) -> tuple[Move, ...]:
    """Return the moves of a statement; those of kernels are in :func:`nest_of`."""
    return tuple(_moves(s, scene))


def _moves(s: Stm[Ann], scene: Scene) -> Iterator[Move]:
    match s.exp:
        case Iota():
            yield _whole(s, None, scene, "iota")
        case Copy(x):
            yield _whole(s, x, scene, "copy")
        case Replicate(shape, a):
            if not scene.is_array(a):
                yield _whole(s, None, scene, "replicate")
                return
            assert isinstance(a, Var)
            y, v = s.pat[0].name, scene.spot(a.name)
            again = tuple(Dim(n, ZERO) for n in shape)
            taken = Spot(v.block, Lmad(v.ix.offset, (*again, *v.ix.dims)), v.bytes)
            yield Move(scene.spot(y), y, a.name, taken, s, "replicate")
        case ArrayLit(elems, _, rows):
            y = s.pat[0].name
            if not rows:
                yield _whole(s, None, scene, "literal")
                return
            for k, a in enumerate(elems):
                yield into(scene.spot(y).row(k), y, a, s, scene, "row of a literal")
        case Concat(dim, xs):
            yield from _concat(s, dim, xs, scene)
        case Update(x, where, a):
            y, old = s.pat[0].name, scene.spot(x)
            yield into(Spot(old.block, part(old.ix, where), old.bytes), y, a, s, scene, "update")
        case Scatter(x, indices, values):
            yield from _scatter(s, x, indices, values, scene)
        case Opaque():
            for p in s.pat:
                yield Move(scene.spot(p.name), p.name, None, None, s, "foreign code")
        case Scalar() | Index() | DerivedArray() | Scratch() | Compound() | Assert() | Alloc():
            return


def _whole(s: Stm[Ann], x: Name | None, scene: Scene, what: str) -> Move:
    y = s.pat[0].name
    return Move(scene.spot(y), y, x, None if x is None else scene.spot(x), s, what)


def part(ix: Lmad, where: tuple[SliceDim, ...] | Lmad) -> Lmad:
    """Return the index function of the elements that an update writes."""
    if isinstance(where, Lmad):
        return ix.flat_slice(where.offset, where.dims)
    return ix.slice_f(where)


def into(place: Spot, y: Name, a: Atom, s: Stm[Ann], scene: Scene, what: str) -> Move:
    """Return the move of an atom to a part of ``y``."""
    if scene.is_array(a):
        assert isinstance(a, Var)
        return Move(place, y, a.name, scene.spot(a.name), s, what)
    return Move(place, y, None, None, s, what)


def _concat(s: Stm[Ann], dim: int, xs: Sequence[Name], scene: Scene) -> Iterator[Move]:
    y = s.pat[0].name
    whole, start = scene.spot(y), ZERO
    for x in xs:
        n = scene.types[x].shape[dim]
        dims = whole.ix.dims
        part = Lmad(
            whole.ix.offset + dims[dim].stride * start,
            (*dims[:dim], Dim(n, dims[dim].stride), *dims[dim + 1 :]),
        )
        yield Move(
            Spot(whole.block, part, whole.bytes), y, x, scene.spot(x), s, "part of a concatenation"
        )
        start = start + n


def _scatter(s: Stm[Ann], x: Name, indices: Name, values: Name, scene: Scene) -> Iterator[Move]:
    """Yield the move of any row of the values to any row of ``x``: two free positions."""
    y, t = s.pat[0].name, scene.types[x]
    k, i = position(y, "from"), position(y, "to")
    ranges = ((k, scene.types[indices].shape[0]), (i, t.shape[0]))
    row, value = scene.spot(x).row(var(i)), scene.spot(values).row(var(k))
    yield Move(row, y, values, value, s, "scatter", ranges)


# ---------------------------------------------------------------------- kernels


@frozen
class Nest:
    """The moves of a kernel, in the order in which they are executed.

    for each row      first
        for each i    body   mapped   passed   (operator)   back   kept
                      last
    """

    first: tuple[Move, ...]
    """Neutral elements to the accumulators."""
    mapped: tuple[Move, ...]
    """Mapped results of the body to their place."""
    passed: tuple[Move, ...]
    """Values to the operator's parameters; in a histogram also the bucket's elements."""
    back: tuple[Move, ...]
    """The operator's results to the accumulators."""
    kept: tuple[Move, ...]
    """Accumulators to the result: in a scan after each iteration, in a histogram to the bucket."""
    last: tuple[Move, ...]
    """Accumulators to the result of a reduction."""


def nest_of(s: Stm[Ann], e: Kernel[Ann], scene: Scene) -> Nest:
    """Return the moves of a kernel."""
    index = [var(d.index) for d in e.dims]
    outer = index[:-1]
    match e.collective:
        case Map():
            return Nest((), _rows(s.pat, index, e.body.result, s, scene), (), (), (), ())
        case Reduce(op, ne, _) | Scan(op, ne):
            k = len(ne)
            each = isinstance(e.collective, Scan)
            kept = _rows(s.pat[:k], index if each else outer, _vars(op.params[:k]), s, scene)
            return Nest(
                _rows(op.params[:k], (), ne, s, scene, "neutral element"),
                _rows(s.pat[k:], index, e.body.result[k:], s, scene),
                _rows(op.params[k:], (), e.body.result[:k], s, scene, "argument"),
                _rows(op.params[:k], (), op.body.result, s, scene, "accumulator"),
                kept if each else (),
                () if each else kept,
            )
        case Hist(dest, op, _):
            k = len(dest)
            bucket = position(s.pat[0].name, "bucket")
            ranges = ((bucket, scene.types[dest[0]].shape[len(outer)]),)
            at = [*outer, var(bucket)]
            old = tuple(
                _bucket(p, scene.spot(p.name), scene.spot(y.name).row(*at), y.name, s, ranges)
                for p, y in zip(op.params[:k], s.pat, strict=False)
                if p.name in scene.homes
            )
            new = tuple(
                _from(scene.spot(y.name).row(*at), y.name, a, s, scene, ranges)
                for y, a in zip(s.pat[:k], op.body.result, strict=True)
            )
            return Nest(
                (),
                _rows(s.pat[k:], index, e.body.result[k + 1 :], s, scene),
                (
                    *old,
                    *_rows(op.params[k:], (), e.body.result[1 : k + 1], s, scene, "argument"),
                ),
                (),
                new,
                (),
            )


def _vars(params: Sequence[Binder[Ann]]) -> tuple[Var, ...]:
    return tuple(Var(p.name) for p in params)


def _rows(
    binders: Sequence[Binder[Ann]],
    index: Sequence[SizeLike],
    values: Sequence[Atom],
    s: Stm[Ann],
    scene: Scene,
    what: str = "a thread's result",
) -> tuple[Move, ...]:
    pairs = zip(binders, values, strict=True)
    return tuple(
        into(scene.spot(b.name).row(*index), b.name, a, s, scene, what)
        for b, a in pairs
        if b.name in scene.homes
    )


def _bucket(
    p: Binder[Ann],
    place: Spot,
    taken: Spot,
    dest: Name,
    s: Stm[Ann],
    ranges: tuple[tuple[Name, Size], ...],
) -> Move:
    return Move(place, p.name, dest, taken, s, "bucket", ranges)


def _from(
    place: Spot,
    y: Name,
    a: Atom,
    s: Stm[Ann],
    scene: Scene,
    ranges: tuple[tuple[Name, Size], ...],
) -> Move:
    m = into(place, y, a, s, scene, "bucket")
    return Move(m.into, m.array, m.source, m.taken, s, "bucket", ranges)
