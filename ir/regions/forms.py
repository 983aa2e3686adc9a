"""The annotations of Core/r: regions in types, and where expressions make what they make.

A region type is a type of Core in which ``at 'r t`` is the data type ``at`` applied to a type
variable and to an array or an arrow.  A function of several parameters is one closure: in
``at 'r (t -> t -> t)`` the second arrow has no region of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import instantiate_type, map_type
from funmem.ir.diagnostics import Stuck
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType

AT, LETREGION, ENDREGION = Name("at"), Name("letregion"), Name("endregion")
STATIC = Name("static")
"""The region of what definitions that are constants make: it never ends."""

OWN = Name("r")
"""The region parameter of a data type."""

RESERVED = (AT, LETREGION, ENDREGION)

# ---------------------------------------------------------------------- types


def at(region: Name, t: Type) -> c.Data:
    """Return ``at 'r t``."""
    return c.Data(AT, (c.TypeVar(region), t))


def split(t: Type) -> tuple[Name, Type] | None:
    """Return the region and the array or arrow of ``at 'r t``; None for another type."""
    match t:
        case c.Data(name, (c.TypeVar(region), inner)) if name == AT:
            return region, inner
        case _:
            return None


def below(t: Type, levels: int) -> Type:
    """Return the type of the elements below some outermost levels of arrays."""
    for _ in range(levels):
        found = split(t)
        if found is None or not isinstance(found[1], c.Array):
            raise Stuck(f"{t} is not the type of an array in a region")
        t = found[1].elem
    return t


def over(t: Type, regions: Iterable[Name]) -> Type:
    """Return the type of arrays of ``t``, one in another, in these regions, the outermost first."""
    for r in reversed(list(regions)):
        t = at(r, c.Array(t))
    return t


def step(t: Type) -> tuple[Type, Type]:
    """Return the types of a function's first parameter, and of its result.

    The type is ``t -> t`` for code in place, and ``at 'r (t -> t)`` for a closure.
    """
    found = split(t)
    match t if found is None else found[1]:
        case c.Arrow(param, result):
            more = found is not None and isinstance(result, c.Arrow)
            return param, at(found[0], result) if found is not None and more else result
        case other:
            raise Stuck(f"{other} is not a function type")


def regions_in(t: Type) -> tuple[Name, ...]:
    """Return frv(t), the regions in a type, in the order of their first occurrence."""
    found: dict[Name, None] = {}

    def note(u: Type) -> Type:
        if isinstance(u, c.TypeVar):
            found[u.name] = None
        return map_type(u, note)

    note(t)
    return tuple(found)


def keys(t: Type) -> Mapping[Name, Type]:
    """Return, for each region in a type, the first type that lies in it."""
    found: dict[Name, Type] = {}

    def note(u: Type) -> Type:
        match u:
            case c.Data(_, (c.TypeVar(region), *inner)):
                found.setdefault(region, inner[0] if inner else u)
            case _:
                pass
        return map_type(u, note)

    note(t)
    return found


def renamed(t: Type, image: Mapping[Name, Name]) -> Type:
    """Return a type with regions replaced."""
    return instantiate_type(t, {x: c.TypeVar(y) for x, y in image.items()})


def bare(t: Type) -> Type:
    """Return a type without regions: a type of Core."""
    match t:
        case c.Data(name, (_, inner)) if name == AT:
            return bare(inner)
        case c.Data(name):
            return c.Data(name)
        case ScalarType() | c.Array() | c.Record() | c.Sum() | c.Arrow() | c.TypeVar() | c.Token():
            return map_type(t, bare)


def boxed(data: Iterable[c.DataDef]) -> frozenset[Name]:
    """Return the data types that have a region.

    From the fields of one, an array, a function or a cycle of data types can be reached.
    """
    defs = {d.name: d for d in data}
    inside = {name: _mentioned(d.type) for name, d in defs.items()}
    found = {name for name, d in defs.items() if _holds_pointer(d.type)}
    for name in defs:
        seen, todo = set[Name](), list(inside[name])
        while todo:
            x = todo.pop()
            if x not in seen:
                seen.add(x)
                todo += inside[x]
        if name in seen:
            found.add(name)
    while more := {x for x in defs if x not in found and inside[x] & found}:
        found |= more
    return frozenset(found)


def _mentioned(t: Type) -> frozenset[Name]:
    """Return the data types in a type."""
    names = set[Name]()

    def note(u: Type) -> Type:
        if isinstance(u, c.Data) and u.name != AT:
            names.add(u.name)
        return map_type(u, note)

    note(t)
    return frozenset(names)


def _holds_pointer(t: Type) -> bool:
    """True if an array or a function is in a type, not counting definitions of data types."""
    if isinstance(t, c.Array | c.Arrow):
        return True
    found = False

    def look(u: Type) -> Type:
        nonlocal found
        found = found or _holds_pointer(u)
        return u

    map_type(t, look)
    return found


class Places:
    """Gives types regions: where they are needed depends on the data types of the program."""

    def __init__(self, data: Iterable[c.DataDef]) -> None:
        plain = tuple(data)
        self.boxed = boxed(plain)
        self.data = {d.name: self._definition(d) for d in plain}

    def _definition(self, d: c.DataDef) -> c.DataDef:
        """Return ``data T 'r = t``: all that lies in a region lies in r."""
        params = (OWN,) if d.name in self.boxed else ()
        type_ = self.located(d.type, lambda _: OWN)
        if not isinstance(type_, c.Sum):
            raise Stuck(f"data {d.name} is not a sum")
        return c.DataDef(d.name, params, type_, d.at)

    def located(self, t: Type, fresh: Callable[[Type], Name]) -> Type:
        """Return a type of Core with regions, which ``fresh`` makes for the types that need one."""
        match t:
            case c.Array(elem, size):
                r = fresh(t)
                return at(r, c.Array(self.located(elem, fresh), size))
            case c.Arrow():
                r = fresh(t)
                return at(r, self._spine(t, fresh))
            case c.Data(name):
                return c.Data(name, (c.TypeVar(fresh(t)),) if name in self.boxed else ())
            case c.Record() | c.Sum() | ScalarType() | c.TypeVar() | c.Token():
                return map_type(t, lambda u: self.located(u, fresh))

    def _spine(self, t: Type, fresh: Callable[[Type], Name]) -> Type:
        if isinstance(t, c.Arrow):
            return c.Arrow(self.located(t.param, fresh), self._spine(t.result, fresh))
        return self.located(t, fresh)

    def function(self, t: Type, params: int, fresh: Callable[[Type], Name]) -> Type:
        """Return the type of a definition of so many parameters: code, which is no closure."""
        if params and isinstance(t, c.Arrow):
            rest = self.function(t.result, params - 1, fresh)
            return c.Arrow(self.located(t.param, fresh), rest)
        return self.located(t, fresh)

    def sum(self, t: Type) -> c.Sum:
        """Return the sum that a type with regions is, or is defined as."""
        if isinstance(t, c.Data):
            d = self.data[t.name]
            u = instantiate_type(d.type, dict(zip(d.tparams, t.args, strict=True)))
        else:
            u = t
        if not isinstance(u, c.Sum):
            raise Stuck(f"{t} is not a sum type")
        return u


# ---------------------------------------------------------------------- expressions


def wrapped(word: Name, regions: Iterable[Name], e: Exp) -> Exp:
    """Return ``@at['r, …] (e)``, ``@letregion['r, …] (e)`` …; e itself if there are no regions."""
    types = tuple(map(c.TypeVar, regions))
    return c.App(c.Global(word, types, e.at), (e,), e.at) if types else e


def unwrapped(e: Exp, word: Name) -> tuple[tuple[Name, ...], Exp] | None:
    """Return the regions of ``@at``, ``@letregion`` …, and the expression inside; None if e is not.

    A type argument that is no region is left out, so the annotation has too few.
    """
    match e:
        case c.App(c.Global(name, types), (inner,)) if name == word:
            return tuple(t.name for t in types if isinstance(t, c.TypeVar)), inner
        case _:
            return None


def arity(e: Exp) -> int | None:
    """Return the number of parameters of a lambda; None for another expression."""
    return len(e.params) if isinstance(e, c.Lambda) else None


def in_place(fn: Exp, given: int, defs: Mapping[Name, c.Def]) -> bool:
    """True if a function that is applied to so many arguments is code in place, and no closure.

    A lambda or a definition is, if it gets at least all of its parameters.
    """
    n = arity(defs[fn.name].exp if isinstance(fn, c.Global) and fn.name in defs else fn)
    return n is not None and n <= given


def spots(t: Type) -> Iterator[Name]:
    """Yield the regions of the arrays that a value has outside sums, data types and functions."""
    found = split(t)
    if found is not None and isinstance(found[1], c.Array):
        yield found[0]
        yield from spots(found[1].elem)
    elif isinstance(t, c.Record):
        for _, u in t.fields:
            yield from spots(u)


def levels(e: c.ArrayExp) -> int:
    """Return the number of outermost levels of arrays that an operation makes.

    ``scratch``, ``copy`` and ``unzip`` make all arrays at the ``spots`` of their type.
    """
    match e:
        case c.Length() | c.Coerce() | c.InPlace() | c.Reduce() | c.Hist():
            return 0
        case c.ArrayLit() | c.Iota() | c.Replicate() | c.Concat() | c.Reverse() | c.Flatten():
            return 1
        case c.Zip() | c.Map() | c.Scan() | c.Filter() | c.Segmented():
            return 1
        case c.Index(_, dims):
            return sum(isinstance(d, c.Range) for d in dims)
        case c.FlatSlice(_, _, dims):
            return len(dims)
        case c.Rearrange(perm):
            return len(perm)
        case c.Unflatten(sizes):
            return len(sizes)
        case c.Scratch() | c.Copy() | c.Unzip():
            return 0


def made(e: Exp, t: Type, *, code: bool = False) -> tuple[Name, ...]:
    """Return the regions in which ``e``, of type ``t``, makes arrays or a function itself.

    A value of a data type states its region as its type.  ``code``: e is a function that is
    executed in place, or a constant, which its definition has made.
    """
    match e:
        case c.Lambda() | c.Mu() | c.Global():
            found = split(t)
            return () if code or found is None else (found[0],)
        case c.Foreign():
            return tuple(spots(t))
        case c.Leaf() | c.App() | c.Control() | c.RecordOperation() | c.ScalarOperation():
            return ()
        case c.Let() | c.Assert():
            return ()
        case c.ArrayOperation():
            return _arrays(c.array_exp(e), t)


def _arrays(e: c.ArrayExp, t: Type) -> tuple[Name, ...]:
    if isinstance(e, c.Scratch | c.Copy):
        return tuple(spots(t))
    if isinstance(e, c.Unzip) and isinstance(t, c.Record):
        return tuple(found[0] for _, u in t.fields if (found := split(u)) is not None)
    regions: list[Name] = []
    for _ in range(levels(e)):
        found = split(t)
        if found is None:
            break
        regions.append(found[0])
        t = below(t, 1)
    return tuple(regions)
