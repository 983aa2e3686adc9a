r"""Replace recursion by a loop with a stack (Core -> Core); the problem: paper 000, section 5.3.

    def fact = \(n : i64) -> if n <= 0 then 1 else let r = fact (n - 1) in n * r

        ->  def fact = \(n : i64) ->
              loop pc = 0, depth = 0, reg = n, stack = [] while pc != -1 do      -- roughly
                if pc == 0 then                      -- fact
                  if reg <= 0 then return 1 else push (1, reg) and go to 0 with reg - 1
                else                                 -- after the call: r is reg, n is on the stack
                  return stack[depth] * reg

This is defunctionalised continuation-passing style.  A continuation is the number of the block that
runs after a call, with the scalars that the block needs; the continuations form a stack.  A tail
call is a jump.  Mutually recursive definitions become the blocks of one loop.

The state consists of the block ``pc``, the ``depth`` of the stack, and registers, which hold a
block's arguments or results.  Each step reads the frame above the top of the stack (after a
return, the frame that was popped), runs one block, and writes the frame that the block pushes, if
any, to the same place.  So the stack is not chosen by ``if``, and is updated in place.
An outer loop doubles the stack (one array of return addresses, and one array for each scalar type)
when it is full.  In a ``map`` each index has a stack of its own, of bounded depth, and the kernel
runs again if it was too short (kernels.py, bounded.py).

*Precondition*: flattened.  *Postcondition*: flattened; names are bound once in the program; a
definition calls only itself, and only in tail position.  Such definitions become loops in to-fun.

Supported are tail calls, also if their results are coerced to sizes of the parameters (sized.py).
Other recursive definitions use only scalars after a call, and arrays that every call passes on
unchanged (or coerced, or copied).  Arrays that change from call to call, and array results, are in
registers: they are passed along, as the tables of recursive data are.  An array keeps its register
from block to block, so that it is updated in place.
Raises SourceError (``not-supported``) for calls of a definition inside its own array operations and
loops, and for other arrays that are used after a call.
"""

from collections.abc import Collection, Iterator, Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.names import binders, inside
from funmem.passes.core.recursion.bounded import Bounded
from funmem.passes.core.recursion.kernels import ROOM, Kernels, Note, Room
from funmem.passes.core.recursion.machine import Machine
from funmem.passes.core.recursion.parts import body_of, definitions_in
from funmem.passes.core.recursion.sized import tail_calls
from funmem.passes.core.unique import Unique

__all__ = ["recursion"]


def _silent(place: str, what: str, parallel: bool) -> None:
    """Note nothing."""


def recursion(p: CoreProgram, room: Room = ROOM, note: Note = _silent) -> CoreProgram:
    """Run the pass; see the package's docstring."""
    p = _with_tail_calls(p)
    defs = {d.name: d for d in p.defs}
    reach = _reachable(defs)
    groups: dict[Name, list[Def]] = {}
    for d in p.defs:
        group = [x for x in p.defs if x.name in reach[d.name] and d.name in reach[x.name]]
        alone = [x.name for x in group] == [d.name]
        if group and not (alone and _only_tail(d.name, body_of(d))):
            groups[d.name] = group
    if not groups:
        return p
    fresh = Fresh(_names(p, groups))
    unique = Unique({x: x for x, d in defs.items() if d.type is I64}, fresh)
    bounded = Bounded(defs, groups, fresh, unique)
    kernels = Kernels(bounded, fresh, room, note)
    entries = tuple(evolve(e, exp=kernels.host(e.exp, _given(e), e.name)) for e in p.entries)
    out: list[Def] = []
    for d in p.defs:
        new = evolve(d, exp=kernels.host(d.exp, (), d.name))
        if d.name in groups:
            group = [evolve(x, exp=kernels.host(x.exp, (), x.name)) for x in groups[d.name]]
            new = Machine(new, group, fresh, unique).definition()
        out.append(new)
    return CoreProgram(entries, (*out, *bounded.made.values()), p.data, p.foreign)


def _given(e: c.Entry) -> list[c.Binder]:
    """Return the binders of an entry point itself."""
    return [*(c.Binder(x, I64) for x in e.sizes), *(q.binder for q in e.params)]


def _with_tail_calls(p: CoreProgram) -> CoreProgram:
    """Return the program in which more recursive definitions make tail calls only (sized.py)."""
    fresh = Fresh(_names(p, ()))
    out: list[Def] = []
    for d in p.defs:
        calls = d.name in definitions_in(d.exp) and not _only_tail(d.name, body_of(d))
        new = tail_calls(d, fresh) if calls else d
        out.append(new if new is not d and _only_tail(d.name, body_of(new)) else d)
    return CoreProgram(p.entries, tuple(out), p.data, p.foreign)


def _names(p: CoreProgram, without: Collection[Name]) -> Iterator[Name]:
    """Yield the names that entry points and definitions bind, except those ``without``."""
    for e in p.entries:
        yield from (*e.sizes, *(q.binder.name for q in e.params))
    kept = (d.exp for d in p.defs if d.name not in without)
    for body in (*(e.exp for e in p.entries), *kept):
        yield from (b.name for x in inside(body) for b in binders(x))


def _reachable(defs: Mapping[Name, Def]) -> dict[Name, set[Name]]:
    """Return for each definition those that it needs, directly or not."""
    direct = {x: {y for y in definitions_in(d.exp) if y in defs} for x, d in defs.items()}
    out: dict[Name, set[Name]] = {}
    for x in defs:
        found, todo = set[Name](), list(direct[x])
        while todo:
            y = todo.pop()
            if y not in found:
                found.add(y)
                todo += direct[y]
        out[x] = found
    return out


def _only_tail(name: Name, e: Exp) -> bool:
    """True if all calls of a definition in an expression are tail calls."""
    while isinstance(e, c.Let | c.Assert):
        before = (e.exp,) if isinstance(e, c.Let) else (e.cond, *e.values)
        if any(name in definitions_in(x) for x in before):
            return False
        e = e.body
    match e:
        case c.If(cond, then, orelse):
            inside = name in definitions_in(cond)
            return not inside and _only_tail(name, then) and _only_tail(name, orelse)
        case c.App(c.Global(), args):
            return not any(name in definitions_in(x) for x in args)
        case c.Leaf() | c.FunctionOperation() | c.Control():
            return name not in definitions_in(e)
        case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
            return name not in definitions_in(e)
