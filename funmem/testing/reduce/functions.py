"""Smaller functions: without those that are not called, without parameters, without results.

The statements of a function are reduced as those of an entry point are, and its calls are inlined
one at a time (:mod:`funmem.testing.reduce.moves`).
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from funmem.ir.fun import (
    Ann,
    Atom,
    Body,
    Call,
    Const,
    Function,
    Linkage,
    MemProgram,
    Program,
    Stm,
)
from funmem.ir.functions import bodies
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, ScalarType, normalise
from funmem.ir.substitute import subst_body
from funmem.ir.traverse import map_sub_bodies, walk, with_exp, with_stms
from funmem.passes.fun.inline import pruned
from funmem.testing.reduce.edit import uses

Change: TypeAlias = Callable[[Stm[Ann], Call], Stm[Ann]]
"""What becomes of a call."""


def smaller_functions(p: MemProgram) -> Iterator[MemProgram]:
    """Yield programs without the functions that are not called, or with a parameter or a result
    less of a function; a constant replaces the parameter.
    """
    if (rest := pruned(p)).functions != p.functions:
        yield rest
    used = uses(p) if p.functions else {}
    for f in reversed(p.functions):
        for i in range(len(f.results)):
            names = {s.pat[i].name for s, _ in _calls(p, f.name)}
            if len(f.results) > 1 and names.isdisjoint(used):
                yield _without_result(p, f, i)
        for i in range(len(f.params)):
            yield from _without_parameter(p, f, i)


def _without_result(p: MemProgram, f: Function, i: int) -> MemProgram:
    body = evolve(f.body, result=_cut(f.body.result, i))
    fewer = evolve(f, results=_cut(f.results, i), body=body)
    return _changed(p, fewer, lambda s, _: evolve(s, pat=_cut(s.pat, i)))


def _without_parameter(p: MemProgram, f: Function, i: int) -> Iterator[MemProgram]:
    b = f.params[i]
    assert isinstance(b.type, ScalarType)
    for number in (0, 1):
        value = number == 1 if b.type is BOOL else normalise(number, b.type)
        image: dict[Name, Atom] = {b.name: Const(value, b.type)}
        try:
            body = subst_body(f.body, image)
        except TypeError:  # a loop carries it in place
            continue
        fewer = evolve(f, params=_cut(f.params, i), body=body)
        yield _changed(p, fewer, lambda s, e: evolve(s, exp=evolve(e, args=_cut(e.args, i))))


def _calls(p: MemProgram, f: Name) -> Iterator[tuple[Stm[Ann], Call]]:
    for e in bodies(p):
        for s in walk(e.body):
            if isinstance(s.exp, Call) and s.exp.linkage is Linkage.OWN and s.exp.fn == f:
                yield s, s.exp


def _changed(p: MemProgram, f: Function, change: Change) -> MemProgram:
    """Return the program with another function of this name, and with its calls changed."""

    def within(b: Body[Ann]) -> Body[Ann]:
        return with_stms(b, map(statement, b.stms))

    def statement(s: Stm[Ann]) -> Stm[Ann]:
        if isinstance(s.exp, Call) and s.exp.linkage is Linkage.OWN and s.exp.fn == f.name:
            return change(s, s.exp)
        return with_exp(s, map_sub_bodies(s.exp, within))

    functions = tuple(
        f if g.name == f.name else evolve(g, body=within(g.body)) for g in p.functions
    )
    return Program(tuple(evolve(e, body=within(e.body)) for e in p.entries), functions)


T = TypeVar("T")


def _cut(xs: tuple[T, ...], i: int) -> tuple[T, ...]:
    return xs[:i] + xs[i + 1 :]
