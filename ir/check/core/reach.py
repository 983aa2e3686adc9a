"""The definitions that an expression of Core needs.

Constants, and functions whose definition computes something first, are evaluated at the start of an
entry point that mentions them, used or not.  So each is computed once, and the order of mentions
does not matter.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import bound_names, instantiate_type, parts, resize, unsized
from funmem.ir.core_types import endless, is_size
from funmem.ir.names import Name
from funmem.ir.sizes import Size

Instance: TypeAlias = tuple[Name, tuple[Type, ...]]
"""A definition and its type arguments, whose sizes are ignored."""

Names: TypeAlias = frozenset[Name]

MOST = 10_000
"""Cap on the number of instances, since polymorphic recursion needs infinitely many."""


def reached(e: Exp, defs: Mapping[Name, Def], bound: Iterable[Name] = ()) -> list[Instance]:
    """Return the definitions that an expression needs, directly or through others, in order.

    ``bound`` are the names in scope.  An undefined name, which the checker reports (C-GLOBAL),
    contributes itself only.
    """
    found: dict[Instance, None] = dict.fromkeys(_mentioned(e, {}, defs, bound))
    todo = list(found)
    while todo and len(found) < MOST:
        name, types = todo.pop(0)
        d = defs.get(name)
        image = {} if d is None else dict(zip(d.tparams, types, strict=True))
        for instance in () if d is None else _mentioned(d.exp, image, defs, ()):
            if not endless(instance[1]) and instance not in found:
                found[instance] = None
                todo.append(instance)
    return list(found)


def computed(d: Def) -> bool:
    """True if a definition is evaluated at the start of an entry point."""
    return not isinstance(d.exp, c.Lambda | c.Mu)


def constants_stated(e: Exp, defs: Mapping[Name, Def], hidden: Names) -> list[Name]:
    """Return the i64 definitions named by sizes in the type argument of ``coerce`` or ``scratch``.

    ``hidden`` are the definitions whose names are bound locally there.
    """
    names = set[Name]()

    def note(d: Size) -> Size:
        names.update(d.free())
        return d

    if isinstance(e, c.Coerce):
        resize(e.type, note)
    elif isinstance(e, c.Scratch):
        resize(e.elem, note)
    return sorted(x for x in names if x in defs and is_size(defs[x]) and x not in hidden)


def hidden_in(e: Exp, defs: Mapping[Name, Def], hidden: Names) -> Iterator[tuple[Exp, Names]]:
    """Yield the expressions directly inside ``e``, in the order of evaluation, each with the
    definitions hidden there: those of ``hidden``, and those whose names ``e`` binds.
    """

    def having(names: Iterable[Name]) -> Names:
        new = [x for x in names if x in defs]  # mostly empty: long chains share one set
        return hidden.union(new) if new else hidden

    match e:
        case c.Let(_, exp, body):
            yield exp, hidden
            yield body, having(bound_names(e))
        case c.Match(exp, arms, default):
            yield exp, hidden
            yield from ((arm.body, having(b.name for b in arm.binders)) for arm in arms)
            if default is not None:
                yield default, hidden
        case c.Loop(params, init, form, body):
            yield from ((x, hidden) for x in init)
            match form:
                case c.For(_, bound):
                    yield bound, hidden
                case c.While(cond):
                    yield cond, having(b.name for b in params)
            yield body, having(bound_names(e))
        case c.Lambda() | c.Mu():
            inner = having(bound_names(e))
            yield from ((x, inner) for x in parts(e))
        case c.Var() | c.Global() | c.Const() | c.App() | c.Foreign() | c.If() | c.Assert():
            yield from ((x, hidden) for x in parts(e))
        case c.Fields() | c.Project() | c.Construct():
            yield from ((x, hidden) for x in parts(e))
        case c.Bin() | c.Un() | c.Convert() | c.Equal() | c.ArrayOperation():
            yield from ((x, hidden) for x in parts(e))


def _mentioned(
    e: Exp, image: Mapping[Name, Type], defs: Mapping[Name, Def], bound: Iterable[Name]
) -> Iterator[Instance]:
    """Yield the definitions that an expression mentions, in order."""
    todo = [(e, frozenset(bound))]
    while todo:
        x, hidden = todo.pop()
        yield from ((y, ()) for y in constants_stated(x, defs, hidden))
        if isinstance(x, c.Global):
            yield x.name, tuple(unsized(instantiate_type(t, image)) for t in x.types)
        todo += reversed(list(hidden_in(x, defs, hidden)))
