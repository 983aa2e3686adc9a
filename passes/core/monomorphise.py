r"""Copy each definition for the types it is used at (Core -> Core); paper 001, 3.1.4.

    def id 'a : a -> a = \\(x : a) -> x            def id_i32 : i32 -> i32 = \\(x : i32) -> x
    entry main (y : i32) : i32 = id[i32] y    ->   entry main (y : i32) : i32 = id_i32 y

Starting from the entry points, each pair of a definition and the types of its instantiation becomes
a definition of its own.  Sizes in these types are dropped, because they mention names of the
caller.  Data types are treated likewise.  Definitions that no entry point needs are dropped.
A coercion to a size that names a definition gets a ``let`` that binds the definition's value.

Precondition: well typed.  Postcondition: no type parameters, type variables, or instantiations;
names are unique in an entry point or definition, and sizes mention names in scope (unique.py).
Raises SourceError for a definition or a data type that needs itself at ever larger types
(polymorphic recursion, non-uniform data), since it has infinitely many instances.
"""

from collections.abc import Iterable, Mapping

from funmem.ir import core as c
from funmem.ir.check.core.reach import Names, constants_stated, hidden_in
from funmem.ir.core import CoreProgram, DataDef, Def, Exp, Type
from funmem.ir.core_traverse import instantiate_type, map_parts, map_type, unsized
from funmem.ir.core_types import element_text, endless, is_size
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.messages import fill_last, holes
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, ScalarType
from funmem.passes.core.unique import Unique

MAX_INSTANCES = 10_000
"""The maximum number of instances; a program that needs more is taken to need infinitely many."""

_Key = tuple[Name, tuple[Type, ...]]


def monomorphise(p: CoreProgram) -> CoreProgram:
    """Run the pass; see the module's docstring."""
    work = _Instances(p)
    entries = tuple(
        c.Entry(
            e.name,
            e.sizes,
            tuple(
                c.EntryParam(c.Binder(q.binder.name, work.type(q.binder.type, {})), q.unique)
                for q in e.params
            ),
            work.type(e.result, {}),
            work.body(e.exp, {}, (*e.sizes, *(q.binder.name for q in e.params))),
            e.at,
        )
        for e in p.entries
    )
    work.finish()
    constants = work.constants()
    return CoreProgram(
        tuple(Unique(constants).entry(e) for e in entries),
        tuple(c.Def(d.name, (), d.type, Unique(constants).exp(d.exp, {}), d.at) for d in work.defs),
        tuple(work.data),
        p.foreign,
    )


class _Instances:
    """The instances found so far, and those whose bodies are still to be made."""

    def __init__(self, p: CoreProgram) -> None:
        self._source = {d.name: d for d in p.defs}
        self._types = {d.name: d for d in p.data}
        self._names: dict[_Key, Name] = {}
        self._data_names: dict[_Key, Name] = {}
        self._fresh = Fresh([*(e.name for e in p.entries)])
        self._todo: list[tuple[Name, Def, dict[Name, Type]]] = []
        self._data_todo: list[tuple[Name, DataDef, dict[Name, Type]]] = []
        self.defs: list[Def] = []
        self.data: list[DataDef] = []

    def finish(self) -> None:
        """Make the bodies of all instances, and of those that they need; then the data types."""
        while self._todo:
            name, d, image = self._todo.pop()
            self.defs.append(Def(name, (), self.type(d.type, image), self.body(d.exp, image), d.at))
        while self._data_todo:
            name, data, image = self._data_todo.pop()
            type_ = self.type(data.type, image)
            if not isinstance(type_, c.Sum):
                raise TypeError(f"data {name} became {type_}")
            self.data.append(DataDef(name, (), type_, data.at))

    def constants(self) -> Mapping[Name, Name]:
        """Return the new names of the i64 definitions, which sizes may mention."""
        return {x: y for (x, _), y in self._names.items() if is_size(self._source[x])}

    def body(self, e: Exp, image: Mapping[Name, Type], bound: Iterable[Name] = ()) -> Exp:
        """Return the instantiated body of an entry point or definition with these parameters."""
        return self.exp(e, image, frozenset(bound))

    def exp(self, e: Exp, image: Mapping[Name, Type], hidden: Names) -> Exp:
        """Return ``e`` with its type variables replaced.

        ``hidden`` are the definitions whose names are shadowed by local ones.
        """
        if isinstance(e, c.Global):
            return c.Global(self._instance(e, image), (), e.at)
        if isinstance(e, c.Coerce) and holes(e.message) == 3:
            elem = element_text(instantiate_type(e.type, image))
            e = evolve(e, message=fill_last(e.message, elem))
        stated = constants_stated(e, self._source, hidden)
        inner = (names for _, names in hidden_in(e, self._source, hidden))
        e = map_parts(e, lambda x: self.exp(x, image, next(inner)), lambda t: self.type(t, image))
        for name in stated:
            constant = c.Global(self._instance(c.Global(name), image), (), e.at)
            e = c.Let((c.Binder(name, I64),), constant, e, e.at)
        return e

    def type(self, t: Type, image: Mapping[Name, Type]) -> Type:
        """Return ``t`` with its type variables replaced and its data types instantiated."""
        match t:
            case c.TypeVar(name):
                return image[name]
            case c.Data(name, args):
                return c.Data(self._data(name, tuple(self.type(a, image) for a in args)))
            case ScalarType() | c.Array() | c.Record() | c.Sum() | c.Arrow() | c.Token():
                return map_type(t, lambda u: self.type(u, image))

    def _instance(self, g: c.Global, image: Mapping[Name, Type]) -> Name:
        types = tuple(unsized(self.type(t, image)) for t in g.types)
        key = (g.name, types)
        if key not in self._names:
            d = self._source[g.name]
            if len(self._names) >= MAX_INSTANCES or endless(types):
                hint = "a definition must not call itself at types that grow"
                raise _without_end(d.name, d.at if d.at != NOWHERE else g.at, hint)
            self._names[key] = self._fresh.reserve(g.name)
            self._todo.append((self._names[key], d, dict(zip(d.tparams, types, strict=True))))
        return self._names[key]

    def _data(self, name: Name, args: tuple[Type, ...]) -> Name:
        key = (name, tuple(map(unsized, args)))
        if key not in self._data_names:
            d = self._types[name]
            if len(self._data_names) >= MAX_INSTANCES or endless(args):
                raise _without_end(name, d.at, "a type must not contain itself at types that grow")
            self._data_names[key] = self._fresh.reserve(name)
            image = dict(zip(d.tparams, key[1], strict=True))
            self._data_todo.append((self._data_names[key], d, image))
        return self._data_names[key]


def _without_end(name: Name, at: Span, hint: str) -> SourceError:
    return SourceError(
        Diagnostic(at, "not-supported", f"`{name}` is needed at too many types", hint)
    )
