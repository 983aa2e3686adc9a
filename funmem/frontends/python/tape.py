r"""The tape: one operation of the traced function is one binding of a Core program.

    x * y + 1      ->      let (t_1 : f32) = x * y
                           let (t_2 : f32) = t_1 + 1 in …

A Python object that is used twice is one name (let-sharing, paper 003, section 3.1).  The tape
keeps the order of evaluation, so what may trap keeps its place.  Each lambda and each branch has a
scope of its own; a value that is used outside of its scope is an error (``escaped``).  A definition
has a *root*: values of an outer root that it uses become its parameters.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import local
from types import FunctionType
from typing import Any, Protocol, TypeAlias

from funmem.frontends.python.errors import Code, here, wrong
from funmem.ir import core as c
from funmem.ir.diagnostics import Span
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.ir.text.lexer import RESERVED

Dims: TypeAlias = tuple[Size, ...]


class Symbol:
    """A symbolic scalar or array: an atom of Core, its type and its shape.

    ``weak``: a Python number or a size, which takes the type of the other operand.  ``poly``: the
    polynomial that an i64 is, if one is known.  ``natural``: it is never negative.
    """

    __slots__ = ("dims", "exp", "natural", "poly", "scope", "tape", "type", "weak")

    def __init__(
        self,
        tape: Tape,
        exp: c.Var | c.Const,
        type_: ScalarType,
        dims: Dims = (),
        weak: bool = False,
        size: Size | None = None,
        natural: bool = False,
    ) -> None:
        self.tape, self.scope = tape, tape.current
        self.exp, self.type, self.dims = exp, type_, dims
        self.weak, self.poly, self.natural = weak, size, natural

    def key(self) -> object:
        """Return what identifies a scalar: its name, or its number and type."""
        e = self.exp
        return e.name if isinstance(e, c.Var) else (self.type, self.weak, repr(e.value))


Let: TypeAlias = "tuple[tuple[c.Binder, ...], c.Exp, Span]"
Check: TypeAlias = "tuple[c.Exp, str, tuple[c.Exp, ...], Span]"


class Root:
    """An entry point or definition in the making.

    ``captured``: the values of outer roots that it uses, and the parameters that stand for them.
    """

    def __init__(self, outer: Root | None = None) -> None:
        self.outer = outer
        self.captured: dict[str, tuple[Symbol, Symbol]] = {}
        self.first: Scope | None = None


class Scope:
    """The bindings of a lambda's body, a branch, or an entry point."""

    __slots__ = ("atoms", "fitted", "items", "open", "outer", "root")

    def __init__(self, root: Root, outer: Scope | None) -> None:
        self.root, self.outer, self.open = root, outer, True
        self.items: list[Let | Check] = []
        self.atoms: dict[Size, c.Var | c.Const] = {}
        self.fitted: dict[tuple[Name, Dims], Symbol] = {}
        if root.first is None:
            root.first = self

    def closed(self, e: c.Exp) -> c.Exp:
        """Return the bindings around an expression."""
        for item in reversed(self.items):
            if len(item) == 3:
                e = c.Let(item[0], item[1], e, item[2])
            else:
                e = c.Assert(item[0], item[1], item[2], e, item[3])
        return e


class Outside(Protocol):
    """Access to globals and closure variables of traced functions (guards.py)."""

    def copy(self, f: FunctionType) -> FunctionType:
        """Return a function that sees hidden arguments in place of arrays."""

    def found(self, x: Any) -> Any:
        """Return the hidden argument for an array, None for another value."""

    def name_of(self, x: Any) -> str:
        """Return the name by which the function found a value, or an empty text."""


class Tape:
    """One trace: the scopes that are open, and the definitions that calls have made.

    ``symbol`` is the class of the values that the traced function sees.
    """

    def __init__(self, symbol: type[Symbol], captures: Outside) -> None:
        self.symbol = symbol
        self.captures = captures
        self.root = Root()
        self.current = Scope(self.root, None)
        self.fresh = Fresh([Name(x) for x in RESERVED])
        self.defs: dict[Any, Any] = {}
        self.calls: list[c.Def] = []
        self.shared: dict[str, int] = {}
        self.foreign: dict[Name, Any] = {}
        """The raw functions that are called (raw.py)."""
        self.owner: dict[Name, Scope] = {}
        self.same: dict[Name, Name] = {}
        self.bounds: dict[Name, Size] = {}
        """Upper bounds of sizes that only the program knows."""
        self.loops: dict[Any, Any] = {}
        """numpy's loops by function and operands' types (elementwise.py)."""
        self.rows: dict[Any, Any] = {}
        """Lambdas of loops that cannot trap (elementwise.py)."""
        self._types: dict[tuple[int, ScalarType], tuple[c.Type, Dims]] = {}
        self._count = 0

    # ------------------------------------------------------------------ names, bindings

    def name(self, base: str = "") -> Name:
        """Return an unused name, which belongs to the current scope."""
        if base:
            found = self.fresh.reserve(Name(base))
        else:
            self._count += 1
            found = Name(f"t_{self._count}")
        self.own(found)
        return found

    def own(self, name: Name) -> None:
        """Record that the current scope binds a name."""
        self.owner[name] = self.current

    def bind(
        self,
        exp: c.Exp,
        type_: ScalarType,
        dims: Dims = (),
        at: Span | None = None,
        weak: bool = False,
        size: Size | None = None,
        natural: bool = False,
    ) -> Symbol:
        """Append ``let x = exp`` and return x."""
        if at is None:
            at = here()
        self._count += 1
        name = Name(f"t_{self._count}")
        scope = self.current
        if dims:
            known = self._types.get((id(dims), type_))
            if known is None:
                known = core_type(type_, dims), dims
                self._types[id(dims), type_] = known
            t = known[0]
        else:
            t = type_
            if type_ is I64:
                self.owner[name] = scope
        scope.items.append(((c.Binder(name, t),), exp, at))
        return self.symbol(self, c.Var(name, at), type_, dims, weak, size, natural)

    def bind_all(self, exp: c.Exp, parts: Sequence[tuple[ScalarType, Dims, bool]]) -> list[Symbol]:
        """Append a binding of a record's fields, or of one value if there is one part."""
        if len(parts) == 1:
            t, dims, weak = parts[0]
            return [self.bind(exp, t, dims, weak=weak)]
        at = here()
        found = [
            self.symbol(self, c.Var(self.name(), at), t, dims, weak) for t, dims, weak in parts
        ]
        binders = tuple(binder(x) for x in found)
        self.current.items.append((binders, exp, at))
        return found

    def parameter(
        self,
        type_: ScalarType,
        dims: Dims = (),
        weak: bool = False,
        base: str = "",
        natural: bool = False,
    ) -> Symbol:
        """Return a value that the current scope's lambda, loop or entry point binds."""
        name = self.name(base)
        size = var(name) if type_ is I64 and not dims and weak else None
        return self.symbol(self, c.Var(name), type_, dims, weak, size, natural)

    def check(
        self, cond: c.Exp, message: str, values: tuple[c.Exp, ...] = (), at: Span | None = None
    ) -> None:
        """Append an assertion."""
        self.current.items.append((cond, message, values, at or here()))

    # ------------------------------------------------------------------ scopes

    @contextmanager
    def scope(self) -> Iterator[Scope]:
        """Open a scope in the current one while the block runs."""
        before = self.current
        scope = self.current = Scope(before.root, before)
        try:
            yield scope
        finally:
            self._close(scope, before)

    @contextmanager
    def definition(self) -> Iterator[Root]:
        """Open a root, with a scope, while the block runs."""
        before = self.current
        root = Root(before.root)
        scope = self.current = Scope(root, before)
        try:
            yield root
        finally:
            self._close(scope, before)

    def _close(self, scope: Scope, before: Scope | None) -> None:
        scope.open = False
        if before is not None:
            self.current = before

    def finish(self) -> None:
        """Close the outermost scope: values of this trace can no longer be used."""
        scope: Scope | None = self.current
        while scope is not None:
            scope.open = False
            scope = scope.outer

    # ------------------------------------------------------------------ values in scope

    def local(self, x: Symbol) -> Symbol:
        """Return a value as the current scope sees it.  Raises SourceError (``escaped``)."""
        scope = x.scope
        if scope is self.current:
            return x
        if x.tape is not self or not scope.open:
            return self._escaped(x)
        if scope.root is self.current.root:
            return x
        return self._captured(x, self.current.root)

    def _escaped(self, x: Symbol) -> Symbol:
        if isinstance(x.exp, c.Const):
            return self.symbol(self, x.exp, x.type, (), x.weak, x.poly, x.natural)
        what = "a traced value is used outside of the function, lambda or branch that computed it"
        hint = "return it as a result instead of storing it in a variable outside"
        raise wrong(Code.ESCAPED, what, hint)

    def _captured(self, x: Symbol, root: Root) -> Symbol:
        """Return the parameter of a definition that stands for a value of an outer one."""
        if isinstance(x.exp, c.Const):
            return x
        key = x.exp.name
        if key in root.captured:
            return root.captured[key][1]
        first = root.first
        assert first is not None
        before, self.current = self.current, first
        here_ = self.received(x.type, len(x.dims), tuple(d.as_const for d in x.dims), x.weak)
        self.current = before
        here_.natural = x.natural
        root.captured[key] = (x, here_)
        return here_

    def received(
        self, t: ScalarType, rank: int, known: Sequence[int | None], weak: bool, base: str = ""
    ) -> Symbol:
        """Return a parameter of a definition; its sizes are read off at the start."""
        x = self.parameter(t, (), weak and not rank, base)
        dims = []
        for k in range(rank):
            constant = known[k]
            if constant is not None:
                dims.append(const(constant))
                continue
            dims.append(self.length(c.Length(x.exp, k)))
        x.dims = tuple(dims)
        return x

    def length(self, e: c.Exp, base: str = "n") -> Size:
        """Bind a length and return it as a size."""
        name = self.name(base)
        self.current.items.append(((c.Binder(name, I64),), e, here()))
        return var(name)

    # ------------------------------------------------------------------ sizes

    def size_atom(self, d: Size) -> c.Var | c.Const:
        """Return a size as an operand; its arithmetic is bound once in a scope."""
        k = d.as_const
        if k is not None:
            return c.Const(k, I64)
        x = d.as_name
        if x is not None:
            return c.Var(self._name_here(x))
        scope: Scope | None = self.current
        while scope is not None and scope.root is self.current.root:
            if d in scope.atoms:
                return scope.atoms[d]
            scope = scope.outer
        e = self._size_exp(d)
        atom = self.bind(e, I64, weak=True).exp
        self.current.atoms[d] = atom
        return atom

    def _size_exp(self, d: Size) -> c.Exp:
        total: c.Exp | None = None
        for monomial, k in d.terms:
            negative = k < 0 and total is not None
            term: c.Exp | None = None
            factor = -k if negative else k
            if factor != 1 or not monomial:
                term = c.Const(factor, I64)
            for x in monomial:
                v = c.Var(self._name_here(x))
                term = v if term is None else c.Bin(BinOp.MUL, term, v)
            assert term is not None
            if total is None:
                total = term
            else:
                total = c.Bin(BinOp.SUB if negative else BinOp.ADD, total, term)
        return c.Const(0, I64) if total is None else total

    def _name_here(self, x: Name) -> Name:
        """Return the name by which the current root knows a size."""
        owner = self.owner.get(x)
        if owner is None or owner.root is self.current.root:
            return x
        outer = self.symbol(self, c.Var(x), I64, (), True, var(x), True)
        outer.scope = owner
        found = self.local(outer).exp
        assert isinstance(found, c.Var)
        return found.name

    def equal(self, a: Size, b: Size) -> None:
        """Note that two sizes are equal wherever the program gets past its checks."""
        x, y = a.as_name, b.as_name
        if x is None or y is None:
            return
        while x in self.same:
            x = self.same[x]
        while y in self.same:
            y = self.same[y]
        if x != y:
            self.same[y] = x

    def bounded(self, x: Size, bound: Size | None) -> None:
        """Note an upper bound of a size, if it has a name of its own."""
        if bound is not None and x.as_name is not None:
            self.bounds[x.as_name] = bound

    def bound(self, d: Size, known: Container[Name]) -> Size | None:
        """Return an upper bound of a size in terms of ``known`` ones, or None."""
        while True:
            unknown = {x for x in d.free() if x not in known}
            if not unknown:
                return d
            if not unknown <= self.bounds.keys():
                return None
            if any(k < 0 and unknown.intersection(m) for m, k in d.terms):
                return None
            d = d.subst({x: self.bounds[x] for x in unknown})

    def reported(self, d: Size) -> Size:
        """Return a size by the first of the names that are equal."""
        image = {}
        for x in d.free():
            first = x
            while first in self.same:
                first = self.same[first]
            if first != x:
                image[x] = var(first)
        return d.subst(image)

    def size_symbol(self, d: Size) -> Symbol:
        """Return a size as a value: a weak i64, as Python's integers are."""
        atom = self.size_atom(d)
        return self.symbol(self, atom, I64, (), True, d, True)

    def dim_of(self, x: Any) -> Size:
        """Return a number of elements, given as an integer or a traced one, as a size."""
        if isinstance(x, Symbol):
            x = self.local(x)
            if x.dims or not x.type.is_int:
                raise wrong(Code.TYPE, f"a size is an integer, not {describe(x)}")
            known: Size | None = x.poly
            if known is not None:
                return known
            if isinstance(x.exp, c.Const):
                return const(int(x.exp.value))
            if x.type is not I64:
                x = self.bind(c.Convert(I64, x.exp), I64)
            assert isinstance(x.exp, c.Var)
            return var(x.exp.name)
        try:
            n: int = x.__index__()
        except (AttributeError, TypeError):
            raise wrong(Code.TYPE, f"a size is an integer, not {type(x).__name__}") from None
        if n < 0:
            raise wrong(Code.SHAPE, f"the size {n} is negative")
        return const(n)

    def known(self, dims: Iterable[Size]) -> list[Size | None]:
        """Return the dimensions as seen outside of closed scopes; None: not known there."""
        return [None if any(self.gone(x) for x in d.free()) else d for d in dims]

    def gone(self, x: Name) -> bool:
        """True for a name that a closed scope binds."""
        owner = self.owner.get(x)
        return owner is not None and not owner.open

    def regular(self, x: Symbol, dims: Sequence[Size | None]) -> Symbol:
        """Give an array its shape; unknown dimensions are read off."""
        if all(d is not None for d in dims):
            x.dims = tuple(d for d in dims if d is not None)
            return x
        x.dims = tuple(
            self.length(c.Length(x.exp, k), "k") if d is None else d for k, d in enumerate(dims)
        )
        return x

    def lift(self, x: Any) -> Symbol:
        """Return an operand as a value: traced, a number, or an array found outside."""
        if isinstance(x, Symbol):
            return self.local(x)
        return self.symbol.lifted(self, x)  # type: ignore[attr-defined,no-any-return]


def core_type(t: ScalarType, dims: Sequence[Size | None]) -> c.Type:
    """Return the type of an array."""
    found: c.Type = t
    for d in reversed(dims):
        found = c.Array(found, d)
    return found


def binder(x: Symbol) -> c.Binder:
    """Return a value as a binder."""
    assert isinstance(x.exp, c.Var)
    return c.Binder(x.exp.name, core_type(x.type, x.dims))


def unsized_binder(x: Symbol) -> c.Binder:
    """Return a value as a binder whose sizes are not stated."""
    assert isinstance(x.exp, c.Var)
    return c.Binder(x.exp.name, core_type(x.type, [None] * len(x.dims)))


def describe(x: Symbol) -> str:
    """Return the type of a value as messages show it: ``f32[n, 3]``."""
    return f"{x.type}[{', '.join(map(str, x.dims))}]" if x.dims else str(x.type)


_TEMPORARY = re.compile(r"t_\d+")


def sane(name: str) -> str:
    """Return a Python name as a name of Core that no temporary has."""
    found = name if IDENTIFIER.fullmatch(name) else "x"
    return f"{found}_" if _TEMPORARY.fullmatch(found) else found


# ---------------------------------------------------------------------- the tape that runs


class _Active(local):
    tape: Tape | None = None


_ACTIVE = _Active()
"""The tape of the trace that this thread runs: functions without traced arguments append to it."""


def active() -> Tape | None:
    """Return the tape of the running trace, or None."""
    return _ACTIVE.tape


@contextmanager
def running(tape: Tape) -> Iterator[None]:
    """Make a tape the running one while the block runs."""
    before, _ACTIVE.tape = _ACTIVE.tape, tape
    try:
        yield
    finally:
        _ACTIVE.tape = before
