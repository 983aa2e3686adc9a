r"""Recursion becomes a loop with a stack (Core -> Core); the problem: paper 000, section 5.3.

    def fact = \(n : i64) -> if n <= 0 then 1 else let r = fact (n - 1) in n * r

        ->  def fact = \(n : i64) ->
              loop pc = 0, depth = 0, reg = n, stack = [] while pc != -1 do      -- roughly
                if pc == 0 then                      -- fact
                  if reg <= 0 then return 1 else push (1, reg) and go to 0 with reg - 1
                else                                 -- after the call: r is reg, n is on the stack
                  return stack[depth] * reg

That is continuation-passing style, defunctionalised: a continuation is the number of the block that
goes on after a call and the scalars that it needs, and continuations make a stack.  A call that is
the last thing done is a jump.  Definitions that call each other become the blocks of one loop.

The state is scalars: the block ``pc``, the ``depth`` of the stack, and registers, in which a block
finds its arguments or results.  Each step reads the frame above the top, which is the one that was
popped if there was a return, runs one block, and writes there what the block pushes, if anything;
so control flow is about scalars only, and the stack is changed in place.  An outer loop doubles the
stack (one array for the return addresses, and one for each type of scalar) whenever it is full.

*Precondition*: flattened.  *Postcondition*: flattened, names still bound once in the program, and
definitions call only themselves, and that only as the last thing that they do; those become loops
in to-fun.

Supported: tail calls, also where the results are coerced to sizes that the parameters have
(sized.py), and otherwise definitions whose results, and what they need after a call, are scalars.
There arrays may be parameters if every call passes them on unchanged (or coerced, or copied).
Raises SourceError (``not-supported``) for calls inside array operations and loops, arrays that
change from call to call or are needed after one, and results that are arrays.
"""

from collections.abc import Collection, Iterator, Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64
from funmem.passes.core.names import binders, inside
from funmem.passes.core.recursion.machine import Machine
from funmem.passes.core.recursion.parts import body_of, definitions_in
from funmem.passes.core.recursion.sized import tail_calls
from funmem.passes.core.unique import Unique

__all__ = ["recursion"]


def recursion(p: CoreProgram) -> CoreProgram:
    """The pass; see the module's text."""
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
    out = [
        Machine(d, groups[d.name], fresh, unique).definition() if d.name in groups else d
        for d in p.defs
    ]
    return CoreProgram(p.entries, tuple(out), p.data)


def _with_tail_calls(p: CoreProgram) -> CoreProgram:
    """The program, in which more recursive definitions call themselves at their end only."""
    fresh = Fresh(_names(p, ()))
    out: list[Def] = []
    for d in p.defs:
        calls = d.name in definitions_in(d.exp) and not _only_tail(d.name, body_of(d))
        new = tail_calls(d, fresh) if calls else d
        out.append(new if new is not d and _only_tail(d.name, body_of(new)) else d)
    return CoreProgram(p.entries, tuple(out), p.data)


def _names(p: CoreProgram, without: Collection[Name]) -> Iterator[Name]:
    """The names that entry points bind, and definitions but some."""
    for e in p.entries:
        yield from (*e.sizes, *(q.binder.name for q in e.params))
    kept = (d.exp for d in p.defs if d.name not in without)
    for body in (*(e.exp for e in p.entries), *kept):
        yield from (b.name for x in inside(body) for b in binders(x))


def _reachable(defs: Mapping[Name, Def]) -> dict[Name, set[Name]]:
    """The definitions that each one needs, directly or not."""
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
    """Whether all calls of a definition are the last thing done."""
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
