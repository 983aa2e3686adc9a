"""The parameters of a jitted function: how a call's arguments become values and a variant's key."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

from funmem.frontends.python.arguments import annotated, refuse, spec_of
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.fast import Plain, Static
from funmem.frontends.python.guards import Spec
from funmem.frontends.python.places import of_function
from funmem.frontends.python.trees import LEAF, Leaf, Node, Structure, flatten, paths
from funmem.frontends.python.types import ArrayAnnotation, DType
from funmem.ir.record import frozen

Described = Spec | ArrayAnnotation
"""The type of a leaf: from the argument, or from an annotation."""


@frozen
class Key:
    """The key of a variant: the trees of the arguments, their types, the static values."""

    structures: tuple[Structure, ...]
    types: tuple[Described, ...]
    static: tuple[Any, ...]


class Call:
    """The arguments of one call: values in order, their names, and the variant's key."""

    __slots__ = ("key", "names", "static", "values")

    def __init__(
        self, key: Key, values: list[Any], names: list[str], static: dict[str, Any]
    ) -> None:
        self.key, self.values, self.names, self.static = key, values, names, static


class Parameters:
    """The parameters of a Python function."""

    def __init__(self, f: types.FunctionType, static: Sequence[str]) -> None:
        self.function = f
        self.signature = inspect.signature(f)
        self.static = tuple(static)
        self.order = tuple(self.signature.parameters)
        for name in self.static:
            if name not in self.order:
                at = of_function(f.__code__)
                raise wrong(Code.TYPE, f"`{f.__name__}` has no parameter `{name}`", at=at)
        self._annotations: dict[str, Any] | None = None

    @property
    def annotations(self) -> dict[str, Any]:
        """The annotations of parameters, as trees of array types; None where there is none."""
        if self._annotations is None:
            self._annotations = {
                name: self._annotation(p.annotation)
                for name, p in self.signature.parameters.items()
                if name not in self.static
            }
        return self._annotations

    @property
    def result(self) -> Any:
        """The annotation of the result, or None."""
        return self._annotation(self.signature.return_annotation)

    def _annotation(self, a: Any) -> Any:
        if isinstance(a, str):
            a = self._evaluated(a)
        if isinstance(a, DType):
            return ArrayAnnotation(a.type)
        if isinstance(a, ArrayAnnotation):
            return a
        if typing.get_origin(a) is tuple:
            parts = [self._annotation(x) for x in typing.get_args(a)]
            return tuple(parts) if parts and all(p is not None for p in parts) else None
        if isinstance(a, type) and dataclasses.is_dataclass(a):
            fields = {f.name: self._annotation(f.type) for f in dataclasses.fields(a)}
            return None if any(x is None for x in fields.values()) else _OfClass(a, fields)
        return None

    def _evaluated(self, text: str) -> Any:
        """Return the value of an annotation that is text (PEP 563), or None if it has none."""
        f = self.function
        names = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        known: dict[str, Any] = {}
        for x, cell in names.items():
            try:
                known[x] = cell.cell_contents
            except ValueError:
                continue
        for p in getattr(f, "__type_params__", ()):
            known[p.__name__] = p
        try:
            return eval(text, f.__globals__, known)
        except NameError:
            return None

    def bind(self, args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments by parameter, in order.  Raises TypeError, as Python does."""
        try:
            bound = self.signature.bind(*args, **options)
        except TypeError as error:
            raise TypeError(f"{self.function.__name__}() {error}") from None
        bound.apply_defaults()
        return bound.arguments

    def call(self, args: tuple[Any, ...], options: dict[str, Any]) -> Call:
        """Return the values of a call and its variant's key.  Raises InputError, TypeError."""
        given = self.bind(args, options)
        structures: list[Structure] = []
        found: list[Described] = []
        values: list[Any] = []
        names: list[str] = []
        static: dict[str, Any] = {}
        for k, (name, x) in enumerate(given.items(), 1):
            if name in self.static:
                static[name] = x
                continue
            leaves: list[Any] = []
            wanted = self.annotations[name]
            structure, expected = _fitting(x, wanted, leaves)
            structures.append(structure)
            for leaf, path, a in zip(leaves, paths(structure, name), expected, strict=True):
                names.append(path)
                if a is not None:
                    values.append(annotated(leaf, a, k, path))
                    found.append(a)
                else:
                    spec, value = spec_of(leaf, k, path)
                    values.append(value)
                    found.append(spec)
        key = Key(tuple(structures), tuple(found), tuple(static.values()))
        return Call(key, values, names, static)

    def call_as(self, key: Key, args: tuple[Any, ...], options: dict[str, Any]) -> Call:
        """Return the values of a call for a variant.  Raises InputError if they do not fit.

        Static arguments may be left out.
        """
        given = self.signature.bind_partial(*args, **options).arguments
        order = [x for x in self.order if x not in self.static]
        for x in order:
            if (
                x not in given
                and self.signature.parameters[x].default is not inspect.Parameter.empty
            ):
                given[x] = self.signature.parameters[x].default
            elif x not in given:
                raise TypeError(f"missing a required argument: {x!r}")
        values: list[Any] = []
        names: list[str] = []
        types = iter(key.types)
        for k, (name, structure) in enumerate(zip(order, key.structures, strict=True), 1):
            leaves: list[Any] = []
            if structure == LEAF:
                leaves.append(given[name])
            elif flatten(given[name], leaves) != structure:
                raise refuse(k, name, "another structure than that of the compiled function")
            for leaf, path in zip(leaves, paths(structure, name), strict=True):
                t = next(types)
                names.append(path)
                if isinstance(t, ArrayAnnotation):
                    values.append(annotated(leaf, t, k, path))
                    continue
                spec, value = spec_of(leaf, k, path)
                if spec != t:
                    raise refuse(k, path, f"another type than the compiled function's: {spec.elem}")
                values.append(value)
        return Call(key, values, names, dict(zip(self.static, key.static, strict=True)))

    def plain(self, call: Call) -> list[Plain | Static] | None:
        """Return the parameters of a call if each is one value or static; else None."""
        found: list[Plain | Static] = []
        structures, types = iter(call.key.structures), iter(call.key.types)
        for name, p in self.signature.parameters.items():
            if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                return None
            if name in self.static:
                value = call.static[name]
                if type(value) not in (int, float, bool, str, type(None)):
                    return None
                found.append(Static(value))
                continue
            if next(structures) != LEAF:
                return None
            t = next(types)
            found.append(Plain(t if isinstance(t, Spec) else None))
        return found

    def arguments(
        self, trees: Sequence[Any], static: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return positional and keyword arguments for the function, from trees of values."""
        positional: list[Any] = []
        named: dict[str, Any] = {}
        left = iter(trees)
        for name, p in self.signature.parameters.items():
            x = static[name] if name in self.static else next(left)
            if p.kind is p.VAR_POSITIONAL:
                positional += x
            elif p.kind is p.VAR_KEYWORD:
                named |= x
            elif p.kind is p.KEYWORD_ONLY:
                named[name] = x
            else:
                positional.append(x)
        return positional, named

    def from_types(self, given: Sequence[Any], options: dict[str, Any]) -> Call | None:
        """Return the call that types (``fm.f32["n"]``) describe; None if values are given."""
        if not given and not options:
            trees = [self.annotations[x] for x in self.order if x not in self.static]
            missing = [
                x for x in self.order if x not in self.static and self.annotations[x] is None
            ]
            if self.static or missing:
                name = (missing or list(self.static))[0]
                at = of_function(self.function.__code__)
                hint = "annotate it, or give lower() types or example arguments"
                raise wrong(Code.TYPE, f"the parameter `{name}` has no annotation", hint, at)
        else:
            bound = self.bind(tuple(given), options)
            trees = [x for name, x in bound.items() if name not in self.static]
            leaves: list[Any] = []
            for x in trees:
                flatten(_plain(x), leaves)
            if not any(isinstance(x, DType | ArrayAnnotation) for x in leaves):
                return None
            options = bound
        structures: list[Structure] = []
        found: list[Described] = []
        names: list[str] = []
        static = {x: options[x] for x in self.static}
        order = [x for x in self.order if x not in self.static]
        for k, (name, tree) in enumerate(zip(order, trees, strict=True), 1):
            own: list[Any] = []
            structure, _ = _fitting(_plain(tree), None, own)
            if isinstance(tree, _OfClass):
                structure = tree.structure
            structures.append(structure)
            names += paths(structure, name)
            found += [_described(x, k, name) for x in own]
        return Call(Key(tuple(structures), tuple(found), tuple(static.values())), [], names, static)


def _described(x: Any, k: int, name: str) -> Described:
    if isinstance(x, DType):
        return ArrayAnnotation(x.type)
    if isinstance(x, ArrayAnnotation):
        return x
    return spec_of(x, k, name)[0]


@frozen
class _OfClass:
    """The annotation of a dataclass whose fields are annotated."""

    kind: type
    fields: dict[str, Any]

    @property
    def structure(self) -> Structure:
        parts = [_structure(x) for x in self.fields.values()]
        return Node(self.kind, tuple(self.fields), tuple(parts))


def _structure(a: Any) -> Structure:
    if isinstance(a, _OfClass):
        return a.structure
    if isinstance(a, tuple):
        return Node(tuple, tuple(map(str, range(len(a)))), tuple(map(_structure, a)))
    return LEAF


def _plain(a: Any) -> Any:
    """Return an annotation's tree as tuples."""
    if isinstance(a, _OfClass):
        return tuple(_plain(x) for x in a.fields.values())
    return a


def _fitting(
    x: Any, wanted: Any, leaves: list[Any]
) -> tuple[Structure, list[ArrayAnnotation | None]]:
    """Flatten an argument, and return the annotation of each leaf."""
    if isinstance(wanted, ArrayAnnotation):
        leaves.append(x)
        return LEAF, [wanted]
    if wanted is None and isinstance(x, list) and _numbers(x):
        leaves.append(x)
        return LEAF, [None]
    structure = flatten(x, leaves)
    expected: list[ArrayAnnotation | None] = []
    _spread(structure, wanted, expected)
    return structure, expected


def _numbers(x: list[Any]) -> bool:
    """True for a (nested) list of numbers, which is an array."""
    return bool(x) and all(
        (isinstance(y, list) and _numbers(y)) or isinstance(y, bool | int | float) for y in x
    )


def _spread(structure: Structure, wanted: Any, out: list[ArrayAnnotation | None]) -> None:
    if isinstance(structure, Leaf):
        out.append(wanted if isinstance(wanted, ArrayAnnotation) else None)
        return
    for k, (label, part) in enumerate(zip(structure.labels, structure.parts, strict=True)):
        inner = None
        if isinstance(wanted, _OfClass) and wanted.kind is structure.kind:
            inner = wanted.fields[label]
        elif isinstance(wanted, tuple) and len(wanted) == len(structure.parts):
            inner = wanted[k]
        _spread(part, inner, out)


AnyFunction = Callable[..., Any]
