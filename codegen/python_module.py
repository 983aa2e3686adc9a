"""The Python module of a compiled program, and its stub: a function for each entry point.

An entry point takes and returns arrays and scalars.  A function may have other parameters and
results: trees of tuples, lists, dicts and classes, which the module takes apart and builds.

    def forces(b):                                          NAME.py
        r = _entries['forces'](b.x, b.y, b.m)
        return {'dx': r[0], 'dy': r[1]}

    def forces(b: Bodies) -> dict[str, NDArray[np.float32]]: ...         NAME.pyi

An entry point of a language with records and sums takes and returns these by name
(:mod:`funmem.codegen.python_by_name`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import field

from funmem.codegen.plan import EntryPlan
from funmem.codegen.python_by_name import (
    ArgumentTypes,
    Rows,
    Shown,
    classes_of,
    described,
    shown,
)
from funmem.codegen.python_trees import (
    Function,
    Kind,
    Leaf,
    Node,
    Other,
    Param,
    Passing,
    Tree,
    function_of,
    identifier,
    literal,
)
from funmem.ir.imp import ArrayPort, Port
from funmem.ir.interface import Interface
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, ScalarType

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
    own = {loader.name: loader.module}
    if any(f.interface for f in every):
        own |= dict.fromkeys(_OF_INTERFACES, "funmem.ir.interface")
        own |= {"Named": "funmem.values.by_name", "Variant": "funmem.values.variants"}
    writer = _Writer(loader, own, {"Path", *own, *_IMPORTS})
    for t in (t for f in every for t in (*(p.tree for p in f.params), f.result)):
        writer.declare(t)
    for f, e in zip(every, entries, strict=True):
        writer.function(f, e)
    return writer.texts(name)


@define
class _Writer:
    """Collects the functions and classes of a module."""

    loader: Loader
    own: Mapping[str, str]
    """Names of funmem's that the module uses -> the modules that have them."""
    taken: set[str]
    classes: dict[str, str] = field(factory=dict)
    """A class of the program -> its name in the module."""
    kinds: dict[str, Kind] = field(factory=dict)
    fields: dict[str, dict[str, dict[str, None]]] = field(factory=dict)
    """A class -> its fields -> their types."""
    bodies: list[str] = field(factory=list)
    heads: list[str] = field(factory=list)
    arguments: list[str] = field(factory=list)
    """The classes of the stub for arguments that are passed by name."""

    def declare(self, t: Tree) -> None:
        """Give the classes of a tree their names and fields."""
        if isinstance(t, Leaf):
            return
        if isinstance(t, Other):
            for p, _ in t.inner:
                self.declare(p)
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
        if f.interface is not None:
            self._by_name(name, f, f.interface, e)
            return
        call = f"_entries[{literal(e.name)}]({', '.join(_arguments(f.params))})"
        body = [f"    return {call}"]
        if not _as_returned(f.result):
            body = [f"    r = {call}", f"    return {self._result(f.result, e.results)}"]
        typed: Iterator[Shown] = iter(e.params)
        types = [" | ".join(self._types(p.tree, typed, True)) for p in f.params]
        doc = " ".join(f"{_show(e)}.".split())
        self._add(name, f, f"{f.doc} {doc}".strip(), body, types, e.results)

    def _by_name(self, name: str, f: Function, interface: Interface, e: EntryPlan) -> None:
        """Add a function that takes records and sums by name."""
        call = f"_call_{name}"
        classes = "".join([f"{self.classes[x]}, " for x in classes_of(f.result)])
        given = f"_entries, {literal(e.name)}, {interface!a}, ({classes})"
        self.bodies.append(f"{call} = Named({given})")
        names = [p.name for p in f.params]
        results = shown(e.results, e)
        body = [f"    return {call}({', '.join(names)})"]
        writer = ArgumentTypes(lambda p: self._type(p, False, True), self.taken)
        parts = iter(shown(e.params, e))
        typed = zip(names, interface.params, strict=True)
        types = [writer.param(name, x, t, parts) for x, (_, t) in typed]
        self.arguments += writer.definitions
        self._add(name, f, described(e, interface), body, types, results)

    def _add(
        self,
        name: str,
        f: Function,
        doc: str,
        body: Sequence[str],
        types: Sequence[str],
        results: Sequence[Shown],
    ) -> None:
        params = ", ".join(_parameters(f.params, [p.name for p in f.params]))
        self.bodies.append("\n".join([f"def {name}({params}):", f"    {literal(doc)}", *body]))
        typed = [
            f"{p.name}: {t}{' = ...' if p.default else ''}"
            for p, t in zip(f.params, types, strict=True)
        ]
        given = ", ".join(_parameters(f.params, typed, with_defaults=False))
        result = " | ".join(self._types(f.result, iter(results), False))
        self.heads.append(f"def {name}({given}) -> {result}: ...")

    def texts(self, name: str) -> Texts:
        """Return the finished texts."""
        untyped = {c: {x: {"object": None} for x in own} for c, own in self.fields.items()}
        loader = self.loader
        start = f"_entries = {loader.name}(Path(__file__).parent, {literal(name)}).entries"
        parts = [start, *self._classes(untyped), *self.bodies]
        used = "\n".join(parts)
        head = [f'"""{loader.doc}"""', "", *_imports(used, "Path", self.own)]
        module = "\n".join([*head, "\n\n\n".join(parts), ""])
        parts = [*self._classes(self.fields), *self.arguments, "\n".join(self.heads)]
        where, _, array = loader.array.rpartition(".")
        own = {**self.own, **({array: where} if array else {})}
        stub = "\n".join([*_imports("\n".join(parts), "", own), "\n\n".join(parts), ""])
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

    def _result(self, t: Tree, results: Sequence[Port]) -> str:
        """Return the expression that builds a result from ``r``."""
        one = len(results) == 1
        parts = [("r" if one else f"r[{k}]", p) for k, p in enumerate(results)]
        return self._built(t, iter(parts))

    def _built(self, t: Tree, parts: Iterator[tuple[str, Port]]) -> str:
        """Return the expression of a result."""
        match t:
            case Leaf(numpy=numpy):
                x, port = next(parts)
                if not numpy or isinstance(port, ArrayPort):
                    return x
                return f"{_numpy(port.type)}({x})"
            case Other():
                raise TypeError("a result by name")
            case Node(kind, labels, inner, name):
                xs = [self._built(p, parts) for p in inner]
                match kind:
                    case Kind.TUPLE:
                        return f"({', '.join(xs)}{',' if len(xs) == 1 else ''})"
                    case Kind.LIST:
                        return f"[{', '.join(xs)}]"
                    case Kind.DICT:
                        pairs = [f"{literal(k)}: {x}" for k, x in zip(labels, xs, strict=True)]
                        return f"{{{', '.join(pairs)}}}"
                    case Kind.DATACLASS | Kind.NAMED_TUPLE:
                        return f"{self.classes[name]}({', '.join(xs)})"

    def _types(self, t: Tree, ports: Iterator[Shown], argument: bool) -> list[str]:
        """Return the alternatives of a type in the stub; note the types of classes' fields."""
        match t:
            case Leaf(numpy=numpy):
                return self._type(next(ports), numpy, argument)
            case Other(python, parts, inner):
                own = [next(ports) for _ in range(parts)]
                for p, places in inner:
                    self._types(p, iter([own[k] for k in places]), argument)
                return [python]
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

    def _type(self, port: Shown, numpy: bool, argument: bool) -> list[str]:
        if isinstance(port, Rows):
            if argument:
                return ["Sequence[Any]", f"NDArray[{_numpy(port.port.elem)}]"]
            row = f"NDArray[{_numpy(port.port.elem)}]"
            return [f"{'list[' * port.levels}{row}{']' * port.levels}"]
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
    if isinstance(t, Other):
        return False
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
                        inner = f"{base}[{literal(label)}]"
                    case Kind.DATACLASS | Kind.NAMED_TUPLE:
                        inner = f"{base}.{label}"
                yield from _paths(part, inner)
        case Other():
            raise TypeError("an argument by name")


_IMPORTS = {
    "dataclass": "from dataclasses import dataclass",
    "Path": "from pathlib import Path",
    "Sequence": "from collections.abc import Sequence",
    "Any": "from typing import Any",
    "NamedTuple": "from typing import NamedTuple",
    "Protocol": "from typing import Protocol",
    "TypedDict": "from typing import TypedDict",
    "np": "import numpy as np",
    "NDArray": "from numpy.typing import NDArray",
}


_OF_INTERFACES = (
    *("Case", "Choice", "Family", "Group", "Interface"),
    *("Link", "Many", "Part", "Table", "Vector"),
)
"""The classes of an interface's expression."""


def _imports(text: str, extra: str, own: Mapping[str, str]) -> list[str]:
    """Return the imports that a text needs, and ``extra``; groups are separated by empty lines."""
    used = {*re.findall(r"[A-Za-z_]\w*", text), extra}
    found = [(line, word in ("np", "NDArray")) for word, line in _IMPORTS.items() if word in used]
    wanted: dict[str, list[str]] = {}
    for word in sorted(own.keys() & used):
        wanted.setdefault(own[word], []).append(word)
    groups = [
        [line for line, others in found if not others],
        [line for line, others in found if others],
        [f"from {where} import {', '.join(words)}" for where, words in sorted(wanted.items())],
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
