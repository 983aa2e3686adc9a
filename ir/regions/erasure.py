"""Delete the regions of a program: Core/r -> Core, with the same meaning.

def f 'r : i64 -> at 'r []i64 = …     ->    def f : i64 -> []i64 = …
@letregion['r] (@at['r] (iota n …))   ->    iota n …
@f['r] n                              ->    @f n
"""

from collections.abc import Callable
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import map_parts
from funmem.ir.depth import deep
from funmem.ir.diagnostics import Stuck
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.regions.forms import AT, ENDREGION, LETREGION, bare, unwrapped


@frozen
class Annotations:
    """What an expression of Core/r says beside its Core expression.

    ``local``: the regions that begin before it and end after it.  ``ended``: those that end before.
    ``made``: where it makes arrays, a function, or a value of a data type that has a payload.
    ``args``: the regions of a definition.  ``types``: the types directly inside it, with regions.
    """

    local: tuple[Name, ...]
    ended: tuple[Name, ...]
    made: tuple[Name, ...]
    args: tuple[Name, ...]
    types: tuple[Type, ...]


See: TypeAlias = Callable[[Exp, Annotations], None]
"""Called with each expression of Core that results, and what was deleted."""


def erase(p: CoreProgram, see: See | None = None) -> CoreProgram:
    """Return the program of Core that a program of Core/r annotates."""
    with deep():
        return CoreProgram(
            tuple(_entry(e, see) for e in p.entries),
            tuple(c.Def(d.name, (), bare(d.type), erase_exp(d.exp, see), d.at) for d in p.defs),
            tuple(map(_data, p.data)),
            p.foreign,
        )


def _entry(e: c.Entry, see: See | None) -> c.Entry:
    params = tuple(evolve(q, binder=_binder(q.binder)) for q in e.params)
    return evolve(e, params=params, result=bare(e.result), exp=erase_exp(e.exp, see))


def _binder(b: c.Binder) -> c.Binder:
    return c.Binder(b.name, bare(b.type))


def _data(d: c.DataDef) -> c.DataDef:
    type_ = bare(d.type)
    if not isinstance(type_, c.Sum):
        raise Stuck(f"data {d.name} is not a sum")
    return c.DataDef(d.name, (), type_, d.at)


def erase_exp(e: Exp, see: See | None = None) -> Exp:
    """Return an expression without regions."""
    local: tuple[Name, ...] = ()
    ended: tuple[Name, ...] = ()
    made: tuple[Name, ...] = ()
    while True:
        if (found := unwrapped(e, LETREGION)) is not None:
            local, e = (*local, *found[0]), found[1]
        elif (found := unwrapped(e, ENDREGION)) is not None:
            ended, e = (*ended, *found[0]), found[1]
        elif (found := unwrapped(e, AT)) is not None:
            made, e = (*made, *found[0]), found[1]
        else:
            break
    if see is None:
        if isinstance(e, c.Global):
            return c.Global(e.name, (), e.at)
        return map_parts(e, erase_exp, bare)
    return _seen(e, Annotations(local, ended, made, (), ()), see)


def _seen(e: Exp, found: Annotations, see: See) -> Exp:
    """Return an expression without regions, a new object, and report what was deleted."""
    types: list[Type] = []

    def note(t: Type) -> Type:
        types.append(t)
        return bare(t)

    args: tuple[Name, ...] = ()
    if isinstance(e, c.Global):
        args = tuple(t.name for t in e.types if isinstance(t, c.TypeVar))
        new: Exp = c.Global(e.name, (), e.at)
    else:
        new = map_parts(e, lambda x: erase_exp(x, see), note)
    if isinstance(e, c.Construct) and e.args and isinstance(e.type, c.Data):
        made = tuple(t.name for t in e.type.args if isinstance(t, c.TypeVar))
        found = evolve(found, made=made)
    if new is e:
        new = evolve(c.closed(e))  # a leaf may stand in several places, of which one is annotated
    see(new, evolve(found, args=args, types=tuple(types)))
    return new
