"""Arguments and results of entry points as their source language has them.

    entry main (p : {x : f32, y : f32}) : #none | #some i32

    main({"x": 1, "y": 2})   ->   the entry point with the parts (1, 2)
    Variant("some", 3)       <-   its results (1, 3): a tag, and the slot of the payload

A record is a dict, a dataclass or a named tuple, and a named tuple as a result; a tuple is a tuple
or a list; a value of a sum is a ``Variant``.  Recursive data are Variants in Variants (rows.py).
A caller with an argument for each part passes these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from funmem.codegen.plan import signature_of
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError
from funmem.ir.fun import ArrayType
from funmem.ir.interface import Choice, Group, Interface, Link, Many, Part, Tree, Vector, count
from funmem.ir.names import Name
from funmem.ir.ragged_values import rows_of_all
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, normalise
from funmem.ir.signature import Parameter, Signature, offset_places, visible
from funmem.ir.values import dtype
from funmem.values.places import Place, place_text
from funmem.values.records import chosen_case, class_of, group_fields
from funmem.values.rows import Reader, Writer
from funmem.values.variants import Variant

Call: TypeAlias = Callable[..., Any]


def called_by_name(call: Call, s: Signature) -> Call:
    """Return a function with the interface of ``s`` that calls one of parts.

    ``call`` returns a single result without a tuple, and rows or their offsets and elements.
    """
    return call if s.interface is None else _by_name(call, s, s.interface, None)


class Named:
    """An entry point of a compiled module, which takes arguments and returns results by name.

    ``entries`` loads an entry point at its first use.  ``classes`` are those of the records in the
    result, outer ones first.
    """

    def __init__(
        self,
        entries: Mapping[str, Callable[..., Any]],
        name: str,
        interface: Interface,
        classes: Sequence[Any],
    ) -> None:
        self._entries, self._name = entries, name
        self._interface, self._classes = interface, classes
        self._call: Call | None = None

    def __call__(self, *args: Any) -> Any:
        """Return the result.  Raises InputError, Trap, DeviceError."""
        if self._call is None:
            point: Any = self._entries[self._name]
            s = signature_of(point.plan)
            self._call = _by_name(point, s, self._interface, iter(self._classes))
        return self._call(*args)


def _by_name(
    call: Call, flat: Signature, interface: Interface, classes: Iterator[Any] | None
) -> Call:
    s = evolve(flat, interface=interface)
    result = returned(s, classes)

    def call_by_name(*args: Any) -> Any:
        given = taken_apart(s, args)
        try:
            found = call(*[p.value for p in given])
        except InputError as error:
            raise _located(error, s, given) from None
        return result(found)

    return call_by_name


def returned(s: Signature, classes: Iterator[Any] | None = None) -> Callable[[Any], Any]:
    """Return a function from results, a single one without a tuple, to those of the interface.

    ``classes``: those of the records, outer ones first; None: they are made.
    """
    assert s.interface is not None
    t, table = s.interface.result, s.interface.returned
    make, n = _maker(t, s.name, classes), count(t)

    def result(found: Any) -> Any:
        parts = _joined(found if isinstance(found, tuple) else (found,), s.results)
        return make(iter(parts[:n]), None if table is None else Reader(table, parts[n:]))

    return result


def _joined(parts: tuple[Any, ...], params: Sequence[Parameter]) -> tuple[Any, ...]:
    """Return results with offsets and elements as rows; rows stay as they are."""
    first = offset_places(params)
    if not first or len(parts) != len(params):
        return parts
    found: list[Any] = []
    offsets: list[Any] = []
    for k, x in enumerate(parts):
        if k in first:
            offsets.append(np.asarray(x))
        else:
            found.append(rows_of_all([*offsets, np.asarray(x)]) if offsets else x)
            offsets = []
    return tuple(found)


# ---------------------------------------------------------------------- arguments


@frozen(eq=False)
class Given:
    """A part of the arguments, and where it comes from: ``p.x``; an unused slot has no place."""

    value: Any
    place: Place | None


def taken_apart(s: Signature, args: Sequence[Any]) -> list[Given]:
    """Return the parts of the arguments.  Raises InputError."""
    assert s.interface is not None
    given = s.interface.params
    params = [p for p, _ in visible(s.params)]
    if len(args) == len(given):
        table = s.interface.given
        rows = None if table is None else Writer(table, params[-table.parts :])
        parts = [
            part
            for (x, t), a in zip(given, args, strict=True)
            for part in _parts(t, a, (None, x), rows)
        ]
        if rows is not None:
            parts += [Given(x, (None, "the rows of the arguments")) for x in rows.finish()]
        return _filled(parts, params)
    if len(args) in (len(params), len(s.params)):
        names = params if len(args) == len(params) else s.params
        return [Given(a, (None, p.name)) for a, p in zip(args, names, strict=True)]
    what = f"`{s.name}` takes {len(given)} argument(s), got {len(args)}"
    raise _wrong(what, f"its parameters are {s.text}")


def _parts(t: Tree, x: Any, place: Place, rows: Writer | None) -> Iterator[Given]:
    match t:
        case Part():
            yield Given(x, place)
        case Group(labels, trees):
            fields = group_fields(t, x, place)
            for label, u, y in zip(labels, trees, fields, strict=True):
                inner = place, f"[{label}]" if t.is_tuple else f".{label}"
                yield from _parts(u, y, inner, rows)
        case Choice(cases, slots):
            k, case, payload = chosen_case(cases, x, place)
            yield Given(k, place)
            own: list[Given | None] = [None] * slots
            parts = (
                part
                for j, (u, y) in enumerate(zip(case.payload, payload, strict=True))
                for part in _parts(u, y, (place, f".payload[{j}]"), rows)
            )
            for slot, part in zip(case.slots, parts, strict=True):
                own[slot] = part
            yield from [part or Given(None, None) for part in own]
        case Link() | Vector() | Many():
            assert rows is not None
            yield from [Given(part, place) for part, _ in rows.cells(t, x, place)]


def _filled(parts: list[Given], params: Sequence[Parameter]) -> list[Given]:
    """Return the parts with zeros in unused slots.

    Arrays have the sizes that other arguments determine; a size that none determines is 0.
    """
    if all(part.place for part in parts):
        return parts
    known: dict[Name, int] = {}
    for part, p in zip(parts, params, strict=True):
        if not part.place:
            continue
        if isinstance(p.type, ArrayType):
            for d, n in zip(p.type.shape, _shape(part.value), strict=False):
                if d.as_name is not None:
                    known.setdefault(d.as_name, n)
        elif p.type is I64 and isinstance(part.value, int | np.integer):
            known[p.name] = int(part.value)
    return [
        part if part.place else evolve(part, value=_zeros(p, known))
        for part, p in zip(parts, params, strict=True)
    ]


def _zeros(p: Parameter, known: Mapping[Name, int]) -> Any:
    if not isinstance(p.type, ArrayType):
        return normalise(0, p.type)
    shape = [max(d.eval(lambda x: known.get(x, 0)), 0) for d in p.type.shape]
    return np.zeros(shape, dtype(p.type.elem))


def _shape(x: Any) -> tuple[int, ...]:
    """Return the shape of an argument; that of rows of several lengths is not known."""
    try:
        return tuple(x.shape) if hasattr(x, "shape") else np.shape(x)
    except ValueError:
        return ()


def _located(error: InputError, s: Signature, parts: Sequence[Given]) -> InputError:
    """Return an error about a part as one about what the caller passed."""
    d = error.diagnostic
    names = s.params if len(parts) == len(s.params) else [p for p, _ in visible(s.params)]
    for k, (p, part) in enumerate(zip(names, parts, strict=True), 1):
        own = f"argument {k} (`{p.name}`)"
        if d.message.startswith(own) and part.place:
            message = f"`{place_text(part.place)}`{d.message.removeprefix(own)}"
            return InputError(evolve(d, message=message))
    return error


def _wrong(what: str, hint: str = "") -> InputError:
    return InputError(Diagnostic(NOWHERE, "argument", what, hint))


# ---------------------------------------------------------------------- results


Make: TypeAlias = "Callable[[Iterator[Any], Reader | None], Any]"


def _maker(t: Tree, name: str, classes: Iterator[Any] | None) -> Make:
    """Return a function from the parts of a result, and the values of its rows, to the result.

    ``name``: that of its class, unless there are ``classes``.
    """
    match t:
        case Part():
            return lambda parts, _: next(parts)
        case Link() | Vector() | Many():

            def linked(parts: Iterator[Any], rows: Reader | None) -> Any:
                assert rows is not None
                return rows.value(t, parts)

            return linked
        case Group(labels, trees):
            kind: Any = None if t.is_tuple else _class(name, labels, classes)
            names = [name if t.is_tuple else x for x in labels]
            makers = [_maker(u, x, classes) for x, u in zip(names, trees, strict=True)]
            if t.is_tuple:
                return lambda parts, rows: tuple([make(parts, rows) for make in makers])
            return lambda parts, rows: kind(*[make(parts, rows) for make in makers])
        case Choice(cases, slots):
            inner = [[_maker(u, case.name, classes) for u in case.payload] for case in cases]

            def variant(parts: Iterator[Any], rows: Reader | None) -> Variant:
                tag, own = int(next(parts)), [next(parts) for _ in range(slots)]
                case = cases[tag]
                mine = iter([own[k] for k in case.slots])
                return Variant(case.name, *[make(mine, rows) for make in inner[tag]])

            return variant


def _class(name: str, labels: Sequence[str], classes: Iterator[Any] | None) -> Any:
    return class_of(name, labels) if classes is None else next(classes)
