"""Globals and closure variables of a traced function, seen at every call.

Numbers, functions and everything else are *guarded*: if one has changed, the function is traced
again.  Arrays become hidden arguments: they are passed at every call.  The tracer therefore runs a
copy of the function, whose globals and cells hold the hidden arguments in place of the arrays.
Functions that it calls by a global or local name are copied, too.  What is found in attributes is
static.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from funmem.frontends.python.errors import PLACES, Code, wrong
from funmem.frontends.python.tape import Symbol
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.values import elem_type

Fetch = Callable[[], Any]


class _Missing:
    """The content of a name that is not bound."""


MISSING = _Missing()

_LIBRARIES = {"numpy", "funmem", *sys.stdlib_module_names}
"""Functions of these modules run as they are."""


@frozen
class Spec:
    """The type of an array argument: what a variant is made for."""

    elem: ScalarType
    weak: bool
    ones: tuple[bool, ...]


def array_spec(x: Any) -> Spec | None:
    """Return the type of an array, numpy's or a device's; None for another value."""
    if isinstance(x, np.generic | Symbol):
        return None
    dtype, shape = getattr(x, "dtype", None), getattr(x, "shape", None)
    if not isinstance(dtype, np.dtype) or not isinstance(shape, tuple):
        return None
    elem = elem_type(dtype.newbyteorder("="))
    return None if elem is None else Spec(elem, False, tuple([n == 1 for n in shape]))


def is_array(x: Any) -> bool:
    """True for an array of numpy's or of a device."""
    return array_spec(x) is not None


@frozen
class Guard:
    """The value that a name had when the function was traced."""

    name: str
    fetch: Fetch
    value: Any
    place: Any = None
    """The table of globals or the cell in which the name is found; None for another place."""

    def holds(self) -> bool:
        """True if the name is bound to the same value still."""
        now = self.fetch()
        return now is self.value or _same(now, self.value)


@frozen
class Hidden:
    """A hidden argument: where its array is found, and its type."""

    name: str
    fetch: Fetch
    spec: Spec

    def holds(self) -> bool:
        """True if there is still an array of this type."""
        return array_spec(self.fetch()) == self.spec


def _same(a: Any, b: Any) -> bool:
    """True if two values are the same number, text or container of them."""
    if type(a) is not type(b):
        return False
    if a is b:
        return True
    if isinstance(a, int | float | str | bytes | bool | np.generic):
        return bool(a == b or (a != a and b != b))
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(_same(a[k], b[k]) for k in a)
    return False


def _snapshot(x: Any) -> Any:
    """Return a container with what it holds now; other values as they are."""
    if type(x) in (tuple, list):
        return type(x)(map(_snapshot, x))
    if type(x) is dict:
        return {k: _snapshot(v) for k, v in x.items()}
    return x


class Captures:
    """The guards and hidden arguments of one trace.

    ``receive`` makes the value of a hidden argument.
    """

    def __init__(self, receive: Callable[[str, Spec], Any]) -> None:
        self._receive = receive
        self.guards: list[Guard] = []
        self.hidden: list[Hidden] = []
        self._copies: dict[int, tuple[Any, Any]] = {}
        self._arrays: dict[int, tuple[Any, Any]] = {}
        self._seen: dict[tuple[int, str], Any] = {}

    # ------------------------------------------------------------------ functions

    def copy(self, f: FunctionType) -> FunctionType:
        """Return a function whose globals and cells hold what the trace may see."""
        _refuse_writes(f.__code__)
        found = self._copies.get(id(f))
        if found is not None:
            return found[1]  # type: ignore[no-any-return]
        known: dict[str, Any] = {"__builtins__": builtins, "__name__": f.__module__}
        cells = tuple(CellType() for _ in f.__closure__ or ())
        made = FunctionType(f.__code__, known, f.__name__, f.__defaults__, cells or None)
        made.__kwdefaults__ = f.__kwdefaults__
        made.__qualname__, made.__module__ = f.__qualname__, f.__module__
        self._copies[id(f)] = (f, made)
        for name in _names(f.__code__):
            if name in f.__globals__:
                known[name] = self._global(f.__globals__, name)
            elif not hasattr(builtins, name):
                missing = _from_dict(f.__globals__, name)
                self.guards.append(Guard(name, missing, MISSING, f.__globals__))
        for name, cell, new in zip(f.__code__.co_freevars, f.__closure__ or (), cells, strict=True):
            value = _content(cell)
            if value is not MISSING:
                new.cell_contents = self._cell(cell, name, value)
        return made

    def _global(self, names: dict[str, Any], name: str) -> Any:
        key = (id(names), name)
        if key not in self._seen:
            self._seen[key] = self.see(names[name], name, _from_dict(names, name), names)
        return self._seen[key]

    def _cell(self, cell: CellType, name: str, value: Any) -> Any:
        key = (id(cell), "")
        if key not in self._seen:
            self._seen[key] = self.see(value, name, lambda: _content(cell), cell)
        return self._seen[key]

    # ------------------------------------------------------------------ values

    def see(self, x: Any, name: str, fetch: Fetch, place: Any = None) -> Any:
        """Return what stands for a value in the trace, and guard it."""
        spec = array_spec(x)
        if spec is not None:
            return self._hide(name, fetch, spec)
        if type(x) in (tuple, list, dict) and _holds_array(x):
            return self._container(x, name, fetch)
        self.guards.append(Guard(name, fetch, _snapshot(x), place))
        if isinstance(x, FunctionType) and _is_users(x):
            return self.copy(x)
        return x

    def name_of(self, x: Any) -> str:
        """Return the name by which the function found a value, or an empty text."""
        return next((g.name for g in self.guards if g.value is x and g.name.isidentifier()), "")

    def _container(self, x: Any, name: str, fetch: Fetch) -> Any:
        """A container with arrays: its length and labels are guarded, its parts are seen."""
        labels = list(x) if isinstance(x, dict) else list(range(len(x)))
        self.guards.append(Guard(f"the labels of {name}", lambda: _labels(fetch()), labels))
        parts = [
            self.see(x[k], f"{name}[{k!r}]", lambda k=k: _part(fetch(), k))  # type: ignore[misc]
            for k in labels
        ]
        if isinstance(x, dict):
            return dict(zip(labels, parts, strict=True))
        return type(x)(parts)

    def _hide(self, name: str, fetch: Fetch, spec: Spec) -> Any:
        value = self._receive(name, spec)
        self.hidden.append(Hidden(name, fetch, spec))
        return value

    def found(self, x: Any) -> Any:
        """Return the hidden argument for an array that is static, such as one in an attribute."""
        spec = array_spec(x)
        if spec is None:
            return None
        known = self._arrays.get(id(x))
        if known is None:
            known = self._arrays[id(x)] = (x, self._hide("array", lambda: x, spec))
        return known[1]


def _labels(x: Any) -> Any:
    if isinstance(x, dict):
        return list(x)
    return list(range(len(x))) if isinstance(x, tuple | list) else MISSING


def _part(x: Any, k: Any) -> Any:
    try:
        return x[k]
    except (LookupError, TypeError):
        return MISSING


def _holds_array(x: Any) -> bool:
    parts = x.values() if isinstance(x, dict) else x
    return any(is_array(p) or (type(p) in (tuple, list, dict) and _holds_array(p)) for p in parts)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _from_dict(names: dict[str, Any], name: str) -> Fetch:
    return lambda: names.get(name, MISSING)


_WRITES = {dis.opmap[x] for x in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF")}


def _refuse_writes(code: CodeType) -> None:
    """Raise SourceError if a function assigns to a global or to a variable around it.

    It would change the copy that is traced, and only while it is traced.
    """
    for inner in _codes(code):
        if _WRITES.isdisjoint(inner.co_code[::2]):
            continue
        for x in dis.get_instructions(inner):
            outer = "GLOBAL" in x.opname or x.argval in code.co_freevars
            if x.opcode in _WRITES and outer:
                what = f"a traced function assigns to `{x.argval}`, which is outside of it"
                at = PLACES.of_instruction(inner, x.offset)
                raise wrong(Code.MUTATION, what, "return the value", at)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code and that of the functions in it."""
    todo = [code]
    while todo:
        c = todo.pop()
        yield c
        todo += [k for k in c.co_consts if isinstance(k, CodeType)]


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and those inside it may look up outside."""
    seen = set[str]()
    for c in _codes(code):
        for name in c.co_names:
            if name not in seen:
                seen.add(name)
                yield name


def _is_users(f: FunctionType) -> bool:
    """True for a function that is not of a library."""
    module = f.__module__ or ""
    return module.partition(".")[0] not in _LIBRARIES and not isinstance(f, ModuleType)
