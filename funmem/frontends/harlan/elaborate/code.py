"""The state of elaboration: that of the program, of one instance, and of a place in its code."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.grounds import (
    CoreTypes,
    Grounds,
    has_value,
    instance,
    kinds,
)
from funmem.frontends.harlan.elaborate.places import Mutation, Places
from funmem.frontends.harlan.elaborate.sharing import Sharing
from funmem.frontends.harlan.elaborate.wraps import Wrap, is_atom, let
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.frontends.harlan.types import IO, VEC_TYPE
from funmem.frontends.harlan.typing import Scheme, Typing
from funmem.frontends.inference.types import Meta, Opaque, Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.text import RESERVED


class Level(Enum):
    """What encloses code, and limits what it may assign."""

    FUNCTION = "function"
    LAMBDA = "lambda"
    KERNEL = "kernel"


@frozen(eq=False)
class Signature:
    """How an instance is called: what it takes, and what it returns besides its value."""

    name: Name
    token: bool
    inouts: tuple[int, ...]
    params: tuple[Type, ...]
    result: Type


@define(eq=False)
class State:
    """The values of variables at a place, and the token."""

    env: dict[ast.Local, Exp]
    token: Exp | None
    stale: dict[ast.Local, Span] = field(factory=dict)
    """Variables whose vectors may have been changed through another name, and where."""

    def copy(self) -> "State":
        """Return a state for a branch."""
        return State(dict(self.env), self.token, dict(self.stale))


@define(eq=False)
class Program:
    """The state of elaborating one program; ``exp`` elaborates an expression."""

    typing: Typing
    exp: "Callable[[Code, ast.Exp, State, list[Wrap]], Exp]"
    types: CoreTypes
    places: Places
    sharing: Sharing
    fresh: Fresh = field(factory=lambda: Fresh(map(Name, RESERVED)))
    known: dict[Name, Exp] = field(factory=dict)
    """The value of a let-bound name, for proofs that a value is neutral."""
    signatures: dict[tuple[ast.Define, tuple[Type, ...]], Signature] = field(factory=dict)
    queue: "list[tuple[ast.Define, Code, Signature]]" = field(factory=list)
    defs: list[c.Def] = field(factory=list)
    foreign: dict[Name, c.ForeignDef] = field(factory=dict)
    printers: dict[Type, Name] = field(factory=dict)

    def name(self, text: str) -> Name:
        """Return an unused name like one of the source."""
        return self.fresh.reserve(Name(text)) if _is_name(text) else self.fresh(self.plain(text))

    def plain(self, text: str) -> str:
        """Return a name of the source as an identifier."""
        plain = "".join(x if x.isascii() and x.isalnum() else "_" for x in text).strip("_")
        return plain if _is_name(plain) else "f"

    def signature(self, d: ast.Define, image: dict[int, Type]) -> Signature:
        """Return an instance of a definition; its code is elaborated later."""
        scheme = self.typing.schemes[d]
        regions = kinds(self.typing, scheme.type).regions
        key = (d, tuple(image[k] for k in scheme.generic if k not in regions and k in image))
        found = self.signatures.get(key)
        if found is None:
            grounds = instance(self.typing, scheme, image)
            assert isinstance(scheme.type, Opaque)
            *params, result, effect = scheme.type.args
            found = Signature(
                self.name(d.name),
                grounds.effect(effect) == IO,
                tuple(sorted(self.places.inouts[d])),
                tuple(map(grounds.of, params)),
                grounds.of(result),
            )
            self.signatures[key] = found
            self.queue.append((d, Code(self, scheme, grounds), found))
        return found

    def call_foreign(
        self, name: str, params: tuple[c.Type, ...], result: c.Type, effect: bool
    ) -> Name:
        """Return the name of a foreign function, which is declared with its first use."""
        key = Name(name)
        if key not in self.foreign:
            self.foreign[key] = c.ForeignDef(key, params, result, effect, NOWHERE)
        return key


@define(eq=False)
class Code:
    """An instance of a definition while its code is elaborated."""

    program: Program
    scheme: Scheme
    grounds: Grounds
    levels: list[Level] = field(factory=lambda: [Level.FUNCTION])
    level_of: dict[ast.Local, int] = field(factory=dict)
    """How many levels enclose the binder of a variable."""
    given: set[ast.Local] = field(factory=set)
    """Parameters of functions, lambdas and kernels: others may hold their vectors as well."""
    command_lines: set[ast.Local] = field(factory=set)
    """Variables that are bound to the command line, whose words differ in length."""
    indices: dict[ast.Local, tuple[Exp, ...]] = field(factory=dict)
    """The values of the indices of a view's path."""

    # ------------------------------------------------------------------ types

    def ground(self, e: ast.Exp) -> Type:
        """Return the ground type of an expression."""
        return self.grounds.of(self.program.typing.types[e])

    def type(self, e: ast.Exp) -> c.Type:
        """Return the Core type of an expression."""
        return self.program.types.of(self.ground(e))

    def local_type(self, x: ast.Local) -> c.Type:
        """Return the Core type of a variable."""
        return self.program.types.of(self.grounds.of(self.program.typing.bound[x]))

    def has_effect(self, e: ast.Exp) -> bool:
        """True if an expression itself has an effect, apart from that of its parts."""
        typing = self.program.typing
        match e:
            case ast.Print():
                return True
            case ast.Call(fn):
                return True if isinstance(fn, ast.Extern) else self.instance(e).token
            case ast.Apply(fn):
                t = self.ground(fn)
                return isinstance(t, Opaque) and t.args[-2] == IO
            case ast.Fold():
                return self.grounds.effect(typing.effects[e]) == IO
            case _:
                return False

    def instance(self, e: ast.Call) -> Signature:
        """Return the instance of a definition that is called."""
        typing, d = self.program.typing, e.fn
        assert isinstance(d, ast.Define)
        scheme = typing.schemes[d]
        found = typing.instances.get(e)
        known = kinds(typing, scheme.type)
        given: list[tuple[int, Type]] = (
            [(k, Meta(k)) for k in scheme.generic]
            if found is None
            else list(zip(scheme.generic, found.types, strict=True))
        )
        image: dict[int, Type] = {}
        for k, t in given:
            if k in known.regions:
                continue
            image[k] = self.grounds.effect(t) if k in known.effects else self.grounds.of(t)
        return self.program.signature(d, image)

    # ------------------------------------------------------------------ names

    @contextmanager
    def inside(self, level: Level) -> Iterator[None]:
        """Inside is the code of a lambda or a kernel."""
        self.levels.append(level)
        yield
        self.levels.pop()

    def bind(self, st: State, x: ast.Local, value: Exp) -> None:
        """Bring a variable into scope."""
        st.env[x] = value
        st.stale.pop(x, None)
        self.level_of[x] = len(self.levels)

    def parameter(self, st: State, x: ast.Local) -> c.Binder:
        """Return the binder of a parameter, and bring it into scope."""
        name = self.program.name(x.name)
        self.bind(st, x, c.Var(name, x.at))
        return c.Binder(name, self.local_type(x))

    def atom(self, e: Exp, t: c.Type, out: list[Wrap], base: str = "x") -> Exp:
        """Return a name or constant for a value; ``out`` gets its binding."""
        if is_atom(e):
            return e
        name = self.program.fresh(base)
        self.program.known[name] = e
        out.append(let((c.Binder(name, t),), e, e.at))
        return c.Var(name, e.at)

    def effect(self, st: State, out: list[Wrap], exp: Exp, t: Type, at: Span) -> Exp:
        """Bind the token and the value of an effectful expression; return the value."""
        token = self.program.fresh("t")
        value = self.program.types.of(t)
        if not has_value(t):
            out.append(let((c.Binder(token, c.TOKEN),), exp, at))
            result: Exp = c.Fields((), at)
        else:
            name = self.program.fresh("r")
            out.append(let((c.Binder(token, c.TOKEN), c.Binder(name, value)), exp, at))
            result = c.Var(name, at)
        st.token = c.Var(token, at)
        return result

    # ------------------------------------------------------------------ regions

    def regions(self, t: Type) -> set[Type]:
        """Return the regions that can be reached from values of a type."""
        declared, solver = self.program.typing.declared, self.program.typing.solver
        return {solver.resolve(r) for r in declared.regions_in(t)}

    def own_region(self, e: ast.Exp) -> set[Type]:
        """Return the region of the vector that an expression denotes."""
        solver = self.program.typing.solver
        t = solver.resolve(self.program.typing.types[e])
        assert isinstance(t, Opaque)
        assert t.hidden is VEC_TYPE
        return {solver.resolve(t.args[-1])}

    def changed_regions(self, m: Mutation) -> set[Type]:
        """Return the regions in which a mutation may change vectors."""
        if isinstance(m.e, ast.SetElem):
            return self.own_region(m.vector)
        return self.regions(self.program.typing.types[m.vector])

    def read(self, st: State, x: ast.Local, at: Span) -> Exp:
        """Return the value of a variable."""
        if x in st.stale:
            where = st.stale[x]
            what = f"`{x.name}` may share a vector that is changed at {where.line}:{where.col}"
            hint = "read it before, or change a copy: `(kernel ((e v)) e)`"
            fail(at, ErrorCode.ALIAS, what, hint)
        return st.env[x]


def _is_name(text: str) -> bool:
    return IDENTIFIER.fullmatch(text) is not None
