"""One trace: a Python function and the types of its arguments become a Core program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from funmem.frontends.python.elementwise import astype, fitted
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.functions import result_exp, returned
from funmem.frontends.python.guards import Captures, Spec
from funmem.frontends.python.places import of_function
from funmem.frontends.python.raw_place import require_on_host
from funmem.frontends.python.signatures import Call, Described, Parameters
from funmem.frontends.python.tape import Symbol, Tape, core_type, describe, running, sane
from funmem.frontends.python.trees import Structure, flatten, rebuilt
from funmem.frontends.python.types import ArrayAnnotation
from funmem.frontends.python.values import Traced
from funmem.frontends.regular import regular
from funmem.ir import core as c
from funmem.ir.foreign import ForeignCode, joined
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import ONE, Size, var

_SIZES = ("n", "m", "p", "q", "r", "s")
"""Names for the sizes of arguments without annotation."""


@frozen
class Result:
    """The type of one part of a result; a weak scalar is returned as a Python number."""

    type: ScalarType
    rank: int
    weak: bool


@frozen
class Traced1:
    """The result of a trace: the program, its result's tree, what it captured."""

    core: c.CoreProgram
    entry: Name
    params: tuple[tuple[str, ArrayAnnotation], ...]
    structure: Structure
    results: tuple[Result, ...]
    shapes: tuple[tuple[Size | None, ...], ...]
    bounds: tuple[tuple[Size | None, ...], ...]
    captures: Captures
    shared: dict[str, int]
    foreign: ForeignCode


class Tracer:
    """The state of one trace of an entry point.

    ``entry``: its name, which is among the names ``taken`` by other definitions of the program.
    """

    def __init__(
        self,
        parameters: Parameters,
        call: Call,
        entry: Name | None = None,
        taken: Iterable[Name] = (),
    ) -> None:
        self.parameters, self.call = parameters, call
        self.entry = entry
        self.captures = Captures(self._receive)
        self.tape = Tape(Traced, self.captures)
        for x in taken:
            self.tape.fresh.reserve(x)
        self.sizes: list[Name] = []
        self.params: list[c.EntryParam] = []
        self.types: list[tuple[str, ArrayAnnotation]] = []
        self._renamed: dict[Name, Size] = {}
        self._letters = iter(_SIZES)

    def run(self) -> Traced1:
        """Run the function on symbolic values, and return the program."""
        f = self.parameters.function
        at = of_function(f.__code__)
        with running(self.tape):
            leaves = self._arguments()
            trees = []
            pos = 0
            for structure in self.call.key.structures:
                n = _count(structure)
                trees.append(rebuilt(structure, leaves[pos : pos + n]))
                pos += n
            copy = self.captures.copy(f)
            positional, named = self.parameters.arguments(trees, self.call.static)
            try:
                values, structure = returned(self.tape, copy(*positional, **named), at)
                values = self._as_annotated(values)
                scope = self.tape.current
                body = scope.closed(result_exp(values))
            finally:
                self.tape.finish()
        known = {*self.sizes, *(q.binder.name for q in self.params)}
        shapes = tuple(
            tuple(d if d.free() <= known else None for d in map(self.tape.reported, x.dims))
            for x in values
        )
        types = [core_type(x.type, dims) for x, dims in zip(values, shapes, strict=True)]
        result = types[0] if len(types) == 1 else c.tuple_type(*types)
        name = f.__name__ if f.__name__.isidentifier() else "main"
        entry = c.Entry(
            self.entry or self.tape.fresh.reserve(Name(sane(name))),
            tuple(self.sizes),
            tuple(self.params),
            result,
            regular(self.tape.fresh, body, result, at),
            at,
        )
        raw = self.tape.foreign.values()
        declared = tuple(f.definition for f in raw)
        program = c.CoreProgram((entry,), tuple(self.tape.calls), (), declared)
        if any(d.whole for d in declared):
            require_on_host(program)
        return Traced1(
            program,
            entry.name,
            tuple(self.types),
            structure,
            tuple(Result(x.type, len(x.dims), x.weak and not x.dims) for x in values),
            shapes,
            tuple(
                tuple(self.tape.bound(self.tape.reported(d), known) for d in x.dims) for x in values
            ),
            self.captures,
            dict(self.tape.shared),
            joined(f.code for f in raw),
        )

    # ------------------------------------------------------------------ arguments

    def _arguments(self) -> list[Symbol]:
        found: list[Symbol] = []
        names, types = self.call.names, self.call.key.types
        scalars = {
            name
            for name, t in zip(names, types, strict=True)
            if isinstance(t, ArrayAnnotation) and not t.sizes and t.elem is I64
        }
        for t in types:
            if isinstance(t, ArrayAnnotation):
                for x in sorted({x for d in t.sizes for x in d.free()} - scalars):
                    self._size(x)
        for name, t in zip(names, types, strict=True):
            found.append(self._parameter(name, t))
        for x in self.sizes:
            if not any(_carries(q.binder.type, x) for q in self.params):
                message = f"no parameter has the size `{x}` as a dimension"
                hint = f'annotate one with fm.f32["{x}"]'
                raise wrong(
                    Code.TYPE, message, hint, of_function(self.parameters.function.__code__)
                )
        return found

    def _size(self, x: Name) -> None:
        """Declare a size of the annotations."""
        if x in self._renamed:
            return
        name = self.tape.name(sane(x))
        self._renamed[x] = var(name)
        self.sizes.append(name)

    def _parameter(self, path: str, t: Described) -> Symbol:
        base = sane(path.replace(".", "_").replace("[", "_").replace("]", "").replace("'", ""))
        weak = isinstance(t, Spec) and t.weak
        x = self.tape.parameter(t.elem, (), weak, base)
        if isinstance(t, ArrayAnnotation):
            if not t.sizes and t.elem is I64:
                assert isinstance(x.exp, c.Var)
                self._renamed[Name(path)] = var(x.exp.name)
                x.poly = var(x.exp.name)
            x.dims = tuple(d.subst(self._renamed) for d in t.sizes)
        else:
            x.dims = tuple(ONE if one else self._fresh_size() for one in t.ones)
        self._add(x, path)
        return x

    def _fresh_size(self) -> Size:
        name = self.tape.name(next(self._letters, "n"))
        self.sizes.append(name)
        return var(name)

    def _add(self, x: Symbol, path: str) -> None:
        assert isinstance(x.exp, c.Var)
        b = c.Binder(x.exp.name, core_type(x.type, x.dims))
        self.params.append(c.EntryParam(b))
        self.types.append((path, ArrayAnnotation(x.type, x.dims)))

    def _receive(self, name: str, spec: Spec) -> Symbol:
        """Return a hidden argument; it belongs to the outermost scope."""
        tape = self.tape
        before = tape.current
        first = tape.root.first
        assert first is not None
        tape.current = first
        try:
            return self._parameter(name, spec)
        finally:
            tape.current = before

    # ------------------------------------------------------------------ results

    def _as_annotated(self, values: list[Symbol]) -> list[Symbol]:
        wanted: list[Any] = []
        if self.parameters.result is not None:
            from funmem.frontends.python.signatures import _plain

            flatten(_plain(self.parameters.result), wanted)
        if not wanted:
            return values
        at = of_function(self.parameters.function.__code__)
        if len(wanted) != len(values):
            raise wrong(Code.RESULT, f"{len(values)} results; {len(wanted)} are annotated", at=at)
        return [self._result(x, a) for x, a in zip(values, wanted, strict=True)]

    def _result(self, x: Symbol, a: ArrayAnnotation) -> Symbol:
        at = of_function(self.parameters.function.__code__)
        if x.weak:
            x = astype(x, a.elem)
        if x.type is not a.elem or len(x.dims) != len(a.sizes):
            raise wrong(Code.RESULT, f"the result is {describe(x)}, its annotation {a}", at=at)
        dims = [
            d.subst(self._renamed) if d.free() <= self._renamed.keys() else own
            for d, own in zip(a.sizes, x.dims, strict=True)
        ]
        return fitted(x, tuple(dims), at)


def _count(structure: Structure) -> int:
    leaves: list[Any] = []
    _leaves(structure, leaves)
    return len(leaves)


def _leaves(structure: Structure, out: list[Any]) -> None:
    parts: Sequence[Structure] | None = getattr(structure, "parts", None)
    if parts is None:
        out.append(structure)
        return
    for p in parts:
        _leaves(p, out)


def _carries(t: c.Type, x: Name) -> bool:
    while isinstance(t, c.Array):
        if t.size is not None and t.size.as_name == x:
            return True
        t = t.elem
    return False
