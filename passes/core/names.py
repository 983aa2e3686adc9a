"""The names that Core expressions and programs use and bind, if names are unique."""

from collections.abc import Collection, Iterator

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import map_parts, map_type, parts
from funmem.ir.names import Name
from funmem.ir.scalars import I64


def inside(e: Exp) -> Iterator[Exp]:
    """Yield an expression and all expressions inside it, outer before inner, from left to right."""
    todo = [e]
    while todo:
        x = todo.pop()
        yield x
        if not isinstance(x, c.Leaf):
            todo += reversed(list(parts(x)))


def binders(e: Exp) -> tuple[c.Binder, ...]:
    """Return the binders of an expression itself, without those of its parts."""
    match e:
        case c.Lambda(params) | c.Let(params):
            return params
        case c.Loop(params, _, form):
            index = (c.Binder(form.index, I64),) if isinstance(form, c.For) else ()
            return (*params, *index)
        case c.Mu(binder, fn):
            return (binder, *fn.params)
        case c.Match(_, arms):
            return tuple(b for a in arms for b in a.binders)
        case c.Leaf() | c.App() | c.Foreign() | c.If() | c.Assert():
            return ()
        case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
            return ()


def free_names(e: Exp) -> tuple[Name, ...]:
    """Return the names that an expression uses but does not bind, in the order of their first use.

    Names in sizes count as uses.
    """
    used: dict[Name, None] = {}
    bound = set[Name]()

    def note(t: Type) -> Type:
        if isinstance(t, c.Array) and t.size is not None:
            used.update(dict.fromkeys(sorted(t.size.free())))
        map_type(t, note)
        return t

    for x in inside(e):
        if isinstance(x, c.Var):
            used[x.name] = None
        bound |= {b.name for b in binders(x)}
        map_parts(x, lambda y: y, note)
    return tuple(x for x in used if x not in bound)


def local_names(p: CoreProgram, without: Collection[Name] = ()) -> Iterator[Name]:
    """Yield the names that entry points and definitions bind, except definitions ``without``."""
    for e in p.entries:
        yield from (*e.sizes, *(q.binder.name for q in e.params))
    kept = (d.exp for d in p.defs if d.name not in without)
    for body in (*(e.exp for e in p.entries), *kept):
        yield from (b.name for x in inside(body) for b in binders(x))
