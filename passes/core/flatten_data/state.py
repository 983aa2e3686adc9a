"""Flattened values, and the expression under construction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import resize
from funmem.ir.core_types import forget
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.sizes import Size, const, var
from funmem.passes.core.flatten_data.layout import Layouts


@frozen
class Flat:
    """A flattened value: its type in the old program, and an expression for each part.

    The expressions cannot trap and cost nothing: names, constants, and scalar operators on them.
    """

    type: Type
    parts: tuple[Exp, ...]


@frozen
class Link:
    """``let p … = e``, or an assertion whose body is still to come."""

    binders: tuple[c.Binder, ...]
    exp: Exp | c.Assert


Out: TypeAlias = list[Link]


@define
class Scope:
    """The flattened values of names; continues in ``outer``.

    ``out`` are the links to be put around the rest.
    """

    outer: "Scope | None"
    table: dict[Name, Flat] = field(factory=dict)
    out: Out = field(factory=list)
    bound: list[Name] = field(factory=list)

    def find(self, name: Name) -> Flat:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.table:
                return scope.table[name]
            scope = scope.outer
        raise KeyError(name)


class State:
    """The scopes, names and layouts of one program."""

    def __init__(self, p: c.CoreProgram) -> None:
        self.layouts = Layouts(p.data)
        self.defs: Mapping[Name, c.Def] = {d.name: d for d in p.defs}
        names = [x for e in p.entries for x in (*e.sizes, *(q.binder.name for q in e.params))]
        self.fresh = Fresh(names)
        self.scope = Scope(None)

    # ------------------------------------------------------------------ scopes

    @contextmanager
    def inner(self) -> Iterator[Scope]:
        """Open a scope inside the present one."""
        before = self.scope
        self.scope = Scope(before)
        yield self.scope
        self.scope = before

    @contextmanager
    def names(self) -> Iterator[None]:
        """Open a scope for the names of a chain of ``let``; its links go to the outer scope."""
        before = self.scope
        self.scope = Scope(before, out=before.out, bound=before.bound)
        yield
        self.scope = before

    def name(self, base: str) -> Name:
        """Return a fresh name, bound in this scope."""
        name = self.fresh.reserve(Name(base))
        self.scope.bound.append(name)
        return name

    def closed(self, scope: Scope, parts: Sequence[Exp]) -> Exp:
        """Return a scope's links around its result.

        ``let x = e in x`` becomes ``e``, so that a tail call stays one.
        """
        links = list(scope.out)
        e: Exp = parts[0] if len(parts) == 1 else c.tuple_exp(*parts)
        names = tuple(p.name if isinstance(p, c.Var) else None for p in parts)
        last = links[-1] if links else None
        returned = last is not None and names == tuple(b.name for b in last.binders)
        if last is not None and returned and not isinstance(last.exp, c.Assert):
            links.pop()
            e = last.exp
        for link in reversed(links):
            match link.exp:
                case c.Assert(cond, message, values, _, at) if not link.binders:
                    e = c.Assert(cond, message, values, e, at)
                case exp:
                    e = c.Let(link.binders, exp, e, exp.at)
        return e

    # ------------------------------------------------------------------ binding

    def let(self, base: str, t: Type, e: Exp) -> c.Var:
        """Bind an expression with one part; return its name."""
        name = self.name(base)
        self.scope.out.append(Link((c.Binder(name, t),), e))
        return c.Var(name, e.at)

    def results(self, base: str, types: Sequence[Type], e: Exp) -> tuple[Exp, ...]:
        """Bind an expression with several results, or none; return their names."""
        binders = tuple(c.Binder(self.name(base), t) for t in types)
        self.scope.out.append(Link(binders, e))
        return tuple(c.Var(b.name, e.at) for b in binders)

    def atom(self, e: Exp, t: Type, base: str = "t") -> Exp:
        """Return an expression that may be repeated: a name or a constant."""
        return e if isinstance(e, c.Var | c.Const) else self.let(base, t, e)

    def named(self, v: Flat, base: str) -> Flat:
        """Return a value whose parts are names or constants."""
        if all(isinstance(p, c.Var | c.Const) for p in v.parts):
            return v
        types = self.layouts.parts(v.type)
        atoms = (self.atom(p, t, base) for p, t in zip(v.parts, types, strict=True))
        return Flat(v.type, tuple(atoms))

    def binders(self, name: Name, t: Type) -> tuple[tuple[c.Binder, ...], Flat]:
        """Bind ``name`` to new parts of type t; return their binders and the flattened value."""
        types = self.layouts.parts(t)
        bs = tuple(c.Binder(self.name(name), u) for u in types)
        flat = Flat(t, tuple(c.Var(b.name) for b in bs))
        self.scope.table[name] = flat
        return bs, flat

    def take_apart(self, v: Flat, types: Iterable[Type]) -> list[Flat]:
        """Return the fields of a record, at these types."""
        out: list[Flat] = []
        start = 0
        for t in types:
            count = len(self.layouts.parts(t))
            out.append(Flat(t, v.parts[start : start + count]))
            start += count
        if start != len(v.parts):
            raise TypeError(f"{len(v.parts)} parts taken apart as {start}")
        return out

    # ------------------------------------------------------------------ types

    def type(self, t: Type) -> Type:
        """Return a type under the new names."""
        return resize(t, self._size)

    def _size(self, d: Size) -> Size | None:
        image: dict[Name, Size] = {}
        for x in d.free():
            try:
                parts = self.scope.find(x).parts
            except KeyError:
                return None
            match parts:
                case (c.Var(new),):
                    image[x] = var(new)
                case (c.Const(int(k)),):
                    image[x] = const(k)
                case _:
                    return None
        return d.subst(image)

    def outside(self, t: Type, scope: Scope) -> Type:
        """Return a type without sizes that only the inner scope knows."""
        return forget(t, scope.bound) if scope.bound else t
