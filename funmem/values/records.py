"""Records and variants of Python: their fields, and the classes of results."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

from funmem.codegen.python_trees import identifier, identifiers
from funmem.ir.interface import Case, Group
from funmem.values.places import Place, wrong
from funmem.values.variants import Variant


def group_fields(t: Group, x: Any, place: Place) -> list[Any]:
    """Return the fields of an argument in the order of the labels."""
    found = fields_of(x, t.is_tuple)
    if found is not None and set(found) != set(t.labels):
        # the named tuple of a result, whose fields are identifiers of Python
        own = dict(zip(identifiers(t.labels), t.labels, strict=True))
        found = {own.get(label, label): y for label, y in found.items()}
    if found is None or set(found) != set(t.labels):
        what = f"a tuple of {len(t.labels)}" if t.is_tuple else f"a record of {_list(t.labels)}"
        kind = _kind(x)
        if found is not None:
            kind = f"one of {len(found)}" if t.is_tuple else f"one of {_list(found)}"
        hint = "" if t.is_tuple else "a record is a dict, a dataclass or a named tuple"
        raise wrong(place, f"expected {what}, got {kind}", hint)
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


def chosen_case(cases: Sequence[Case], x: Any, place: Place) -> tuple[int, Case, tuple[Any, ...]]:
    """Return the number and the case of a variant, and its payload."""
    if not isinstance(x, Variant):
        example = cases[-1]
        shown = ", ".join([repr(example.name), *["…"] * len(example.payload)])
        raise wrong(place, f"expected a Variant, got {_kind(x)}", f"write funmem.Variant({shown})")
    for k, case in enumerate(cases):
        if case.name == x.name:
            if len(x.payload) != len(case.payload):
                takes = f"`#{x.name}` takes {len(case.payload)} value(s), got {len(x.payload)}"
                raise wrong(place, takes)
            return k, case, x.payload
    known = ", ".join([f"`#{case.name}`" for case in cases])
    raise wrong(place, f"there is no constructor `#{x.name}`", f"the constructors are {known}")


def _kind(x: Any) -> str:
    name = type(x).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return repr(x) if isinstance(x, Variant) else f"{article} {name}"


def _list(labels: Sequence[str] | Mapping[str, Any]) -> str:
    return ", ".join(f"`{x}`" for x in labels)


def class_of(name: str, labels: Sequence[str]) -> Any:
    """Return a class of named tuples for a record."""
    return namedtuple(identifier(name), identifiers(labels))
