"""Converts values between Core and callers, which have only scalars and regular arrays of them.

    scalar              one part: itself
    {l : t, …}          the parts of its fields, in order
    token               no parts
    #a t … | #b t …     a tag (the constructor's number, i8 or wider), then slots, which the
                        constructors share: each part of a payload takes the first slot of its type
                        that is free; unused slots are zero
    [d]t                an array for each part of t; if t has no parts, one array of false

This layout is the interface of entry points before and after all passes, so results are compared in
it.  Inner sizes of an empty array may be unknown; an unknown size agrees with any.  Where the type
states no length of rows, an argument may be a nested list of rows of any lengths, and a result
whose rows differ is offsets and elements, as ``flatten-nested`` has them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from funmem.interp.core.nested import inner, joined, nested, outer, rows_of_any_length
from funmem.interp.core.values import (
    UNIT,
    Dims,
    Hole,
    Num,
    Rec,
    Rows,
    Tagged,
    Val,
    array,
    record,
    show_kind,
    show_shape,
    sized,
)
from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.core_traverse import instantiate_type, unsized
from funmem.ir.core_types import endless, tag_type
from funmem.ir.diagnostics import (
    NOWHERE,
    Diagnostic,
    InputError,
    SourceError,
    Stuck,
    Trap,
    TrapKind,
)
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.ragged import offsets_of
from funmem.ir.ragged_values import Rows as Nested
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, ScalarType, normalise
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.signature import Parameter, Signature
from funmem.ir.sizes import Size, const, var
from funmem.ir.values import ArgValue, ArrayValue, Data, Value, agree, bind, dtype, spread


class Blank(NamedTuple):
    """The content of an unused slot: zeros."""

    type: Type


Leaf: TypeAlias = "Val | Blank"
Given: TypeAlias = "Data | Nested | ScalarValue"
"""A part of an argument."""


@frozen
class Part:
    """One part of a result of an entry point; None in ``dims`` is an unknown size.

    If its rows differ in length, there are ``offsets``, outermost first, the value is its elements,
    and ``irregular`` says which rows differ.
    """

    value: Value
    dims: Dims
    offsets: tuple[Data, ...] = ()
    irregular: str = ""

    def flat(self) -> "tuple[Part, ...]":
        """Return the offsets and the elements as parts."""
        ends = [Part(ArrayValue(x), x.shape) for x in self.offsets]
        return (*ends, Part(self.value, self.dims))


def _result(k: int, t: Type) -> Parameter:
    """Return the k-th result, a part; unknown sizes have names of their own."""
    name, shape = Name(f"out_{k}"), list[Size]()
    while isinstance(t, c.Array):
        unknown = var(Name(f"{name} has {len(shape)}"))
        shape.append(unknown if t.size is None else t.size)
        t = t.elem
    if not isinstance(t, ScalarType):
        raise Stuck(f"{t} is not the type of a part")
    return Parameter(name, ArrayType(t, tuple(shape)) if shape else t)


class Layout:
    """The layout of the types of a program."""

    def __init__(self, data: Iterable[c.DataDef]) -> None:
        self._data = {d.name: d for d in data}
        self._open: list[c.Data] = []

    def sum(self, t: c.Sum | c.Data) -> c.Sum:
        """Return a sum type, or the sum that a data type is defined to be."""
        if not isinstance(t, c.Data):
            return t
        d = self._data[t.name]
        found = instantiate_type(d.type, dict(zip(d.tparams, t.args, strict=True)))
        assert isinstance(found, c.Sum)
        return found

    def parts(self, t: Type) -> tuple[Type, ...]:
        """Return the types of the parts of a type: scalars and arrays of scalars."""
        match t:
            case ScalarType():
                return (t,)
            case c.Record(fields):
                return tuple(u for _, f in fields for u in self.parts(f))
            case c.Array(elem, size):
                return tuple(c.Array(u, size) for u in self.cells(elem))
            case c.Data(name):
                if t in self._open or endless([t]):
                    raise _unsupported(f"recursive data `{name}` as a parameter or result")
                self._open.append(t)
                sum_ = self.sum(t)
                found = (tag_type(sum_), *self.slots(sum_)[0])
                self._open.pop()
                return found
            case c.Sum():
                return (tag_type(t), *self.slots(t)[0])
            case c.Token():
                return ()
            case c.Arrow():
                raise _unsupported("a function as a parameter or result")
            case c.TypeVar():
                raise Stuck("a type variable outside definitions")

    def cells(self, t: Type) -> tuple[Type, ...]:
        """Return the parts of an array's element type."""
        return self.parts(t) or (BOOL,)

    def slots(self, t: c.Sum) -> tuple[list[Type], dict[str, list[int]]]:
        """Return the types of a sum's slots, and the slots that each constructor takes."""
        types: list[Type] = []
        places: dict[Type, list[int]] = {}
        where: dict[str, list[int]] = {}
        for name, payload in t.constructors:
            mine: list[int] = []
            taken = Counter[Type]()
            for part in (unsized(p) for u in payload for p in self.parts(u)):
                same = places.setdefault(part, [])
                if taken[part] == len(same):
                    same.append(len(types))
                    types.append(part)
                mine.append(same[taken[part]])
                taken[part] += 1
            where[name] = mine
        return types, where

    # ------------------------------------------------------------------ to the caller

    def results(self, v: Val, t: Type) -> tuple[Part, ...]:
        """Return the parts of a result."""
        leaves = zip(self.leaves(v, t), self.parts(t), strict=True)
        return tuple([_part(leaf, u) for leaf, u in leaves])

    def leaves(self, v: Val, t: Type) -> list[Leaf]:
        """Return the parts of a value."""
        match t:
            case ScalarType():
                if not isinstance(v, Num | Hole) or v.t is not t:
                    raise Stuck(f"the result is {show_kind(v)}, its type is {t}")
                return [v]
            case c.Record(types):
                fields = zip(record(v).fields, types, strict=True)
                return [leaf for (_, x), (_, u) in fields for leaf in self.leaves(x, u)]
            case c.Sum() | c.Data():
                if isinstance(v, Hole):
                    return [
                        Hole(u) if isinstance(u, ScalarType) else Blank(u) for u in self.parts(t)
                    ]
                if not isinstance(v, Tagged):
                    raise Stuck(f"the result is {show_kind(v)}, its type is a sum")
                return self._tagged(v, self.sum(t))
            case c.Array(elem):
                xs = array(v)
                false = Num(False, BOOL)
                cells = [self.leaves(x, elem) or [false] for x in xs.elems]
                columns = self.cells(elem if xs.elems else xs.row)
                return [
                    Rows(tuple([cast(Val, cell[k]) for cell in cells]), u)
                    for k, u in enumerate(columns)
                ]
            case c.Token():
                return []
            case c.Arrow():
                raise _unsupported("a function as a parameter or result")
            case c.TypeVar():
                raise Stuck("a type variable outside definitions")

    def _tagged(self, v: Tagged, t: c.Sum) -> list[Leaf]:
        types, where = self.slots(t)
        out: list[Leaf] = [_zero(u) if isinstance(u, ScalarType) else Blank(u) for u in types]
        payload = zip(v.args, t.payload(v.name), strict=True)
        given = [leaf for x, u in payload for leaf in self.leaves(x, u)]
        for k, leaf in zip(where[v.name], given, strict=True):
            out[k] = leaf
        tag = [name for name, _ in t.constructors].index(v.name)
        return [Num(tag, tag_type(t)), *out]

    # ------------------------------------------------------------------ from the caller

    def signature(self, e: c.Entry) -> Signature:
        """Return the signature for callers: one argument for each part of each parameter."""
        sizes = list(e.sizes)
        params: list[Parameter] = []
        for q in e.params:
            parts = self.parts(self._one_length(e, q.binder, sizes))
            for k, t in enumerate(parts):
                name = q.binder.name if len(parts) == 1 else Name(f"{q.binder.name}_{k}")
                shape: list[Size] = []
                while isinstance(t, c.Array):
                    size = t.size
                    if size is None or not size.free() <= frozenset(sizes):
                        sizes.append(Name(f"{name} has {len(shape)}"))
                        size = var(sizes[-1])
                    shape.append(size)
                    t = t.elem
                if not isinstance(t, ScalarType):
                    raise Stuck(f"{t} is not the type of a part")
                params.append(Parameter(name, ArrayType(t, tuple(shape)) if shape else t))
        results = [_result(k, t) for k, t in enumerate(self.parts(e.result), 1)]
        labels = [x for x, _ in e.result.fields] if isinstance(e.result, c.Record) else []
        for k, (x, y) in reversed(list(enumerate(pairwise(labels)))):
            if x == offsets_of(y):  # then each field is one part
                results[k] = evolve(results[k], name=offsets_of(results[k + 1].name))
        return Signature(e.name, tuple(sizes), tuple(params), tuple(results))

    def _one_length(self, e: c.Entry, p: c.Binder, sizes: list[Name]) -> Type:
        """Return the type of a parameter, with a name for the length of arrays of several parts."""

        def named(t: Type) -> Type:
            match t:
                case c.Record(fields):
                    return c.Record(tuple([(x, named(u)) for x, u in fields]))
                case c.Array(elem, size):
                    stated = size is not None and size.free() <= frozenset(e.sizes)
                    if not stated and len(self.parts(elem)) > 1:
                        sizes.append(Name(f"{p.name} is {len(sizes)} long"))
                        size = var(sizes[-1])
                    return c.Array(named(elem), size)
                case ScalarType() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
                    return t

        return named(p.type)

    def arguments(
        self, e: c.Entry, args: Sequence[ArgValue]
    ) -> tuple[dict[Name, int], dict[Name, Val]]:
        """Return the sizes that the arguments determine, and the values of the parameters.

        Raises InputError if the arguments do not fit.
        """
        sig = self.signature(e)
        types = [t for q in e.params for t in self.parts(q.binder.type)]
        args = joined(spread(sig.params, args), types)
        found = dict[int, Nested]()
        if len(args) == len(types):
            for k, (a, t, p) in enumerate(zip(args, types, sig.params, strict=True)):
                if isinstance(a, list | tuple) and rows_of_any_length(t):
                    found[k] = nested(k + 1, p, a)
            args = [
                outer(rows, t) if (rows := found.get(k)) is not None else a
                for k, (a, t) in enumerate(zip(args, types, strict=True))
            ]
        sizes, values = bind(sig, args)
        parts = [v.data if isinstance(v, ArrayValue) else v for v in values]
        given = iter([found.get(k, v) for k, v in enumerate(parts)])
        return sizes, {q.binder.name: self.built(q.binder.type, given) for q in e.params}

    def built(self, t: Type, given: Iterator[Given]) -> Val:
        """Return a value made of its parts; a token has none."""
        match t:
            case ScalarType():
                x = cast("Data | ScalarValue", next(given))
                return Num(x.item() if isinstance(x, np.generic | np.ndarray) else x, t)
            case c.Record(fields):
                return Rec(tuple([(label, self.built(u, given)) for label, u in fields]))
            case c.Sum() | c.Data():
                return self._constructed(t, given)
            case c.Token():
                return UNIT
            case c.Array(elem):
                columns = [(cast("Data | Nested", next(given)), u) for u in self.cells(elem)]
                n = sized(len(columns[0][0]), NOWHERE)
                if any(len(x) != n for x, _ in columns):
                    what = "the rows of arrays of one record have different lengths"
                    raise InputError(Diagnostic(NOWHERE, "argument", what))
                row = self._row(elem, iter([inner(x, u) for x, u in columns]))
                return Rows(
                    tuple([self.built(elem, iter([x[k] for x, _ in columns])) for k in range(n)]),
                    row,
                )
            case c.Arrow() | c.TypeVar():
                raise Stuck(f"a parameter of type {t}")

    def _constructed(self, t: c.Sum | c.Data, given: Iterator[Given]) -> Val:
        sum_ = self.sum(t)
        types, where = self.slots(sum_)
        tag = int(cast(ScalarValue, next(given)))
        slots = [next(given) for _ in types]
        if not 0 <= tag < len(sum_.constructors):
            what = f"{tag} is not the number of a constructor: there are {len(sum_.constructors)}"
            raise InputError(Diagnostic(NOWHERE, "argument", what))
        name, payload = sum_.constructors[tag]
        mine = iter([slots[k] for k in where[name]])
        return Tagged(name, tuple([self.built(u, mine) for u in payload]), t)

    def _row(self, t: Type, shapes: Iterator[Dims]) -> Type:
        """Return a type with the sizes of its parts."""
        match t:
            case c.Array(elem):
                mine = [next(shapes) for _ in self.cells(elem)]
                n = mine[0][0]
                size = None if n is None else const(n)
                return c.Array(self._row(elem, iter([s[1:] for s in mine])), size)
            case c.Record(fields):
                return c.Record(tuple([(x, self._row(u, shapes)) for x, u in fields]))
            case ScalarType() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
                for _ in self.parts(t):
                    next(shapes)
                return unsized(t)


# ---------------------------------------------------------------------- rows of different lengths


def _flat(leaf: Rows, rank: int, elem: ScalarType, why: str) -> Part:
    """Return an irregular array as offsets and elements."""
    rows, offsets = leaf.elems, list[Data]()
    for _ in range(rank - 1):
        inside = [x.elems if isinstance(x, Rows) else () for x in rows]
        ends = np.cumsum([0, *map(len, inside)], dtype=np.int64)
        offsets.append(ends)
        rows = tuple([y for x in inside for y in x])
    elements = _part(Rows(rows, elem), c.Array(elem))
    return Part(elements.value, elements.dims, tuple(offsets), why)


# ---------------------------------------------------------------------- leaves


def _zero(t: ScalarType) -> Num:
    return Num(normalise(0, t), t)


def _part(leaf: Leaf, t: Type) -> Part:
    elem, rank = t, 0
    while isinstance(elem, c.Array):
        elem, rank = elem.elem, rank + 1
    if not isinstance(elem, ScalarType):
        raise Stuck(f"{t} is not the type of a part")
    if rank == 0:
        return Part(_scalar(leaf, elem), ())
    try:
        dims = _dims(leaf, rank)
    except Trap as irregular:
        assert isinstance(leaf, Rows)
        return _flat(leaf, rank, elem, irregular.diagnostic.message)
    shape = tuple([n or 0 for n in dims])
    cells: list[ScalarValue] = []
    mask: list[bool] = []
    _collect(leaf, shape, elem, cells, mask)
    data = np.array(cells, dtype(elem)).reshape(shape)
    defined = None if all(mask) else np.array(mask, np.bool_).reshape(shape)
    return Part(ArrayValue(data, defined), dims)


def _scalar(leaf: Leaf, t: ScalarType) -> ScalarValue:
    match leaf:
        case Num(v, found) if found is t:
            return v
        case Hole():
            raise Trap(TrapKind.UNINITIALISED, "The element was never given a value.")
        case _:
            raise Stuck(f"{leaf} is not of type {t}")


def _dims(leaf: Leaf, rank: int) -> Dims:
    """Return the shape of a part; all sizes of a blank are unknown.  Raises Trap if rows differ."""
    if isinstance(leaf, Blank):
        return (None,) * rank
    if not isinstance(leaf, Rows):
        raise Stuck(f"{leaf} is not an array")
    if rank == 1:
        return (len(leaf.elems),)
    if not leaf.elems:
        t, out = leaf.row, list[int | None]()
        while isinstance(t, c.Array):
            out.append(None if t.size is None else t.size.as_const)
            t = t.elem
        return (0, *out)
    found: Dims = (None,) * (rank - 1)
    for x in leaf.elems:
        other = _dims(x, rank - 1)
        if any(m != n for m, n in zip(found, other, strict=True) if None not in (m, n)):
            raise Trap(
                TrapKind.SHAPE,
                f"Irregular array: a row of shape {show_shape(other)} "
                f"where the first has shape {show_shape(found)}.",
            )
        found = tuple([n if m is None else m for m, n in zip(found, other, strict=True)])
    return (len(leaf.elems), *found)


def _collect(
    leaf: Leaf, shape: tuple[int, ...], t: ScalarType, cells: list[ScalarValue], mask: list[bool]
) -> None:
    match leaf:
        case Num(v, found) if found is t:
            cells.append(v)
            mask.append(True)
        case Hole():
            cells.append(normalise(0, t))
            mask.append(False)
        case Blank():
            count = prod(shape)
            cells += [normalise(0, t)] * count
            mask += [True] * count
        case Rows(elems, _):
            for x in elems:
                _collect(x, shape[1:], t, cells, mask)
        case _:
            raise Stuck(f"{leaf} is not of type {t}")


def _unsupported(what: str) -> SourceError:
    return SourceError(Diagnostic(NOWHERE, "not-supported", f"not supported: {what}"))


# ---------------------------------------------------------------------- comparison


def differ(expected: Sequence[Part], got: Sequence[Part] | Sequence[Value]) -> str | None:
    """Describe the first difference between results; None if they agree.

    An unknown size agrees with any size.  Offsets and elements are results of their own.
    """
    wanted = [x for part in expected for x in part.flat()]
    found = [x for part in got for x in (part.flat() if isinstance(part, Part) else (part,))]
    if len(wanted) != len(found):
        return f"expected {len(wanted)} result(s), got {len(found)}"
    for k, (a, b) in enumerate(zip(wanted, found, strict=True), 1):
        b = b if isinstance(b, Part) else Part(b, b.shape if isinstance(b, ArrayValue) else ())
        x, y = a.value, b.value
        if isinstance(x, ArrayValue) and isinstance(y, ArrayValue) and x.elem is y.elem:
            same = len(a.dims) == len(b.dims) and all(
                m is None or n is None or m == n for m, n in zip(a.dims, b.dims, strict=False)
            )
            if same and not x.data.size and not y.data.any():
                continue  # an unused slot, whose size may be any
        difference = agree((x,), (y,))
        if difference is not None:
            return difference.replace("result 1", f"result {k}", 1)
    return None
