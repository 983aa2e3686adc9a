"""The state of the printer: names in scope, lines of text, and sizes.

A size in a printed type is a *variable or a number*, so that two equal sizes are written alike:
Futhark compares sizes as they are written.  A polynomial is bound first, where its names are in
scope, and an unknown size is bound by the pattern that binds the array:

    let s_1 = n + m
    let t_1 = concat xs ys :> [s_1]f32
    let [k_1] (t_2: [k_1]f32) = filter p t_1
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from attrs import field

from funmem.frontends.futhark.elaborate.context import not_supported
from funmem.frontends.futhark.export.names import reserved
from funmem.frontends.futhark.export.scalars import constant
from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import parts, resize
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, const, var


@frozen
class Text:
    """The text of an expression, its type with sizes that are variables or numbers, or unknown.

    ``tight``: it needs no parentheses as an operand.  ``own``: no other name refers to its array.
    """

    text: str
    type: Type
    tight: bool = False
    own: bool = False

    @property
    def atom(self) -> str:
        """The text as an operand."""
        return self.text if self.tight else f"({indented(self.text, 1)})"


def indented(text: str, by: int = 2) -> str:
    """Return a text whose lines after the first one are indented."""
    return text.replace("\n", "\n" + " " * by)


@define
class Scope:
    """The body of a definition, lambda, loop or branch: its lines, and the names that it binds.

    ``runs_once``: a branch, in which an array from outside may be consumed.
    """

    outer: "Scope | None" = None
    runs_once: bool = False
    lines: list[str] = field(factory=list)
    bound: set[str] = field(factory=set)
    sizes: dict[Size, str] = field(factory=dict)
    """Polynomials over names of the text -> the variables that have these values."""
    own: set[str] = field(factory=set)
    """Arrays to which no other name refers, and which may be consumed here."""


@define
class State:
    """What all parts of the printer share."""

    data: Mapping[Name, c.DataDef]
    defs: Mapping[Name, c.Def]
    uses: Mapping[Name, int]
    """How often each variable occurs."""
    seen: Counter[Name] = field(factory=Counter)
    """How often each variable has been printed."""
    fresh: Fresh = field(factory=lambda: Fresh(map(Name, reserved())))
    helpers: dict[str, str] = field(factory=dict)
    names: dict[Name, str] = field(factory=dict)
    """Variables of Core -> their texts."""
    types: dict[Name, Type] = field(factory=dict)
    known: dict[Name, Size] = field(factory=dict)
    """Variables of type i64 -> what they are as sizes of the text."""
    globals: dict[Name, str] = field(factory=dict)
    scope: Scope = field(factory=Scope)

    # ------------------------------------------------------------------ names

    def bind(self, x: Name, t: Type) -> str:
        """Bind a variable in the current scope; return its name."""
        name = self.reserve(x)
        self.names[x], self.types[x] = name, t
        self.scope.bound.add(name)
        if t is I64:
            self.known[x] = var(name)
        return name

    def reserve(self, x: Name) -> Name:
        """Return an unused name like ``x``; one of the language does not begin with ``_``."""
        return self.fresh.reserve(Name(f"x{x}") if x.startswith("_") else x)

    def temporary(self, base: str) -> str:
        """Return an unused name that the current scope binds."""
        name = self.fresh(base)
        self.scope.bound.add(name)
        return name

    def define(self, name: str, text: str) -> str:
        """Return the name of a helping definition, which the program begins with."""
        if name not in self.helpers:
            self.helpers[name] = f"def {self.fresh.reserve(Name(name))} {text}"
        return self.helpers[name].split()[1]

    def let(self, name: str, text: str) -> None:
        """Append a binding to the current scope."""
        self.scope.lines.append(f"let {name} = {indented(text)}")

    def named(self, e: Text) -> Text:
        """Return an expression as a variable, so that all its sizes have names."""
        if e.tight and is_sized(e.type):
            return e
        return self.bound_text(self.temporary("x"), e)

    def bound_text(self, name: str, e: Text) -> Text:
        """Bind a name to an expression, and names to its unknown sizes; return the variable."""
        t, sizes = self.with_names(e.type)
        pattern = f"({name}: {self.type(t)})" if sizes else name
        self.let(" ".join([*(f"[{x}]" for x in sizes), pattern]), e.text)
        if e.own:
            self.scope.own.add(name)
        return Text(name, t, True)

    def with_names(self, t: Type) -> tuple[Type, list[str]]:
        """Return a type with new names for its unknown sizes, and the names."""
        names: list[str] = []

        def go(t: Type) -> Type:
            match t:
                case c.Array(elem, size):
                    if size is None:
                        names.append(self.temporary("k"))
                        size = var(Name(names[-1]))
                    return c.Array(go(elem), size)
                case c.Record(fields):
                    return c.Record(tuple([(x, go(u)) for x, u in fields]))
                case ScalarType() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
                    return t

        return go(t), names

    # ------------------------------------------------------------------ updates

    def is_last(self, x: Name) -> bool:
        """True if an array may be consumed: it has one name, which is not printed again."""
        return self.names[x] in self.scope.own and self.seen[x] == self.uses[x]

    def shared(self, e: Exp) -> None:
        """Note that a new name may refer to the arrays that an expression mentions."""
        todo = [e]
        while todo:
            x = todo.pop()
            if isinstance(x, c.Var) and x.name in self.names:
                self.scope.own.discard(self.names[x.name])
            todo += parts(x)

    # ------------------------------------------------------------------ sizes

    def size(self, d: Size) -> Size | None:
        """Return a size of Core's over the names of the text, or None if it is not in scope."""
        if not d.free() <= self.known.keys():
            return None
        found = d.subst({x: self.known[x] for x in d.free()})
        return found if self._visible(found) else None

    def _visible(self, d: Size) -> bool:
        return all(any(x in s.bound for s in self._scopes()) for x in d.free())

    def _scopes(self) -> Iterable[Scope]:
        scope: Scope | None = self.scope
        while scope is not None:
            yield scope
            scope = scope.outer

    def atom(self, d: Size) -> Size:
        """Return a size as a variable or a number; a polynomial is bound far out."""
        if d.as_const is not None or d.as_name is not None:
            return d
        found = self.bound_size(d)
        if found is not None:
            return found
        home, free = self.scope, set(d.free())
        for scope in self._scopes():
            home = scope
            if free & scope.bound:
                break
        name = self.fresh("s")
        home.bound.add(name)
        home.sizes[d] = name
        home.lines.append(f"let {name} = {polynomial(d)}")
        return var(Name(name))

    def bound_size(self, d: Size) -> Size | None:
        """Return the variable that is bound to a polynomial, if there is one."""
        for scope in self._scopes():
            if d in scope.sizes:
                return var(Name(scope.sizes[d]))
        return None

    def wanted(self, t: Type) -> Type:
        """Return a type of Core's with the sizes that are known here, as variables and numbers."""

        def known(d: Size) -> Size | None:
            found = self.size(d)
            return None if found is None else self.atom(found)

        return resize(t, known)

    def outside(self, t: Type) -> Type:
        """Return a type without the sizes that are no longer in scope."""
        return resize(t, lambda d: d if self._visible(d) else None)

    # ------------------------------------------------------------------ types

    def type(self, t: Type, at: Span = NOWHERE) -> str:
        """Return the text of a type."""
        match t:
            case ScalarType():
                return str(t)
            case c.Array(elem, size):
                return f"[{'' if size is None else show_size(size)}]{self._tight(elem, at)}"
            case c.Record(fields):
                if len(fields) == 1 and t.is_tuple:
                    raise not_supported("a tuple of one element in `.fut`", at)
                if t.is_tuple:
                    return f"({', '.join([self.type(u, at) for _, u in fields])})"
                return "{" + ", ".join([f"{x}: {self.type(u, at)}" for x, u in fields]) + "}"
            case c.Sum(constructors):
                shown = [
                    " ".join([f"#{x}", *[self._tight(u, at) for u in us]]) for x, us in constructors
                ]
                return " | ".join(shown)
            case c.Data():
                return self.type(self.sum(t, at), at)
            case c.Arrow(param, result):
                left = f"({self.type(param, at)})" if isinstance(param, c.Arrow) else ""
                return f"{left or self._tight(param, at)} -> {self.type(result, at)}"
            case c.TypeVar(name):
                return name
            case c.Token():
                raise not_supported("an effect in `.fut`", at)

    def _tight(self, t: Type, at: Span) -> str:
        text = self.type(t, at)
        return f"({text})" if isinstance(t, c.Sum | c.Data | c.Arrow) else text

    def sum(self, t: c.Data, at: Span) -> c.Sum:
        """Return the sum that a data type is.  Raises SourceError for a recursive one."""
        d = self.data[t.name]
        if t.args:
            raise not_supported(f"`{t.name}`, a data type with parameters, in `.fut`", at)
        todo: list[Type] = [d.type]
        while todo:
            u = todo.pop()
            if isinstance(u, c.Data) and u.name == t.name:
                raise not_supported(f"the recursive data type `{t.name}` in `.fut`", at)
            match u:
                case c.Array(elem):
                    todo.append(elem)
                case c.Record(fields):
                    todo += [v for _, v in fields]
                case c.Sum(constructors):
                    todo += [v for _, vs in constructors for v in vs]
                case c.Data(name):
                    todo.append(self.data[name].type)
                case ScalarType() | c.Arrow() | c.TypeVar() | c.Token():
                    pass
        return d.type

    # ------------------------------------------------------------------ coercions

    def coerced(self, e: Text, want: Type) -> Text:
        """Return an expression with the sizes known in ``want``; ``:>`` checks others."""
        t = merged(e.type, want)
        if t == e.type:
            return e
        return Text(f"{e.atom} :> {self.type(t)}", t, False, e.own)


def merged(t: Type, want: Type) -> Type:
    """Return a type with the sizes that ``want`` knows, and others as they are."""
    match t, want:
        case c.Array(elem, size), c.Array(other, known):
            return c.Array(merged(elem, other), size if known is None else known)
        case c.Record(fields), c.Record(others) if others:
            pairs = zip(fields, others, strict=True)
            return c.Record(tuple([(x, merged(u, v)) for (x, u), (_, v) in pairs]))
        case _:
            return t


def met(a: Type, b: Type) -> Type:
    """Return a type with the sizes on which two agree."""
    match a, b:
        case c.Array(x, n), c.Array(y, m):
            return c.Array(met(x, y), n if n == m else None)
        case c.Record(fields), c.Record(others):
            pairs = zip(fields, others, strict=True)
            return c.Record(tuple([(x, met(u, v)) for (x, u), (_, v) in pairs]))
        case _:
            return a


def is_sized(t: Type) -> bool:
    """True if all sizes of a type are known; those inside sums do not matter."""
    match t:
        case c.Array(elem, size):
            return size is not None and is_sized(elem)
        case c.Record(fields):
            return all(is_sized(u) for _, u in fields)
        case ScalarType() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
            return True


def show_size(d: Size) -> str:
    """Return a size in a type."""
    k = d.as_const
    return str(k) if k is not None else polynomial(d)


def polynomial(d: Size) -> str:
    """Return a polynomial over the names of the text."""
    out = ""
    for monomial, k in d.terms:
        sign = "-" if k < 0 else "+"
        factors = [str(x) for x in monomial]
        if abs(k) != 1 or not monomial:
            factors.insert(0, constant(abs(k), I64))
        term = " * ".join(factors)
        out = f"{out} {sign} {term}" if out else term if k > 0 else f"0i64 - {term}"
    return out or "0i64"


def number(k: int) -> Size:
    """Return a constant size."""
    return const(k)
