"""Arguments and results of entry points as their source language has them.

    entry main (p : {x : f32, y : f32}) : #none | #some i32

    main({"x": 1, "y": 2})   ->   the entry point with the parts (1, 2)
    Variant("some", 3)       <-   its results (1, 3): a tag, and the slot of the payload

A record is a dict, a dataclass or a named tuple, and a named tuple as a result; a tuple is a tuple
or a list; a value of a sum is a ``Variant``.  A caller with an argument for each part passes these.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from funmem.codegen.python_module import identifier
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError
from funmem.ir.fun import ArrayType
from funmem.ir.interface import Case, Choice, Group, Part, Tree, count
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, normalise
from funmem.ir.signature import Parameter, Signature, visible
from funmem.ir.values import dtype
from funmem.values.variants import Variant

Call: TypeAlias = Callable[..., Any]


def called_by_name(call: Call, s: Signature) -> Call:
    """Return a function with the interface of ``s`` that calls one of parts.

    ``call`` returns a single result without a tuple.
    """
    if s.interface is None:
        return call
    result = returned(s)

    def call_by_name(*args: Any) -> Any:
        parts = taken_apart(s, args)
        try:
            found = call(*[p.value for p in parts])
        except InputError as error:
            raise _located(error, s, parts) from None
        return result(found)

    return call_by_name


def returned(s: Signature) -> Callable[[Any], Any]:
    """Return a function from results, a single one without a tuple, to those of the interface."""
    assert s.interface is not None
    make, one = _maker(s.interface.result, s.name), count(s.interface.result) == 1
    return lambda found: make(iter((found,) if one else found))


# ---------------------------------------------------------------------- arguments


@frozen(eq=False)
class Given:
    """A part of the arguments, and where it comes from: ``p.x``; an unused slot has no place."""

    value: Any
    place: str


def taken_apart(s: Signature, args: Sequence[Any]) -> list[Given]:
    """Return the parts of the arguments.  Raises InputError."""
    assert s.interface is not None
    given = s.interface.params
    params = [p for p, _ in visible(s.params)]
    if len(args) == len(given):
        parts = [part for (x, t), a in zip(given, args, strict=True) for part in _parts(t, a, x)]
        return _filled(parts, params)
    if len(args) in (len(params), len(s.params)):
        names = params if len(args) == len(params) else s.params
        return [Given(a, p.name) for a, p in zip(args, names, strict=True)]
    what = f"`{s.name}` takes {len(given)} argument(s), got {len(args)}"
    raise _wrong(what, f"its parameters are {s.text}")


def _parts(t: Tree, x: Any, place: str) -> Iterator[Given]:
    match t:
        case Part():
            yield Given(x, place)
        case Group(labels, trees):
            fields = _fields(t, x, place)
            for label, u, y in zip(labels, trees, fields, strict=True):
                yield from _parts(u, y, f"{place}[{label}]" if t.is_tuple else f"{place}.{label}")
        case Choice(_, slots):
            k, case, payload = _chosen(t, x, place)
            yield Given(k, place)
            own: list[Given | None] = [None] * slots
            inner = (
                part
                for j, (u, y) in enumerate(zip(case.payload, payload, strict=True))
                for part in _parts(u, y, f"{place}.payload[{j}]")
            )
            for slot, part in zip(case.slots, inner, strict=True):
                own[slot] = part
            yield from [part or Given(None, "") for part in own]


def _fields(t: Group, x: Any, place: str) -> list[Any]:
    """Return the fields of an argument in the order of the labels."""
    found = fields_of(x, t.is_tuple)
    if found is not None and set(found) != set(t.labels):
        # the named tuple of a result, whose fields are identifiers of Python
        own = dict(zip(_identifiers(t.labels), t.labels, strict=True))
        found = {own.get(label, label): y for label, y in found.items()}
    if found is None or set(found) != set(t.labels):
        what = f"a tuple of {len(t.labels)}" if t.is_tuple else f"a record of {_list(t.labels)}"
        kind = _kind(x)
        if found is not None:
            kind = f"one of {len(found)}" if t.is_tuple else f"one of {_list(found)}"
        hint = "" if t.is_tuple else "a record is a dict, a dataclass or a named tuple"
        raise _wrong(f"`{place}`: expected {what}, got {kind}", hint)
    return [found[label] for label in t.labels]


def fields_of(x: Any, is_tuple: bool) -> Mapping[str, Any] | None:
    """Return the fields of a record or tuple of Python's; None if it is another value."""
    if isinstance(x, dict):
        return x
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return {f.name: getattr(x, f.name) for f in dataclasses.fields(x)}
    if hasattr(x, "_fields") and not is_tuple:
        return dict(zip(x._fields, x, strict=True))
    if is_tuple and isinstance(x, tuple | list):
        return {str(k): y for k, y in enumerate(x)}
    return None


def _chosen(t: Choice, x: Any, place: str) -> tuple[int, Case, tuple[Any, ...]]:
    """Return the number and the case of a variant, and its payload."""
    if not isinstance(x, Variant):
        example = t.cases[-1]
        shown = ", ".join([repr(example.name), *["…"] * len(example.payload)])
        what = f"`{place}`: expected a Variant, got {_kind(x)}"
        raise _wrong(what, f"write funmem.Variant({shown})")
    for k, case in enumerate(t.cases):
        if case.name == x.name:
            if len(x.payload) != len(case.payload):
                takes = f"`#{x.name}` takes {len(case.payload)} value(s), got {len(x.payload)}"
                raise _wrong(f"`{place}`: {takes}")
            return k, case, x.payload
    known = ", ".join([f"`#{case.name}`" for case in t.cases])
    raise _wrong(f"`{place}`: there is no constructor `#{x.name}`", f"the constructors are {known}")


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
            return InputError(evolve(d, message=f"`{part.place}`{d.message.removeprefix(own)}"))
    return error


def _kind(x: Any) -> str:
    name = type(x).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return repr(x) if isinstance(x, Variant) else f"{article} {name}"


def _list(labels: Sequence[str] | Mapping[str, Any]) -> str:
    return ", ".join(f"`{x}`" for x in labels)


def _wrong(what: str, hint: str = "") -> InputError:
    return InputError(Diagnostic(NOWHERE, "argument", what, hint))


# ---------------------------------------------------------------------- results


def _maker(t: Tree, name: str) -> Callable[[Iterator[Any]], Any]:
    """Return a function from the parts of a result to the result; ``name``: that of its class."""
    match t:
        case Part():
            return lambda parts: next(parts)
        case Group(labels, trees):
            makers = [
                _maker(u, name if t.is_tuple else x) for x, u in zip(labels, trees, strict=True)
            ]
            if t.is_tuple:
                return lambda parts: tuple([make(parts) for make in makers])
            kind: Any = namedtuple(identifier(name), _identifiers(labels))  # type: ignore[misc]  # names of a program
            return lambda parts: kind(*[make(parts) for make in makers])
        case Choice(cases, slots):
            inner = [[_maker(u, case.name) for u in case.payload] for case in cases]

            def variant(parts: Iterator[Any]) -> Variant:
                tag, own = int(next(parts)), [next(parts) for _ in range(slots)]
                case = cases[tag]
                mine = iter([own[k] for k in case.slots])
                return Variant(case.name, *[make(mine) for make in inner[tag]])

            return variant


def _identifiers(labels: Sequence[str]) -> list[str]:
    """Return identifiers of Python for the labels of a record."""
    found: list[str] = []
    for x in labels:
        found.append(identifier(x, found))
    return found
