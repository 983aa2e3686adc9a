"""Records at the border of library functions: as trees in Python, as leaves in a trace.

    entry far (ps: []{x: f32, y: f32}) : {at: f32}     lib.far({"x": xs, "y": ys})["at"]

A definition in a trace takes and returns numbers and arrays of numbers.  So an entry point with
records becomes a definition on leaves, which makes records of its parameters and takes its result
apart.  A record is a dict, a dataclass or a named tuple in Python, and a dict as a result; a tuple
is a tuple.  An array of records is a record of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.tape import Symbol, describe
from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.values.records import fields_of


def leaf_types(t: c.Type, what: str) -> list[c.Type]:
    """Return the types of the leaves of a type.  Raises SourceError (``unsupported``)."""
    match t:
        case ScalarType():
            return [t]
        case c.Record(fields):
            return [leaf for _, u in fields for leaf in leaf_types(u, what)]
        case c.Array(elem, size):
            if isinstance(elem, c.Array) and _has_records(elem):
                raise _unsupported(f"{what} is an array of arrays of records")
            return [c.Array(leaf, size) for leaf in leaf_types(elem, what)]
        case c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
            raise _unsupported(f"{what} has a part that is no number, array or record")


def _has_records(t: c.Type) -> bool:
    while isinstance(t, c.Array):
        t = t.elem
    return isinstance(t, c.Record)


def _unsupported(what: str) -> Exception:
    return wrong(Code.UNSUPPORTED, what, "call a function of numbers, arrays and records of these")


def of_leaves(t: c.Type, leaves: Iterator[c.Exp]) -> c.Exp:
    """Return a value of a type, made of its leaves."""
    record = _record(t)
    if record is None:
        return next(leaves)
    parts = tuple((x, of_leaves(u, leaves)) for x, u in record.fields)
    return c.Zip(parts) if isinstance(t, c.Array) else c.Fields(parts)


def to_leaves(t: c.Type, e: c.Exp, name: Callable[[], Name]) -> c.Exp:
    """Return the leaves of a value of a type: one, or a tuple."""
    bound: list[tuple[tuple[c.Binder, ...], c.Exp]] = []

    def taken(t: c.Type, e: c.Exp) -> Iterator[c.Exp]:
        record = _record(t)
        if record is None:
            yield e
            return
        binders = tuple(c.Binder(name(), u) for _, u in record.fields)
        if len(binders) == 1:
            (label, _), whole = record.fields[0], name()
            at = c.Unzip(e) if isinstance(t, c.Array) else e
            bound.append(((c.Binder(whole, c.Record(record.fields)),), at))
            bound.append((binders, c.Project(c.Var(whole), label)))
        else:
            bound.append((binders, c.Unzip(e) if isinstance(t, c.Array) else e))
        for b in binders:
            yield from taken(b.type, c.Var(b.name))

    leaves = tuple(taken(t, e))
    out: c.Exp = leaves[0] if len(leaves) == 1 else c.tuple_exp(*leaves)
    for binders, x in reversed(bound):
        out = c.Let(binders, x, out)
    return out


def _record(t: c.Type) -> c.Record | None:
    """Return the record that a type is, or the record of arrays that an array of records is."""
    if isinstance(t, c.Record):
        return t
    if isinstance(t, c.Array) and isinstance(t.elem, c.Record):
        return c.Record(tuple((x, c.Array(u, t.size)) for x, u in t.elem.fields))
    return None


def given_leaves(t: c.Type, x: Any, what: str) -> Iterator[Any]:
    """Yield the leaves of an argument.  Raises SourceError (``type``) for a wrong tree."""
    record = _record(t)
    if record is None:
        yield x
        return
    labels = [label for label, _ in record.fields]
    parts = fields_of(x, record.is_tuple)
    if parts is None or sorted(parts) != sorted(labels):
        kind = describe(x) if isinstance(x, Symbol) else f"a {type(x).__name__}"
        got = f"one of {', '.join(parts)}" if parts else kind
        raise wrong(Code.TYPE, f"{what}: expected a record of {', '.join(labels)}, got {got}")
    for label, u in record.fields:
        yield from given_leaves(u, parts[label], f"{what}.{label}")


def tree_of(t: c.Type, leaves: Iterator[Any]) -> Any:
    """Return a result as a tree: a record is a dict, a tuple a tuple."""
    record = _record(t)
    if record is None:
        return next(leaves)
    parts = [tree_of(u, leaves) for _, u in record.fields]
    if record.is_tuple:
        return tuple(parts)
    return dict(zip([label for label, _ in record.fields], parts, strict=True))
