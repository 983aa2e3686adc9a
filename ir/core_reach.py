"""The definitions that an expression of Core needs.

Those of them that are no functions, or that compute something before they are one, are evaluated at
the start of an entry point, whether or not it comes to need them: a definition is computed once, so
it must not matter where it is mentioned first.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.check.core.expressions import bound_names
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import instantiate_type, parts, resize, unsized
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size

Instance: TypeAlias = tuple[Name, tuple[Type, ...]]
"""A definition, and what its type parameters are; sizes in them do not count."""

MOST = 10_000
"""Instances that are looked for; with polymorphic recursion there is no end to them."""


def reached(e: Exp, defs: Mapping[Name, Def], bound: Iterable[Name] = ()) -> list[Instance]:
    """The definitions that an expression mentions, and those that they mention, in that order.

    ``bound`` are the names in scope.  A definition that is not there (the checker says so:
    C-GLOBAL) mentions none.
    """
    found: dict[Instance, None] = dict.fromkeys(_mentioned(e, {}, defs, bound))
    todo = list(found)
    while todo and len(found) < MOST:
        name, types = todo.pop(0)
        d = defs.get(name)
        image = {} if d is None else dict(zip(d.tparams, types, strict=True))
        for instance in () if d is None else _mentioned(d.exp, image, defs, ()):
            if instance not in found:
                found[instance] = None
                todo.append(instance)
    return list(found)


def computed(d: Def) -> bool:
    """Whether a definition is evaluated at the start."""
    return not isinstance(d.exp, c.Lambda | c.Mu)


def constants_stated(e: Exp, defs: Mapping[Name, Def], bound: Collection[Name]) -> list[Name]:
    """The i64 definitions that sizes name in the type to which an expression makes something."""
    names = set[Name]()

    def note(d: Size) -> Size:
        names.update(d.free())
        return d

    match e:
        case c.Coerce(_, t) | c.Scratch(_, t):
            resize(t, note)
        case _:
            pass
    found = (x for x in names if x in defs and defs[x].type is I64)
    return sorted(x for x in found if x not in bound)


def bound_inside(e: Exp) -> set[Name]:
    """The names that an expression binds anywhere."""
    return {x for inner in _all(e) for x in bound_names(inner)}


def _mentioned(
    e: Exp, image: Mapping[Name, Type], defs: Mapping[Name, Def], bound: Iterable[Name]
) -> Iterator[Instance]:
    here = bound_inside(e).union(bound)
    for x in _all(e):
        yield from ((y, ()) for y in constants_stated(x, defs, here))
        if isinstance(x, c.Global):
            yield x.name, tuple(unsized(instantiate_type(t, image)) for t in x.types)


def _all(e: Exp) -> Iterator[Exp]:
    """An expression and all inside it, in order."""
    todo = [e]
    while todo:
        x = todo.pop()
        yield x
        todo += reversed(list(parts(x)))
