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
definition calls only itself, and only in tail position.

A definition that makes tail calls only becomes a loop in to-fun, which evaluates the last step
once more after the loop.  If that would repeat an effect, it becomes the loop with a stack here.

Supported are tail calls, also if their results are coerced to sizes of the parameters (sized.py).
Other recursive definitions use only scalars after a call, and arrays that every call passes on
unchanged (or coerced, or copied).  Arrays that change from call to call, and array results, are in
registers: they are passed along, as the tables of recursive data are.  An array keeps its register
from block to block, so that it is updated in place.  Other arrays that are used after a call are
kept in a growing array (saved.py).
Loops and array operations that call the definition they are in become definitions (own_loops.py).
Raises SourceError (``not-supported``) for calls in operands, and in a definition's own array
operations on arrays.
"""

from collections.abc import Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp
from funmem.ir.diagnostics import SourceError
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.names import local_names
from funmem.passes.core.recursion.acts import Acts, repeats
from funmem.passes.core.recursion.bounded import Bounded
from funmem.passes.core.recursion.kernels import ROOM, Kernels, Note, Room
from funmem.passes.core.recursion.machine import Machine
from funmem.passes.core.recursion.own_loops import without_own_loops
from funmem.passes.core.recursion.parts import body_of, definitions_in
from funmem.passes.core.recursion.saved import with_stores
from funmem.passes.core.recursion.sized import tail_calls
from funmem.passes.core.to_fun.consumed import kept_parameters
from funmem.passes.core.unique import Unique

__all__ = ["recursion"]


def _silent(place: str, what: str, parallel: bool) -> None:
    """Note nothing."""


def recursion(p: CoreProgram, room: Room = ROOM, note: Note = _silent) -> CoreProgram:
    """Run the pass; see the package's docstring."""
    p = _with_tail_calls(p)
    groups = _groups(p)
    if not groups:
        return p
    p = _without_own_loops(p, groups)
    p = _with_saved_arrays(p, _groups(p))
    groups, defs = _groups(p), {d.name: d for d in p.defs}
    fresh = Fresh(local_names(p, groups))
    unique = Unique({x: x for x, d in defs.items() if d.type is I64}, fresh)
    kept = kept_parameters(p.defs)
    bounded = Bounded(defs, groups, fresh, unique)
    kernels = Kernels(bounded, fresh, room, note)
    entries = tuple(evolve(e, exp=kernels.host(e.exp, _given(e), e.name)) for e in p.entries)
    out: list[Def] = []
    for d in p.defs:
        new = evolve(d, exp=kernels.host(d.exp, (), d.name))
        if d.name in groups:
            group = [evolve(x, exp=kernels.host(x.exp, (), x.name)) for x in groups[d.name]]
            new = Machine(new, group, fresh, unique, kept).definition()
        out.append(new)
    return CoreProgram(entries, (*out, *bounded.made.values()), p.data, p.foreign)


def _groups(p: CoreProgram) -> dict[Name, list[Def]]:
    """Return the definitions that need a stack, each with those it is mutually recursive with."""
    reach = _reachable({d.name: d for d in p.defs})
    acts = Acts(p)
    groups: dict[Name, list[Def]] = {}
    for d in p.defs:
        group = [x for x in p.defs if x.name in reach[d.name] and d.name in reach[x.name]]
        alone = [x.name for x in group] == [d.name]
        e = body_of(d)
        if group and not (alone and _only_tail(d.name, e) and not repeats(d.name, e, acts)):
            groups[d.name] = group
    return groups


def _without_own_loops(p: CoreProgram, groups: Mapping[Name, list[Def]]) -> CoreProgram:
    """Return the program where loops that call the definition they are in are definitions."""
    fresh = Fresh(local_names(p))
    for d in p.defs:
        fresh.reserve(d.name)
    new: list[Def] = []
    done = set[Name]()
    for name, group in groups.items():
        if name not in done:
            done |= {d.name for d in group}
            new += without_own_loops(group, fresh)
    if len(new) == len(groups):
        return p
    made = {d.name: d for d in new}
    kept = tuple(made.pop(d.name, d) for d in p.defs)
    return evolve(p, defs=(*kept, *made.values()))


def _with_saved_arrays(p: CoreProgram, groups: Mapping[Name, list[Def]]) -> CoreProgram:
    """Return the program where arrays needed after calls are kept (saved.py)."""
    fresh = Fresh(local_names(p))
    for d in p.defs:
        fresh.reserve(d.name)
    out: dict[Name, list[Def]] = {d.name: [d] for d in p.defs}
    done = set[Name]()
    for name, group in groups.items():
        if name in done:
            continue
        done |= {d.name for d in group}
        new = with_stores(group, fresh)
        if len(new) > len(group) and not _accepted(p, group):
            half = iter(new)
            out |= {d.name: [next(half), next(half)] for d in group}
    if all(len(ds) == 1 for ds in out.values()):
        return p
    return evolve(p, defs=tuple(d for ds in out.values() for d in ds))


def _accepted(p: CoreProgram, group: list[Def]) -> bool:
    """True if the arrays of these definitions stay the same from call to call."""
    fresh = Fresh(local_names(p))
    constants = {d.name: d.name for d in p.defs if d.type is I64}
    kept = kept_parameters(p.defs)
    try:
        for d in group:
            Machine(d, group, fresh, Unique(constants, fresh), kept).definition()
    except SourceError:
        return False
    return True


def _given(e: c.Entry) -> list[c.Binder]:
    """Return the binders of an entry point itself."""
    return [*(c.Binder(x, I64) for x in e.sizes), *(q.binder for q in e.params)]


def _with_tail_calls(p: CoreProgram) -> CoreProgram:
    """Return the program in which more recursive definitions make tail calls only (sized.py)."""
    fresh = Fresh(local_names(p))
    out: list[Def] = []
    for d in p.defs:
        calls = d.name in definitions_in(d.exp) and not _only_tail(d.name, body_of(d))
        new = tail_calls(d, fresh) if calls else d
        out.append(new if new is not d and _only_tail(d.name, body_of(new)) else d)
    return CoreProgram(p.entries, tuple(out), p.data, p.foreign)


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
