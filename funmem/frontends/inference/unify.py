"""The unknown types of inference: metavariables, the demands on them, and unification.

Phase 1 works on types without sizes.  A :class:`Meta` is an index into the solver's cells.  A cell
is bound to a type, or free; a free cell may carry demands:

    shape   one of a set of scalar types  |  a record with at least these fields  |
            a sum with at least these constructors
    equal   must support ==, so it contains no function
    order0  must not be or contain a function (an element of an array, a result of ``if``, …)

Each cell has a level, the number of functions that enclose the place of its creation, which tells a
local function the metavariables of its own.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from attrs import field

from funmem.frontends.inference.type_parts import children, map_children
from funmem.frontends.inference.types import (
    Array,
    Arrow,
    Meta,
    Opaque,
    Record,
    Rigid,
    Sum,
    Type,
)
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import F32, F64, FLOATS, I8, I16, I32, INTS, NUMBERS, SIGNED, ScalarType


@frozen
class OneOf:
    """Demands one of these scalar types; ``what`` describes the demanding part in messages."""

    options: frozenset[ScalarType]
    what: str
    at: Span


@frozen
class WithFields:
    """Demands a record with at least these fields."""

    fields: dict[str, Type]
    at: Span


@frozen
class WithConstructors:
    """Demands a sum with at least these constructors."""

    constructors: dict[str, tuple[Type, ...]]
    at: Span


ShapeDemand: TypeAlias = OneOf | WithFields | WithConstructors


@frozen
class Because:
    """The reason and the place of a demand."""

    what: str
    at: Span


@define
class Cell:
    """The state of one metavariable."""

    level: int
    at: Span
    binding: Type | None = None
    bound_at: Span = NOWHERE
    shape: ShapeDemand | None = None
    equal: Because | None = None
    order0: Because | None = None


class Clash(Exception):
    """Two types do not unify; ``reason`` is empty if they merely differ."""

    def __init__(self, left: Type, right: Type, reason: str = "") -> None:
        super().__init__(reason)
        self.left = left
        self.right = right
        self.reason = reason


class Functional(Clash):
    """A type that must contain no function is or contains one."""


@define
class Solver:
    """All metavariables of one definition."""

    lifted: set[Name] = field(factory=set)
    """Rigid type variables that may be functions (``'^a``)."""
    cells: list[Cell] = field(factory=list)
    level: int = 0
    where: Span = NOWHERE
    """The place in whose name types are being unified."""

    # ------------------------------------------------------------------ metavariables

    def fresh(self, at: Span, order0: Because | None = None) -> Meta:
        """Return a new unknown type."""
        self.cells.append(Cell(self.level, at, order0=order0))
        return Meta(len(self.cells) - 1)

    def one_of(self, options: frozenset[ScalarType], what: str, at: Span) -> Meta:
        """Return a new unknown scalar type, one of ``options``."""
        self.cells.append(Cell(self.level, at, shape=OneOf(options, what, at)))
        return Meta(len(self.cells) - 1)

    def resolve(self, t: Type) -> Type:
        """Return ``t``, or the binding of ``t`` if it is a bound metavariable."""
        while type(t) is Meta:
            binding = self.cells[t.id].binding
            if binding is None:
                return t
            t = binding
        return t

    def zonk(self, t: Type) -> Type:
        """Return ``t`` with all bound metavariables replaced."""
        t = self.resolve(t)
        match t:
            case ScalarType() | Rigid() | Meta():
                return t
            case Array(elem):
                new = self.zonk(elem)
                return t if new is elem else Array(new)
            case Record(fields):
                return Record(tuple([(label, self.zonk(f)) for label, f in fields]))
            case Arrow(param, result):
                left, right = self.zonk(param), self.zonk(result)
                return t if left is param and right is result else Arrow(left, right)
            case Sum(constructors):
                return Sum(
                    tuple([(c, tuple([self.zonk(a) for a in args])) for c, args in constructors])
                )
            case Opaque(hidden, args):
                return Opaque(hidden, tuple([self.zonk(a) for a in args])) if args else t

    def free(self, t: Type, into: dict[int, None]) -> None:
        """Add to ``into`` the ids of the unbound metavariables in ``t``, in order of occurrence."""
        t = self.resolve(t)
        match t:
            case Meta(k):
                if k not in into:
                    into[k] = None
                    match self.cells[k].shape:
                        case WithFields(fields):
                            for f in fields.values():
                                self.free(f, into)
                        case WithConstructors(constructors):
                            for args in constructors.values():
                                for a in args:
                                    self.free(a, into)
                        case OneOf() | None:
                            pass
            case Array(elem):
                self.free(elem, into)
            case Record(fields):
                for _, f in fields:
                    self.free(f, into)
            case Sum(constructors):
                for _, args in constructors:
                    for a in args:
                        self.free(a, into)
            case Arrow(param, result):
                self.free(param, into)
                self.free(result, into)
            case Opaque(_, args):
                for a in args:
                    self.free(a, into)
            case ScalarType() | Rigid():
                pass

    # ------------------------------------------------------------------ unification

    def unify(self, a: Type, b: Type) -> None:
        """Make two types equal.  Raises Clash with the innermost types that differ."""
        a, b = self.resolve(a), self.resolve(b)
        if a is b:
            return
        if type(a) is Meta:
            self._meet(a, b)
            return
        if type(b) is Meta:
            self._meet(b, a, swapped=True)
            return
        match a:
            case Array(elem) if isinstance(b, Array):
                self.unify(elem, b.elem)
            case Arrow(param, result) if isinstance(b, Arrow):
                self.unify(param, b.param)
                self.unify(result, b.result)
            case Record(xs) if isinstance(b, Record):
                if [label for label, _ in xs] != [label for label, _ in b.fields]:
                    raise Clash(a, b)
                for (_, x), (_, y) in zip(xs, b.fields, strict=True):
                    self.unify(x, y)
            case Sum(cs) if isinstance(b, Sum):
                ds = b.constructors
                if [(c, len(args)) for c, args in cs] != [(c, len(args)) for c, args in ds]:
                    raise Clash(a, b)
                for (_, us), (_, vs) in zip(cs, ds, strict=True):
                    for u, v in zip(us, vs, strict=True):
                        self.unify(u, v)
            case Rigid(name) if isinstance(b, Rigid) and name == b.name:
                pass
            case Opaque(hidden, us) if isinstance(b, Opaque) and hidden is b.hidden:
                for u, v in zip(us, b.args, strict=True):
                    self.unify(u, v)
            case ScalarType() | Record() | Sum() | Array() | Arrow() | Rigid() | Opaque() | Meta():
                raise Clash(a, b)

    def _meet(self, meta: Meta, t: Type, swapped: bool = False) -> None:
        if type(t) is Meta:
            if t.id == meta.id:
                return
            if t.id > meta.id:  # keep the older one, whose place says more
                meta, t = t, meta
        cell = self.cells[meta.id]
        if type(t) is not ScalarType:
            self._occurs(meta, t, cell.level)
        cell.binding, cell.bound_at = t, self.where
        try:
            if cell.order0 is not None:
                self.demand_order0(t, cell.order0)
            if cell.equal is not None:
                self.demand_equal(t, cell.equal)
            if cell.shape is not None:
                self.demand_shape(t, cell.shape)
        except Clash as clash:
            cell.binding = None
            if clash.reason or type(t) is Meta:
                raise
            left, right = (clash.right, clash.left) if swapped else (clash.left, clash.right)
            raise Clash(left, right) from None

    def _occurs(self, meta: Meta, t: Type, level: int) -> None:
        """Require that ``meta`` does not occur in ``t``; lower the levels in ``t`` to its level."""
        free: dict[int, None] = {}
        self.free(t, free)
        if meta.id in free:
            raise Clash(meta, t, "the type would contain itself")
        for k in free:
            cell = self.cells[k]
            if cell.level > level:
                cell.level = level

    # ------------------------------------------------------------------ demands

    def demand_shape(self, t: Type, shape: ShapeDemand) -> None:
        """Require that ``t`` has the shape ``shape``."""
        t = self.resolve(t)
        match t, shape:
            case Meta(k), _:
                cell = self.cells[k]
                cell.shape = shape if cell.shape is None else self._both(t, cell.shape, shape)
                match shape:
                    case WithFields() | WithConstructors():
                        self._occurs_in_shape(t, shape)
                        if cell.equal is not None:
                            self.demand_equal(t, cell.equal)
                        if cell.order0 is not None:
                            self.demand_order0(t, cell.order0)
                    case OneOf():
                        pass
            case ScalarType(), OneOf(options, what, at):
                if t not in options:
                    raise Clash(t, t, f"{what} at {at.line}:{at.col} is {show_demand(options)}")
            case _, OneOf(options, what, at):
                raise Clash(t, t, f"{what} at {at.line}:{at.col} is {show_demand(options)}")
            case Record(fields), WithFields(wanted):
                have = dict(fields)
                for label, f in wanted.items():
                    if label not in have:
                        raise Clash(t, t, f"it has no field `{label}`")
                    self.unify(have[label], f)
            case Sum(constructors), WithConstructors(demanded):
                present = dict(constructors)
                for name, args in demanded.items():
                    if name not in present:
                        raise Clash(t, t, f"it has no constructor `#{name}`")
                    own = present[name]
                    if len(own) != len(args):
                        raise Clash(
                            t, t, f"`#{name}` takes {_values(len(own))} here, not {len(args)}"
                        )
                    for u, v in zip(own, args, strict=True):
                        self.unify(u, v)
            case _, WithFields(wanted):
                label = next(iter(wanted))
                raise Clash(t, t, f"it is not a record with a field `{label}`")
            case _, WithConstructors(demanded):
                raise Clash(t, t, f"it is not a sum with `#{next(iter(demanded))}`")

    def _occurs_in_shape(self, meta: Meta, shape: WithFields | WithConstructors) -> None:
        free: dict[int, None] = {}
        parts = (
            list(shape.fields.values())
            if isinstance(shape, WithFields)
            else [a for args in shape.constructors.values() for a in args]
        )
        for part in parts:
            self.free(part, free)
        level = self.cells[meta.id].level
        if meta.id in free:
            raise Clash(meta, meta, "the type would contain itself")
        for k in free:
            self.cells[k].level = min(level, self.cells[k].level)

    def _both(self, meta: Meta, old: ShapeDemand, new: ShapeDemand) -> ShapeDemand:
        match old:
            case OneOf(a, what, at) if isinstance(new, OneOf):
                options = new.options
                common = a & options
                if not common:
                    raise Clash(
                        meta,
                        meta,
                        f"{what} at {at.line}:{at.col} is {show_demand(a)}, "
                        f"{new.what} at {new.at.line}:{new.at.col} is {show_demand(options)}",
                    )
                if common == options:
                    return new
                return old if common == a else OneOf(common, what, at)
            case WithFields(a, at) if isinstance(new, WithFields):
                fields = new.fields
                for label in a.keys() & fields.keys():
                    self.unify(a[label], fields[label])
                return WithFields({**fields, **a}, at)
            case WithConstructors(a, at) if isinstance(new, WithConstructors):
                constructors = new.constructors
                for name in a.keys() & constructors.keys():
                    us, vs = a[name], constructors[name]
                    if len(us) != len(vs):
                        message = f"`#{name}` is used with {len(us)} and with {len(vs)} values"
                        raise Clash(meta, meta, message)
                    for u, v in zip(us, vs, strict=True):
                        self.unify(u, v)
                return WithConstructors({**constructors, **a}, at)
            case OneOf() | WithFields() | WithConstructors():
                raise Clash(meta, meta, f"it is {describe(old)} and {describe(new)}")

    def demand_equal(self, t: Type, why: Because) -> None:
        """Require that ``t`` supports ``==``."""
        t = self.resolve(t)
        match t:
            case ScalarType():
                pass
            case Meta(k):
                cell = self.cells[k]
                cell.equal = cell.equal or why
                for part in self._parts(cell.shape):
                    self.demand_equal(part, why)
            case Arrow():
                raise Clash(t, t, f"functions cannot be compared ({why.what})")
            case Rigid(name):
                raise Clash(
                    t, t, f"`{name}` may be any type, and not every type has `==` ({why.what})"
                )
            case Opaque(hidden) if not hidden.comparable:
                raise Clash(t, t, f"`{hidden.text}` is abstract, so it has no `==` ({why.what})")
            case Array() | Record() | Sum() | Opaque():
                for part in children(t):
                    self.demand_equal(part, why)

    def demand_order0(self, t: Type, why: Because) -> None:
        """Require that ``t`` is not, and does not contain, a function."""
        t = self.resolve(t)
        match t:
            case ScalarType():
                pass
            case Meta(k):
                cell = self.cells[k]
                cell.order0 = cell.order0 or why
                for part in self._parts(cell.shape):
                    self.demand_order0(part, why)
            case Arrow():
                raise Functional(t, t, f"{why.what} must not be a function ({place_of(why)})")
            case Rigid(name):
                if name in self.lifted:
                    what = f"{why.what} must not be a function, and `{name}` may be one"
                    raise Functional(t, t, what)
            case Opaque(hidden) if hidden.lifted:
                what = f"{why.what} must not be a function, and `{hidden.text}` may be one"
                raise Functional(t, t, what)
            case Opaque(hidden) if hidden.type is not None:
                pass
            case Array() | Record() | Sum() | Opaque():
                for part in children(t):
                    self.demand_order0(part, why)

    def _parts(self, shape: ShapeDemand | None) -> list[Type]:
        match shape:
            case WithFields(fields):
                return list(fields.values())
            case WithConstructors(constructors):
                return [a for args in constructors.values() for a in args]
            case OneOf() | None:
                return []

    # ------------------------------------------------------------------ generalisation

    def owned(self, t: Type) -> list[int]:
        """Return the unbound metavariables of ``t`` that nothing outside of this level mentions."""
        free: dict[int, None] = {}
        self.free(t, free)
        return [k for k in free if self.cells[k].level > self.level]

    def instance(self, t: Type, generic: Sequence[int], at: Span) -> tuple[Type, tuple[Meta, ...]]:
        """Return ``t`` with a new metavariable for each of ``generic``, and those in order.

        A new metavariable carries the demands of the old one.
        """
        image = {k: self.fresh(at) for k in generic}
        for k, new in image.items():
            old, cell = self.cells[k], self.cells[new.id]
            cell.equal, cell.order0 = old.equal, old.order0
            match old.shape:
                case WithFields(fields, place):
                    copies = {label: self._copied(f, image) for label, f in fields.items()}
                    cell.shape = WithFields(copies, place)
                case WithConstructors(constructors, place):
                    payloads = {
                        name: tuple([self._copied(a, image) for a in args])
                        for name, args in constructors.items()
                    }
                    cell.shape = WithConstructors(payloads, place)
                case OneOf() | None:
                    cell.shape = old.shape
        return self._copied(t, image), tuple(image.values())

    def _copied(self, t: Type, image: Mapping[int, Meta]) -> Type:
        t = self.resolve(t)
        if isinstance(t, Meta):
            return image.get(t.id, t)
        return map_children(t, lambda u: self._copied(u, image))

    # ------------------------------------------------------------------ defaults

    def default(self, k: int) -> bool:
        """Choose i32 or f64 for an undetermined number; False if ``k`` is not a number."""
        cell = self.cells[k]
        match cell.shape:
            case OneOf(options):
                if I32 in options:
                    cell.binding = I32
                elif F64 in options:
                    cell.binding = F64
                else:
                    cell.binding = sorted(options, key=str)[0]
                return True
            case _:
                return False


def describe(shape: ShapeDemand) -> str:
    """Return the words for a demand."""
    match shape:
        case OneOf(options):
            return show_demand(options)
        case WithFields(fields):
            return "a record with " + ", ".join(f"`{label}`" for label in fields)
        case WithConstructors(constructors):
            return "a sum with " + ", ".join(f"`#{name}`" for name in constructors)


def _values(n: int) -> str:
    return "1 value" if n == 1 else f"{n} values"


def place_of(why: Because) -> str:
    """Return the place of a demand, ``line:column``."""
    return f"{why.at.line}:{why.at.col}"


_SETS = {
    frozenset(NUMBERS): "a number",
    frozenset(INTS): "an integer",
    frozenset(SIGNED): "a signed integer",
    frozenset(FLOATS): "a float",
    frozenset([I8, I16, I32, F32, F64]): "a number",
    frozenset([I8, I16, I32]): "an integer",
    frozenset([F32, F64]): "a float",
}
"""The classes of `.fut` and of NOVA, in words."""


def show_demand(options: frozenset[ScalarType]) -> str:
    """Return the words for a set of scalar types."""
    if options in _SETS:
        return _SETS[options]
    return "one of " + ", ".join(sorted(str(t) for t in options))
