"""The types of a Harlan program, in those of :mod:`funmem.frontends.inference`.

    int u64 float bool           scalars; float is f32, or f64 by option
    char str, foreign types      nominal types without arguments
    void                         the empty record
    (vec t), (ptr t)             nominal types over t and a region
    (closure (t …) -> t)         a nominal type for each number of parameters, over these, the
                                 result, an effect and a region
    T                            a nominal type, over one region if a vector, a closure or a cycle
                                 of datatypes can be reached from its fields
    a definition                 like a closure, without a region

Regions and effects are types that only such arguments are: a region is unknown or one that
``let-region`` binds; an effect is unknown or IO.
"""

from collections.abc import Callable, Iterator, Sequence

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.inference.types import UNIT, Hidden, Meta, Opaque, Record, Type
from funmem.frontends.inference.unify import Because, Clash, Solver, describe
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, F32, I32, U64, ScalarType

CHAR_TYPE = Hidden("char", (), None, False, comparable=True)
STR_TYPE = Hidden("str", (), None, False, comparable=True)
VEC_TYPE = Hidden("vec", (Name("'a"), Name("'r")), None, False, comparable=True)
PTR_TYPE = Hidden("ptr", (Name("'a"), Name("'r")), None, False)
IO_TYPE = Hidden("io", (), None, False)

CHAR, STR, IO = Opaque(CHAR_TYPE, ()), Opaque(STR_TYPE, ()), Opaque(IO_TYPE, ())
VOID = UNIT

UNKNOWN = "not known"
"""The text of a type of which nothing is known."""


@frozen(eq=False)
class Datatype:
    """A datatype; ``regional``: its values lie in a region."""

    hidden: Hidden
    tree: ast.Datatype
    regional: bool

    @property
    def name(self) -> str:
        return self.hidden.text


@define(eq=False)
class Declared:
    """The named types of a program, and the types that depend on its numbers of parameters."""

    solver: Solver
    float: ScalarType = F32
    datatypes: dict[str, Datatype] = field(factory=dict)
    by_type: dict[Hidden, Datatype] = field(factory=dict)
    constructors: dict[str, tuple[Datatype, ast.Constructor]] = field(factory=dict)
    foreign: dict[str, Hidden] = field(factory=dict)
    closures: dict[int, Hidden] = field(factory=dict)
    functions: dict[int, Hidden] = field(factory=dict)
    regions: dict[ast.Region, Opaque] = field(factory=dict)
    effects: dict[int, tuple[ast.ClosureType, Meta]] = field(factory=dict)
    """Those of closures whose type is written, by the identity of its tree."""

    @property
    def numbers(self) -> frozenset[ScalarType]:
        """The types of numbers."""
        return frozenset([I32, U64, self.float])

    def define(self, trees: Sequence[ast.Datatype]) -> None:
        """Enter the datatypes."""
        regional = _regional(trees)
        for d in trees:
            params = (Name("'r"),) if d.name in regional else ()
            made = Datatype(Hidden(d.name, params, None, False), d, bool(params))
            self.datatypes[d.name] = made
            self.by_type[made.hidden] = made
            for k in d.constructors:
                if k.name in self.constructors:
                    other = self.constructors[k.name][0].name
                    what = f"`{k.name}` is already a constructor of `{other}`"
                    fail(k.at, Code.NAME, what)
                self.constructors[k.name] = (made, k)

    def of(self, t: ast.Type, region: Callable[[], Type]) -> Type:
        """Return the type that is written; ``region`` gives the region of each part."""
        match t:
            case ast.Named(name):
                return self._named(name, region)
            case ast.Vec(elem):
                return Opaque(VEC_TYPE, (self.of(elem, region), region()))
            case ast.Ptr(elem):
                return Opaque(PTR_TYPE, (self.of(elem, region), region()))
            case ast.ClosureType(params, result):
                parts = [self.of(p, region) for p in params]
                return self.closure(parts, self.of(result, region), self.effect_of(t), region())

    def effect_of(self, t: ast.ClosureType) -> Meta:
        """Return the effect of a closure's type that is written: one for the whole program."""
        if id(t) not in self.effects:
            level, self.solver.level = self.solver.level, 0
            self.effects[id(t)] = (t, self.solver.fresh(t.at))
            self.solver.level = level
        return self.effects[id(t)][1]

    def _named(self, name: str, region: Callable[[], Type]) -> Type:
        simple: dict[str, Type] = {
            "int": I32,
            "u64": U64,
            "float": self.float,
            "bool": BOOL,
            "char": CHAR,
            "str": STR,
            "void": VOID,
        }
        if name in simple:
            return simple[name]
        if name in self.datatypes:
            return self.data(self.datatypes[name], region())
        if name not in self.foreign:
            self.foreign[name] = Hidden(name, (), None, False)
        return Opaque(self.foreign[name], ())

    def data(self, d: Datatype, region: Type) -> Opaque:
        """Return a datatype whose values lie in a region, if they lie in one."""
        return Opaque(d.hidden, (region,) if d.regional else ())

    def closure(self, params: Sequence[Type], result: Type, effect: Type, region: Type) -> Opaque:
        """Return a closure's type."""
        n = len(params)
        if n not in self.closures:
            self.closures[n] = Hidden("closure", (), None, False)
        return Opaque(self.closures[n], (*params, result, effect, region))

    def function(self, params: Sequence[Type], result: Type, effect: Type) -> Opaque:
        """Return the type of a definition."""
        n = len(params)
        if n not in self.functions:
            self.functions[n] = Hidden("function", (), None, False)
        return Opaque(self.functions[n], (*params, result, effect))

    def is_closure(self, t: Type) -> bool:
        """True for a closure's type."""
        return isinstance(t, Opaque) and t.hidden in self.closures.values()

    def parts(self, t: Opaque) -> tuple[tuple[Type, ...], Type | None]:
        """Return the types that a type is made of, without effects, and its region, if any."""
        if self.is_closure(t):
            return t.args[:-2], t.args[-1]
        if t.args and (t.hidden in (VEC_TYPE, PTR_TYPE) or t.hidden in self.by_type):
            return t.args[:-1], t.args[-1]
        return t.args, None

    def regions_in(self, t: Type) -> Iterator[Type]:
        """Return the regions that occur in a type: all that can be reached from its values."""
        t = self.solver.resolve(t)
        if not isinstance(t, Opaque):
            return
        args, region = self.parts(t)
        if region is not None:
            yield self.solver.resolve(region)
        for a in args:
            yield from self.regions_in(a)

    # ------------------------------------------------------------------ texts, demands

    def text(self, t: Type) -> str:
        """Return a type as messages show it."""
        t = self.solver.zonk(t)
        match t:
            case ScalarType():
                return {I32: "int", U64: "u64", BOOL: "bool"}.get(t, "float")
            case Meta(k):
                shape = self.solver.cells[k].shape
                return UNKNOWN if shape is None else describe_numbers(describe(shape))
            case Record():
                return "void"
            case Opaque(hidden, args):
                if self.is_closure(t) or hidden in self.functions.values():
                    *params, result = args[: -2 if self.is_closure(t) else -1]
                    shown = " ".join(map(self._inner, params))
                    return f"(closure ({shown}) -> {self._inner(result)})"
                if hidden in (VEC_TYPE, PTR_TYPE):
                    return f"({hidden.text} {self._inner(args[0])})"
                return hidden.text
            case _:
                raise AssertionError(f"{t} is no type of Harlan")

    def _inner(self, t: Type) -> str:
        text = self.text(t)
        return "_" if " " in text and text[0] != "(" else text

    def comparable(self, at: Span, t: Type) -> None:
        """Require that ``=`` is defined on a type."""
        try:
            self.solver.demand_equal(t, Because("the operands of `=`", at))
        except Clash:
            what = f"`=` is not defined on {self.text(t)}"
            fail(
                at, Code.TYPE, what, "it compares numbers, bools, chars, texts and vectors of them"
            )


def describe_numbers(text: str) -> str:
    """Return the words for a set of number types."""
    return "a number" if text.startswith("one of") else text


def _regional(trees: Sequence[ast.Datatype]) -> set[str]:
    """Return the datatypes from which a vector, a closure or a cycle can be reached."""
    names = {d.name for d in trees}
    uses: dict[str, set[str]] = {}
    found: set[str] = set()
    for d in trees:
        fields = [t for k in d.constructors for t in k.fields]
        uses[d.name] = {t.name for t in fields if isinstance(t, ast.Named) and t.name in names}
        if any(not isinstance(t, ast.Named) for t in fields):
            found.add(d.name)
    for name in names:
        seen: set[str] = set()
        todo = list(uses[name])
        while todo:
            other = todo.pop()
            if other not in seen:
                seen.add(other)
                todo.extend(uses[other])
        if name in seen:
            found.add(name)
    while more := {n for n in names - found if uses[n] & found}:
        found |= more
    return found
