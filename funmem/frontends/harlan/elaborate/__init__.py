"""Translate a checked program to Core.

Definitions are instantiated at ground types on demand, beginning with ``main``; assignments become
bindings and loop parameters; output and foreign calls thread a token.
"""

from funmem.frontends.harlan.effects import happening
from funmem.frontends.harlan.elaborate.code import Program, Signature
from funmem.frontends.harlan.elaborate.exp import expression
from funmem.frontends.harlan.elaborate.functions import definition
from funmem.frontends.harlan.elaborate.grounds import CoreTypes, Grounds, has_value
from funmem.frontends.harlan.elaborate.places import Places
from funmem.frontends.harlan.elaborate.sharing import Sharing
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.harlan.typing import Typing
from funmem.ir import core as c
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import I32

MAIN = Name("main")


def elaborate(typing: Typing) -> c.CoreProgram:
    """Return the program, whose entry point is ``main``, as Core.  Raises SourceError."""
    places = Places()
    places.analyse(typing.program.defines)
    sharing = Sharing(typing, places)
    sharing.analyse(typing.program.defines)
    everywhere = Grounds(typing, {}, happening(typing.solver, typing.flows))
    p = Program(typing, expression, CoreTypes(typing, everywhere), places, sharing)
    p.fresh.reserve(MAIN)
    entry = _main(p)
    while p.queue:
        d, code, signature = p.queue.pop()
        p.defs.append(definition(d, code, signature))
    data = tuple(p.types.data.values())
    return c.CoreProgram((entry,), tuple(p.defs), data, tuple(p.foreign.values()))


def _main(p: Program) -> c.Entry:
    """Return the entry point: its result is the exit status."""
    main = p.typing.program.main
    if main is None:
        at = p.typing.program.at
        fail(at, Code.MAIN, "there is no `main`", "`(define (main) …)` is where a program begins")
    if main.params:
        fail(main.params[0].at, Code.MAIN, "`main` has no parameters", "`(command-line)` has them")
    signature = p.signature(main, {})
    if has_value(signature.result) and signature.result != I32:
        what = f"the value of `main` is {p.typing.declared.text(signature.result)}, but must be int"
        fail(main.at, Code.MAIN, what, "it is the exit status; without a value it is 0")
    return _entry(p, signature, main.at)


def _entry(p: Program, main: Signature, at: Span) -> c.Entry:
    token = c.Binder(p.fresh("t"), c.TOKEN)
    fn = c.Global(main.name, (), at)
    own: c.Exp = c.Var(token.name, at)
    zero = c.Const(0, I32, at)
    both = c.tuple_type(c.TOKEN, I32)
    if not main.token:
        called = c.App(fn, (c.Fields((), at),), at)
        value: c.Exp = called
        if not has_value(main.result):
            value = c.Let((c.Binder(p.fresh("unused"), c.UNIT),), called, zero, at)
        body: c.Exp = c.tuple_exp(own, value, at=at)
    else:
        body = c.App(fn, (own,), at)
        if not has_value(main.result):
            after = p.fresh("t")
            pair = c.tuple_exp(c.Var(after, at), zero, at=at)
            body = c.Let((c.Binder(after, c.TOKEN),), body, pair, at)
    return c.Entry(MAIN, (), (c.EntryParam(token),), both, body, at)
