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
from funmem.frontends.harlan.elaborate.places import Changes, Mutation, Places
from funmem.frontends.harlan.elaborate.shared import Aliased, Regions
from funmem.frontends.harlan.elaborate.sharing import Sharing
from funmem.frontends.harlan.elaborate.wraps import Wrap, is_atom, let
from funmem.frontends.harlan.types import IO, VEC_TYPE
from funmem.frontends.harlan.typing import Scheme, Typing
from funmem.frontends.inference.types import Meta, Opaque, Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64
from funmem.ir.text import RESERVED


class Level(Enum):
    """What encloses code, and limits what it may assign."""

    FUNCTION = "function"
    LAMBDA = "lambda"
    KERNEL = "kernel"


@frozen(eq=False)
class Signature:
    """How an instance is called: what it takes, and what it returns besides its value.

    The token, the stores and the parameters that it changes come in this order.
    """

    name: Name
    token: bool
    reads: bool
    """It takes the stores."""
    writes: bool
    """It returns them as well."""
    inouts: tuple[int, ...]
    params: tuple[Type, ...]
    result: Type


@frozen(eq=False)
class Store:
    """Where shared vectors of one type of elements lie (stores.py); its parts are variables."""

    cells: ast.Local
    used: ast.Local


class MoreStores(Exception):
    """Raised if a type of elements has no store yet: elaboration begins again with one."""

    def __init__(self, elem: c.Type) -> None:
        super().__init__()
        self.elem = elem


@define(eq=False)
class State:
    """The values of variables at a place, and the token."""

    env: dict[ast.Local, Exp]
    token: Exp | None
    stale: dict[ast.Local, set[Type]] = field(factory=dict)
    """The regions in which vectors of a variable may have been changed through another name."""

    def copy(self) -> "State":
        """Return a state for a branch."""
        return State(dict(self.env), self.token, dict(self.stale))


@define(eq=False)
class Program:
    """The state of elaborating one program; ``exp`` elaborates an expression."""

    typing: Typing
    shared: Regions
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
    stores: dict[c.Type, Store] = field(init=False)
    """By the type of elements."""
    store_types: dict[ast.Local, c.Type] = field(factory=dict)
    """The types of the parts of stores, in the order in which code takes them."""

    def __attrs_post_init__(self) -> None:
        self.stores = {}
        for k, elem in enumerate(self.types.stores):
            cells, used = (ast.Local(f"{x}_{k}", NOWHERE) for x in ("cells", "used"))
            self.stores[elem] = Store(cells, used)
            self.store_types |= {cells: c.Array(elem), used: I64}

    def store(self, elem: c.Type) -> Store:
        """Return the store of the vectors with elements of a type.  Raises MoreStores."""
        if elem not in self.stores:
            raise MoreStores(elem)
        return self.stores[elem]

    def store_binders(self, st: State) -> list[c.Binder]:
        """Return new names for the stores, which they have in ``st`` from here on."""
        binders = []
        for x, t in self.store_types.items():
            binders.append(c.Binder(self.fresh(x.name), t))
            st.env[x] = c.Var(binders[-1].name, x.at)
        return binders

    def atom(self, e: Exp, t: c.Type, out: list[Wrap], base: str = "x") -> Exp:
        """Return a name or constant for a value; ``out`` gets its binding."""
        if is_atom(e):
            return e
        name = self.fresh(base)
        self.known[name] = e
        out.append(let((c.Binder(name, t),), e, e.at))
        return c.Var(name, e.at)

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
            grounds = instance(self.typing, self.shared, scheme, image)
            assert isinstance(scheme.type, Opaque)
            *params, result, effect = scheme.type.args
            found = Signature(
                self.name(d.name),
                grounds.effect(effect) == IO,
                self.shared.reads(d),
                self.shared.writes(d),
                tuple(n for n in sorted(self.places.inouts[d]) if not self._referred(d.params[n])),
                tuple(map(grounds.of, params)),
                grounds.of(result),
            )
            self.signatures[key] = found
            self.queue.append((d, Code(self, scheme, grounds), found))
        return found

    def _referred(self, x: ast.Local) -> bool:
        return self.shared.references(self.typing.bound[x])

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

    def elem_type(self, e: ast.Exp) -> c.Type:
        """Return the Core type of the elements of an expression's vector."""
        t = self.ground(e)
        assert isinstance(t, Opaque)
        return self.program.types.of(t.args[0])

    def local_type(self, x: ast.Local) -> c.Type:
        """Return the Core type of a variable."""
        if x in self.program.store_types:
            return self.program.store_types[x]
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
        return self.program.atom(e, t, out, base)

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

    # ------------------------------------------------------------------ stores

    def store_values(self, st: State) -> list[Exp]:
        """Return the stores."""
        return [st.env[x] for x in self.program.store_types]

    @contextmanager
    def scope(self, st: State) -> Iterator[None]:
        """What is bound inside is not seen after it; changes of the stores are."""
        before = dict(st.env)
        yield
        st.env = before | {x: st.env[x] for x in self.program.store_types if x in st.env}

    def changes(self, *parts: ast.Exp) -> Changes:
        """Return what expressions change outside of themselves."""
        found = self.program.places.changes(*parts)
        if self.program.shared.writing(*parts):
            found.locals.update(dict.fromkeys(self.program.store_types))
        return found

    # ------------------------------------------------------------------ regions

    def regions(self, t: Type) -> set[Type]:
        """Return the regions that can be reached from values of a type, without shared ones."""
        declared, shared = self.program.typing.declared, self.program.shared
        return {r for r in declared.regions_in(t) if not shared.shared(r)}

    def local_regions(self, x: ast.Local) -> set[Type]:
        """Return the regions that can be reached from a variable, without shared ones."""
        if x in self.program.store_types:
            return set()
        return self.regions(self.program.typing.bound[x])

    def own_region(self, e: ast.Exp) -> set[Type]:
        """Return the region of the vector that an expression denotes; none if it is shared."""
        solver = self.program.typing.solver
        t = solver.resolve(self.program.typing.types[e])
        assert isinstance(t, Opaque)
        assert t.hidden is VEC_TYPE
        region = solver.resolve(t.args[-1])
        return set() if self.program.shared.shared(region) else {region}

    def changed_regions(self, m: Mutation) -> set[Type]:
        """Return the regions in which a mutation may change vectors, without shared ones."""
        if isinstance(m.e, ast.SetElem):
            return self.own_region(m.vector)
        return self.regions(self.program.typing.types[m.vector])

    def read(self, st: State, x: ast.Local) -> Exp:
        """Return the value of a variable."""
        if x in st.stale:
            raise Aliased(st.stale[x])
        return st.env[x]


def _is_name(text: str) -> bool:
    return IDENTIFIER.fullmatch(text) is not None
