"""Entry points with records, tuples and sums in a compiled module.

    entry moved (p : {x : f32, y : f32}) : {steps : f32, to : {x : f32, y : f32}}

    class MovedTo(NamedTuple): …                                            NAME.py
    class Moved(NamedTuple): …
    _call_moved = Named(_entries, 'moved', Interface(…), (Moved, MovedTo))
    def moved(p):
        return _call_moved(p)

    class _MovedP(Protocol): …                                              NAME.pyi
    _MovedPDict = TypedDict('_MovedPDict', {'x': …, 'y': …})
    def moved(p: _MovedP | _MovedPDict) -> Moved: ...

``Named`` takes the arguments apart, explains what is wrong with them, and builds the result
(``funmem/values/by_name.py``).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from attrs import field

from funmem.codegen.plan import EntryPlan, signature_of
from funmem.codegen.python_trees import (
    Function,
    Kind,
    Leaf,
    Node,
    Other,
    Param,
    Tree,
    identifier,
    identifiers,
    literal,
)
from funmem.ir import interface as i
from funmem.ir.fun import MemProgram, Program
from funmem.ir.imp import ArrayPort, ImpProgram, Port
from funmem.ir.interface import Interface
from funmem.ir.record import define, evolve, frozen
from funmem.ir.signature import offset_places


def functions_of(p: MemProgram | ImpProgram) -> tuple[Function, ...]:
    """Return how Python calls the entry points that have an interface."""
    if not isinstance(p, Program):
        return ()
    taken = {identifier(e.name) for e in p.entries}
    return tuple([_function(e.name, e.interface, taken) for e in p.entries if e.interface])


def _function(name: str, interface: Interface, taken: set[str]) -> Function:
    params = identifiers([x for x, _ in interface.params])
    result = _result(interface.result, _camel(name), taken)
    return Function(name, tuple(map(Param, params)), result, interface=interface)


def _result(t: i.Tree, name: str, taken: set[str]) -> Tree:
    """Return a result as a tree; ``name``: that of its class."""
    match t:
        case i.Part():
            return Leaf()
        case i.Group(labels, trees):
            if t.is_tuple:
                names = [f"{name}{x}" for x in labels]
                parts = [_result(u, x, taken) for x, u in zip(names, trees, strict=True)]
                return Node(Kind.TUPLE, labels, tuple(parts))
            own = identifier(name, taken)
            taken.add(own)
            fields = identifiers(labels)
            parts = [_result(u, own + _camel(x), taken) for x, u in zip(fields, trees, strict=True)]
            return Node(Kind.NAMED_TUPLE, tuple(fields), tuple(parts), own)
        case i.Choice(cases):
            inner = []
            for x in cases:
                places = iter([1 + k for k in x.slots])  # the tag is the first part
                for u in x.payload:
                    mine = tuple(islice(places, i.count(u)))
                    inner.append((_result(u, name + _camel(x.name), taken), mine))
            return Other("Variant", i.count(t), tuple(inner))
        case i.Link():
            return Other("Variant", 1)
        case i.Many() | i.Vector():
            return Other("list[Any]", i.count(t))


def classes_of(t: Tree) -> Iterator[str]:
    """Yield the names of the classes of records in a result, outer ones first."""
    match t:
        case Node(parts=parts, name=name):
            if name:
                yield name
            for p in parts:
                yield from classes_of(p)
        case Other(inner=inner):
            for p, _ in inner:
                yield from classes_of(p)
        case Leaf():
            pass


def _camel(name: str) -> str:
    return "".join([word[:1].upper() + word[1:] for word in identifier(name).split("_")])


# ---------------------------------------------------------------------- parts


@frozen
class Rows:
    """Rows of different lengths: ``levels`` parameters of offsets, and that of the elements."""

    port: ArrayPort
    levels: int


Shown: TypeAlias = Port | Rows
"""A parameter or result as Python sees it."""


def shown(ports: Sequence[Port], call: EntryPlan) -> list[Shown]:
    """Return the parameters, or the results, of an entry point as Python sees them."""
    types = signature_of(call)
    first = offset_places(types.params if ports is call.params else types.results)
    found: list[Shown] = []
    levels = 0
    for k, p in enumerate(ports):
        if k in first:
            levels += 1
            continue
        found.append(Rows(p, levels) if levels and isinstance(p, ArrayPort) else p)
        levels = 0
    return found


def described(call: EntryPlan, interface: Interface) -> str:
    """Return the types of an entry point as its source language has them."""
    return f"{call.name}{evolve(signature_of(call), interface=interface).text}"


# ---------------------------------------------------------------------- the stub


@define
class ArgumentTypes:
    """Writes the types of arguments: a record is an object with its fields, or a dict.

    ``leaf`` returns the alternatives of the type of a part.  ``definitions`` are the classes that
    the types mention, whose names are private, since only the stub has them.
    """

    leaf: Callable[[Shown], list[str]]
    taken: set[str]
    definitions: list[str] = field(factory=list)

    def param(self, function: str, name: str, t: i.Tree, parts: Iterator[Shown]) -> str:
        """Return the type of a parameter."""
        return " | ".join(self._alternatives(t, f"_{_camel(function)}{_camel(name)}", parts))

    def _alternatives(self, t: i.Tree, name: str, parts: Iterator[Shown]) -> list[str]:
        match t:
            case i.Part():
                return self.leaf(next(parts))
            case i.Choice(_, slots):
                for _ in range(1 + slots):
                    next(parts)
                return ["Variant"]
            case i.Link():
                next(parts)
                return ["Variant"]
            case i.Many() | i.Vector():
                for _ in range(i.count(t)):
                    next(parts)
                return ["Sequence[Any]"]
            case i.Group(labels, trees):
                inner = [
                    self._alternatives(u, f"{name}{_camel(x)}", parts)
                    for x, u in zip(labels, trees, strict=True)
                ]
                return self._tuple(inner) if t.is_tuple else self._record(labels, inner, name)

    def _tuple(self, inner: Sequence[Sequence[str]]) -> list[str]:
        """Return the types of a tuple, and of a list, whose length a type cannot state."""
        every = " | ".join(dict.fromkeys(x for xs in inner for x in xs))
        exact = ", ".join(" | ".join(xs) for xs in inner) or "()"
        return [f"tuple[{exact}]", f"list[{every}]"] if every else [f"tuple[{exact}]"]

    def _record(
        self, labels: Sequence[str], inner: Sequence[Sequence[str]], name: str
    ) -> list[str]:
        while name in self.taken or f"{name}Dict" in self.taken:
            name += "_"
        self.taken |= {name, f"{name}Dict"}
        types = [" | ".join(xs) for xs in inner]
        lines = [f"class {name}(Protocol):"]
        for x, t in zip(identifiers(labels), types, strict=True):
            lines += ["    @property", f"    def {x}(self) -> {t}: ..."]
        keys = ", ".join([f"{literal(x)}: {t}" for x, t in zip(labels, types, strict=True)])
        self.definitions += [
            "\n".join(lines),
            f"{name}Dict = TypedDict({literal(f'{name}Dict')}, {{{keys}}})",
        ]
        return [name, f"{name}Dict"]
