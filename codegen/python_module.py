"""The Python module of a compiled program, and its stub: a function for each entry point.

An entry point takes and returns arrays and scalars.  A function may have other parameters and
results: trees of tuples, lists, dicts and classes, which the module takes apart and builds.

    def forces(b):                                          NAME.py
        r = _entries['forces'](b.x, b.y, b.m)
        return {'dx': r[0], 'dy': r[1]}

    def forces(b: Bodies) -> dict[str, NDArray[np.float32]]: ...         NAME.pyi
"""

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from attrs import field

from funmem.codegen.plan import EntryPlan
from funmem.ir.imp import ArrayPort, Port
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, ScalarType

# ---------------------------------------------------------------------- functions


class Kind(Enum):
    """The Python type of a tree's node."""

    TUPLE = "tuple"
    LIST = "list"
    DICT = "dict"
    DATACLASS = "dataclass"
    NAMED_TUPLE = "NamedTuple"


@frozen
class Leaf:
    """An argument or a result of the entry point; a scalar result with ``numpy`` is numpy's."""

    numpy: bool = False


@frozen
class Node:
    """A container; ``name`` is that of its class, which the module defines."""

    kind: Kind
    labels: tuple[str, ...]
    parts: tuple["Tree", ...]
    name: str = ""


Tree: TypeAlias = Leaf | Node


class Passing(Enum):
    """How a parameter is passed."""

    POSITION = "by position"
    EITHER = "by position or name"
    NAME = "by name"


@frozen
class Param:
    """A parameter of a function; ``default`` is a Python literal, or empty."""

    name: str
    tree: Tree = Leaf()
    default: str = ""
    passing: Passing = Passing.EITHER


@frozen
class Function:
    """How Python calls the entry point ``entry``: the leaves of parameters and result, in order,
    are its arguments and results.
    """

    entry: str
    params: tuple[Param, ...]
    result: Tree
    doc: str = ""


def function_of(e: EntryPlan) -> Function:
    """Return the function for an entry point of a language without trees."""
    names: list[str] = []
    for p in e.params:
        names.append(identifier(p.name, names))
    results = tuple(Leaf() for _ in e.results)
    labels = tuple(map(str, range(len(results))))
    tree = results[0] if len(results) == 1 else Node(Kind.TUPLE, labels, results)
    return Function(e.name, tuple(map(Param, names)), tree)


def leaves(t: Tree) -> Iterator[Leaf]:
    """Yield the leaves of a tree, in order."""
    match t:
        case Leaf():
            yield t
        case Node(parts=parts):
            for p in parts:
                yield from leaves(p)


# ---------------------------------------------------------------------- names


def identifier(name: str, taken: Iterable[str] = ()) -> str:
    """Return a Python identifier that resembles ``name``.

    It is not a keyword, does not begin with ``_`` and is not in ``taken``.
    """
    text = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "x"
    if text[0].isdigit() or keyword.iskeyword(text) or keyword.issoftkeyword(text):
        text = f"x_{text}"
    while text in taken:
        text += "_"
    return text


def _text(s: str) -> str:
    """Return a string literal in ASCII."""
    return ascii(s)


# ---------------------------------------------------------------------- the module and the stub


@frozen
class Texts:
    """The text of the module and that of its stub."""

    module: str
    stub: str


@frozen
class Loader:
    """The code with which a module loads its entry points; ``doc`` is the module's documentation.

    ``array``: the class of array results, as ``module.Class``, where they are not numpy's.
    """

    doc: str
    module: str
    name: str
    array: str = ""


def texts(
    loader: Loader, name: str, entries: Sequence[EntryPlan], functions: Sequence[Function] = ()
) -> Texts:
    """Return the module called ``name``, with a function for each entry point, and its stub.

    ``functions``: how the entry points are called that have trees.
    """
    given = {f.entry: f for f in functions}
    every = [given.get(e.name) or function_of(e) for e in entries]
    writer = _Writer(loader, {"Path", loader.name, *_IMPORTS})
    for t in (t for f in every for t in (*(p.tree for p in f.params), f.result)):
        writer.declare(t)
    for f, e in zip(every, entries, strict=True):
        writer.function(f, e)
    return writer.texts(name)


@define
class _Writer:
    """Collects the functions and classes of a module."""

    loader: Loader
    taken: set[str]
    classes: dict[str, str] = field(factory=dict)
    """A class of the program -> its name in the module."""
    kinds: dict[str, Kind] = field(factory=dict)
    fields: dict[str, dict[str, dict[str, None]]] = field(factory=dict)
    """A class -> its fields -> their types."""
    bodies: list[str] = field(factory=list)
    heads: list[str] = field(factory=list)

    def declare(self, t: Tree) -> None:
        """Give the classes of a tree their names and fields."""
        if isinstance(t, Leaf):
            return
        if t.name:
            if t.name not in self.classes:
                self.classes[t.name] = identifier(t.name, self.taken)
                self.taken.add(self.classes[t.name])
                self.kinds[t.name] = t.kind
            known = self.fields.setdefault(t.name, {})
            for label in t.labels:
                known.setdefault(label, {})
        for p in t.parts:
            self.declare(p)

    def function(self, f: Function, e: EntryPlan) -> None:
        """Add a function to the module and to the stub."""
        name = identifier(e.name, self.taken)
        self.taken.add(name)
        params = ", ".join(_parameters(f.params, [p.name for p in f.params]))
        call = f"_entries[{_text(e.name)}]({', '.join(_arguments(f.params))})"
        doc = " ".join(f"{_show(e)}.".split())
        lines = [f"def {name}({params}):", f"    {_text(f'{f.doc} {doc}'.strip())}"]
        if _as_returned(f.result):
            lines.append(f"    return {call}")
        else:
            one = len(e.results) == 1
            ports = iter([("r" if one else f"r[{k}]", p) for k, p in enumerate(e.results)])
            lines += [f"    r = {call}", f"    return {self._built(f.result, ports)}"]
        self.bodies.append("\n".join(lines))
        typed = iter(e.params)
        types = [
            f"{p.name}: {' | '.join(self._types(p.tree, typed, True))}"
            + (" = ..." if p.default else "")
            for p in f.params
        ]
        shown = ", ".join(_parameters(f.params, types, with_defaults=False))
        result = " | ".join(self._types(f.result, iter(e.results), False))
        self.heads.append(f"def {name}({shown}) -> {result}: ...")

    def texts(self, name: str) -> Texts:
        """Return the finished texts."""
        untyped = {c: {x: {"object": None} for x in own} for c, own in self.fields.items()}
        loader = self.loader
        start = f"_entries = {loader.name}(Path(__file__).parent, {_text(name)}).entries"
        parts = [start, *self._classes(untyped), *self.bodies]
        own = f"from {loader.module} import {loader.name}"
        head = [f'"""{loader.doc}"""', "", *_imports("\n".join(parts[1:]), "Path", own)]
        module = "\n".join([*head, "\n\n\n".join(parts), ""])
        parts = [*self._classes(self.fields), "\n".join(self.heads)]
        where, _, array = loader.array.rpartition(".")
        text = "\n".join(parts)
        own = f"from {where} import {array}" if array and re.search(rf"\b{array}\b", text) else ""
        stub = "\n".join([*_imports(text, "", own), "\n\n".join(parts), ""])
        return Texts(module, stub)

    def _classes(self, fields: Mapping[str, Mapping[str, Mapping[str, None]]]) -> list[str]:
        found = []
        for c, own in fields.items():
            if self.kinds[c] is Kind.DATACLASS:
                lines = ["@dataclass", f"class {self.classes[c]}:"]
            else:
                lines = [f"class {self.classes[c]}(NamedTuple):"]
            found.append(
                "\n".join([*lines, *(f"    {x}: {' | '.join(t)}" for x, t in own.items())])
            )
        return found

    # ------------------------------------------------------------------ trees

    def _built(self, t: Tree, parts: Iterator[tuple[str, Port]]) -> str:
        """Return the expression of a result."""
        match t:
            case Leaf(numpy=numpy):
                x, port = next(parts)
                if not numpy or isinstance(port, ArrayPort):
                    return x
                return f"{_numpy(port.type)}({x})"
            case Node(kind, labels, inner, name):
                xs = [self._built(p, parts) for p in inner]
                match kind:
                    case Kind.TUPLE:
                        return f"({', '.join(xs)}{',' if len(xs) == 1 else ''})"
                    case Kind.LIST:
                        return f"[{', '.join(xs)}]"
                    case Kind.DICT:
                        pairs = [f"{_text(k)}: {x}" for k, x in zip(labels, xs, strict=True)]
                        return f"{{{', '.join(pairs)}}}"
                    case Kind.DATACLASS | Kind.NAMED_TUPLE:
                        return f"{self.classes[name]}({', '.join(xs)})"

    def _types(self, t: Tree, ports: Iterator[Port], argument: bool) -> list[str]:
        """Return the alternatives of a type in the stub; note the types of classes' fields."""
        match t:
            case Leaf(numpy=numpy):
                return self._type(next(ports), numpy, argument)
            case Node(kind, labels, inner, name):
                xs = [self._types(p, ports, argument) for p in inner]
                match kind:
                    case Kind.TUPLE:
                        return [f"tuple[{', '.join(' | '.join(x) for x in xs) or '()'}]"]
                    case Kind.LIST | Kind.DICT:
                        every = " | ".join(dict.fromkeys(a for x in xs for a in x)) or "object"
                        return [f"list[{every}]" if kind is Kind.LIST else f"dict[str, {every}]"]
                    case Kind.DATACLASS | Kind.NAMED_TUPLE:
                        for label, x in zip(labels, xs, strict=True):
                            self.fields[name][label].update(dict.fromkeys(x))
                        return [self.classes[name]]

    def _type(self, port: Port, numpy: bool, argument: bool) -> list[str]:
        if isinstance(port, ArrayPort):
            own = f"NDArray[{_numpy(port.elem)}]"
            array = self.loader.array.rpartition(".")[2]
            if not array:
                return [own]
            return [own, array] if argument else [array]
        t = port.type
        python = "bool" if t is BOOL else "float" if t.is_float else "int"
        if not argument:
            return [_numpy(t) if numpy else python]
        wide = "np.bool_" if t is BOOL else f"np.{'floating' if t.is_float else 'integer'}[Any]"
        return [python, wide]


def _as_returned(t: Tree) -> bool:
    """True if the entry point returns the tree as it is: one value, or a tuple of several."""
    if isinstance(t, Leaf):
        return not t.numpy
    flat = all(isinstance(p, Leaf) and not p.numpy for p in t.parts)
    return flat and t.kind is Kind.TUPLE and len(t.parts) != 1


def _parameters(
    params: Sequence[Param], shown: Sequence[str], with_defaults: bool = True
) -> Iterator[str]:
    """Yield the parts of a parameter list, with ``/`` and ``*`` where they belong."""
    before = None
    for p, text in zip(params, shown, strict=True):
        if before is Passing.POSITION and p.passing is not Passing.POSITION:
            yield "/"
        if p.passing is Passing.NAME and before is not Passing.NAME:
            yield "*"
        yield f"{text}={p.default}" if p.default and with_defaults else text
        before = p.passing
    if before is Passing.POSITION:
        yield "/"


def _arguments(params: Sequence[Param]) -> Iterator[str]:
    """Yield the expressions of an entry point's arguments."""
    for p in params:
        yield from _paths(p.tree, p.name)


def _paths(t: Tree, base: str) -> Iterator[str]:
    match t:
        case Leaf():
            yield base
        case Node(kind, labels, parts):
            for label, part in zip(labels, parts, strict=True):
                match kind:
                    case Kind.TUPLE | Kind.LIST:
                        inner = f"{base}[{label}]"
                    case Kind.DICT:
                        inner = f"{base}[{_text(label)}]"
                    case Kind.DATACLASS | Kind.NAMED_TUPLE:
                        inner = f"{base}.{label}"
                yield from _paths(part, inner)


_IMPORTS = {
    "dataclass": "from dataclasses import dataclass",
    "Path": "from pathlib import Path",
    "Any": "from typing import Any",
    "NamedTuple": "from typing import NamedTuple",
    "np": "import numpy as np",
    "NDArray": "from numpy.typing import NDArray",
}


def _imports(text: str, extra: str, own: str) -> list[str]:
    """Return the imports that a text needs, and ``extra``; groups are separated by empty lines."""
    used = {*re.findall(r"[A-Za-z_]\w*", text), extra}
    found = [(line, word in ("np", "NDArray")) for word, line in _IMPORTS.items() if word in used]
    groups = [
        [line for line, others in found if not others],
        [line for line, others in found if others],
        [own] if own else [],
    ]
    return [line for g in groups if g for line in (*g, "")]


def _numpy(t: ScalarType) -> str:
    """Return the name of numpy's scalar type."""
    if t is BOOL:
        return "np.bool_"
    kind = "float" if t.is_float else "int" if t.is_signed else "uint"
    return f"np.{kind}{8 * t.bytes}"


def _show(e: EntryPlan) -> str:
    sizes = "".join(f"[{n}] " for n in e.sizes)
    params, results = (" ".join(map(_show_port, ports)) for ports in (e.params, e.results))
    return f"{e.name} {sizes}{params} -> {results}"


def _show_port(p: Port) -> str:
    shape = "".join(f"[{d}]" for d in p.shape) if isinstance(p, ArrayPort) else ""
    return f"({p.name} : {shape}{p.elem if isinstance(p, ArrayPort) else p.type})"
