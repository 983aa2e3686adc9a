"""Where functions may be in a value, and which functions flow together.

A *flow* mirrors a type: each arrow in it has a *class*, the set of functions that may be there.
Values that meet have one flow: their classes are united (Steensgaard 1996, Henglein 1992), so the
analysis takes almost linear time and ends for every program.  None is the flow of a type without
functions.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.core_traverse import has_arrow, unsized
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType
from funmem.passes.core.tables.families import reached


@define(eq=False)
class Class:
    """The functions that may be at a place, and how it applies them.

    Only the class at the end of ``forward`` counts.
    """

    type: c.Arrow
    param: "Flow"
    result: "Flow"
    data: bool = False
    """Its functions are values at run time."""
    given: int = 0
    """The smallest number of arguments in an application; 0 if there is none."""
    forward: "Class | None" = None

    def applied(self, n: int) -> None:
        """Note an application to n arguments."""
        self.given = min(self.given or n, n)


@frozen
class Fn:
    """A function."""

    of: Class

    @property
    def found(self) -> Class:
        """The class, after all unions so far."""
        at = self.of
        while at.forward is not None:
            at = at.forward
        return at


@frozen
class Each:
    """Parts with flows: the fields of a record, or the payloads of a sum's constructors."""

    parts: "tuple[tuple[str, tuple[Flow, ...]], ...]"

    def part(self, name: str) -> "tuple[Flow, ...]":
        """Return the flows of a field or of a constructor's payload."""
        return dict(self.parts)[name]


@frozen
class Elements:
    """An array whose elements have this flow."""

    elem: "Flow"


@frozen
class Named:
    """A data type, whose payloads have the same flows everywhere."""

    name: Name


Flow: TypeAlias = "Fn | Each | Elements | Named | None"


class Flows:
    """Makes and unites the flows of one program."""

    def __init__(self, data: Mapping[Name, c.DataDef]) -> None:
        self._data = data
        self._functional: dict[Name, bool] = {}
        self._named: dict[Name, Each] = {}
        self._made: list[Class] = []
        self.changed = False
        """A class became data since this was reset."""

    # ------------------------------------------------------------------ making

    def fresh(self, t: Type) -> Flow:
        """Return the flow of a value of the type that nothing has flowed to yet.

        Functions in arrays and sums are values at run time.
        """
        if not self.functional(t):
            return None
        match t:
            case c.Arrow(param, result):
                plain = unsized(t)
                assert isinstance(plain, c.Arrow)
                self._made.append(Class(plain, self.fresh(param), self.fresh(result)))
                return Fn(self._made[-1])
            case c.Array(elem):
                return self.elements(self.fresh(elem))
            case c.Record(fields):
                return Each(tuple((label, (self.fresh(u),)) for label, u in fields))
            case c.Sum():
                return self._sum(t)
            case c.Data(name):
                return Named(name)
            case ScalarType() | c.TypeVar() | c.Token():
                return None

    def _sum(self, t: c.Sum) -> Each:
        found = Each(tuple((n, tuple(map(self.fresh, us))) for n, us in t.constructors))
        self.mark(found)
        return found

    def elements(self, elem: Flow) -> Flow:
        """Return the flow of an array."""
        self.mark(elem)
        return None if elem is None else Elements(elem)

    def payload(self, flow: Flow, constructor: str, count: int) -> tuple[Flow, ...]:
        """Return the flows of a constructor's arguments."""
        match flow:
            case Each():
                return flow.part(constructor)
            case Named(name):
                return self.definition(name).part(constructor)
            case _:
                return (None,) * count

    def definition(self, name: Name) -> Each:
        """Return the flow of a data type's payloads."""
        if name not in self._named:
            d = self._data[name]
            flows = [(n, tuple(map(self.fresh, us))) for n, us in d.type.constructors]
            self._named[name] = Each(tuple(flows))
            self.mark(self._named[name])
        return self._named[name]

    def functional(self, t: Type) -> bool:
        """True if a value of the type contains a function, also inside of a data type."""
        match t:
            case ScalarType() | c.TypeVar() | c.Token():
                return False
            case c.Array(elem):
                return self.functional(elem)
            case c.Record(fields):
                return any(self.functional(u) for _, u in fields)
            case c.Sum(constructors):
                return any(self.functional(u) for _, us in constructors for u in us)
            case c.Data(name):
                if name not in self._functional:
                    inside = reached(t, self._data)
                    self._functional[name] = any(has_arrow(self._data[x].type) for x in inside)
                return self._functional[name]
            case c.Arrow():
                return True

    def classes(self) -> list[Class]:
        """Return the classes, after all unions so far."""
        return [x for x in self._made if x.forward is None]

    def held(self, flow: Flow) -> Iterator[Class]:
        """Yield the classes of the functions in a value, also inside of data types."""
        todo, seen = [flow], set[Name]()
        while todo:
            match todo.pop():
                case Fn() as f:
                    yield f.found
                case Each(parts):
                    todo += [u for _, flows in parts for u in flows]
                case Elements(elem):
                    todo.append(elem)
                case Named(name):
                    if name not in seen:
                        seen.add(name)
                        todo.append(self.definition(name))
                case None:
                    pass

    def occurring(self, flow: Flow) -> set[Class]:
        """Return the classes of the functions in a value, and of those that these take and give.

        Each class counts once: a function may give a data type that its own class is in.
        """
        todo, found = [flow], set[Class]()
        while todo:
            new = set(self.held(todo.pop())) - found
            found |= new
            todo += [u for k in new for u in (k.param, k.result)]
        return found

    # ------------------------------------------------------------------ uniting

    def unite(self, a: Flow, b: Flow) -> None:
        """Make two flows of one type the same."""
        match a, b:
            case Fn(), Fn():
                self._unite(a.found, b.found)
            case Each(parts), Each(others):
                for (_, us), (_, vs) in zip(parts, others, strict=True):
                    for u, v in zip(us, vs, strict=True):
                        self.unite(u, v)
            case Elements(elem), Elements(other):
                self.unite(elem, other)
            case _:
                assert a == b, f"{a} and {b}"

    def _unite(self, a: Class, b: Class) -> None:
        if a is b:
            return
        if b.data and not a.data:
            self._mark(a)
        if b.given:
            a.applied(b.given)
        b.forward = a
        self.unite(a.param, b.param)
        self.unite(a.result, b.result)

    # ------------------------------------------------------------------ marking

    def mark(self, flow: Flow) -> None:
        """Note that the functions in a value are values at run time."""
        match flow:
            case Fn():
                self._mark(flow.found)
            case Each(parts):
                for _, flows in parts:
                    for u in flows:
                        self.mark(u)
            case Elements(elem):
                self.mark(elem)
            case Named(name):
                self.definition(name)
            case None:
                pass

    def _mark(self, of: Class) -> None:
        self.changed = self.changed or not of.data
        of.data = True


def record(fields: Iterable[tuple[str, Flow]]) -> Flow:
    """Return the flow of a record; None if no field has one."""
    found = tuple((label, (u,)) for label, u in fields)
    return None if all(u is None for _, (u,) in found) else Each(found)


def steps(flow: Flow) -> Iterator[Fn]:
    """Yield the flows of a function, of the function it gives for one argument, and so on."""
    while isinstance(flow, Fn):
        yield flow
        flow = flow.found.result


def after(flow: Flow, n: int) -> Flow:
    """Return the flow of the result of n arguments."""
    for _ in range(n):
        assert isinstance(flow, Fn)
        flow = flow.found.result
    return flow
