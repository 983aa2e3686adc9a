r"""Recursive definitions that pass their function parameters on unchanged.

    def go = \(f : i32 -> i32) (n : i32) (x : i32) ->
      if n == 0 then x else go f (n - 1) (f x)

The functions are known at each use, so the pass specialises the definition to them.  The new
definition takes the variables that the functions capture instead of the functions.
"""

from collections.abc import Iterable, Iterator, Mapping

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import has_arrow, map_parts
from funmem.ir.names import Name
from funmem.passes.core.defunctionalise.static_values import Closure, Defined, Dyn, Rec, Static
from funmem.passes.core.names import inside


def fixed_functions(d: Def) -> tuple[int, ...]:
    """Return the positions of the function parameters that ``d`` passes on unchanged to itself.

    Return () if ``d`` does not call itself, changes one of them, or applies itself partially.
    """
    if not isinstance(d.exp, c.Lambda):
        return ()
    params, body = d.exp.params, d.exp.body
    functions = tuple(k for k, p in enumerate(params) if has_arrow(p.type))
    calls = list(_calls(d.name, body))
    mentions = sum(isinstance(x, c.Global) and x.name == d.name for x in inside(body))
    if not functions or not calls or len(calls) != mentions:
        return ()
    same = all(
        len(args) == len(params) and all(args[k] == c.Var(params[k].name) for k in functions)
        for args in calls
    )
    return functions if same else ()


def _calls(name: Name, e: Exp) -> Iterator[tuple[Exp, ...]]:
    for x in inside(e):
        match x:
            case c.App(c.Global(f), args) if f == name:
                yield args
            case _:
                pass


def captured(statics: Iterable[Static]) -> dict[Name, Type]:
    """Return the variables of the new program that functions have captured, with their types."""
    found: dict[Name, Type] = {}
    todo = list(statics)
    while todo:
        match todo.pop():
            case Dyn(c.Var(name), t):
                found[name] = t
            case Dyn():
                pass
            case Closure(env=env):
                todo += [env.static(x) for x in env]
            case Defined(args=args):
                todo += args
            case Rec(fields):
                todo += [s for _, s in fields]
    return found


def with_arguments(e: Exp, name: Name, more: tuple[Exp, ...]) -> Exp:
    """Return ``e`` with more arguments in front of those of each call of a definition."""
    match e:
        case c.App(c.Global(f) as fn, args, at) if f == name:
            return c.App(fn, (*more, *(with_arguments(x, name, more) for x in args)), at)
        case _:
            return map_parts(e, lambda x: with_arguments(x, name, more), lambda t: t)


def needed(names: Iterable[Name], types: Mapping[Name, Type]) -> tuple[c.Binder, ...]:
    """Return binders for the names that have a type in ``types``; scalars come before arrays."""
    found = [c.Binder(x, types[x]) for x in names if x in types]
    return tuple(sorted(found, key=lambda b: isinstance(b.type, c.Array)))
