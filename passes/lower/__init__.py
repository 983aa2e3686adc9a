"""FunMemToImp: from FUNMEM to IMP (paper 002, sections 4 and 5).

Why.  The annotations suffice for code generation.  An array is a block and an index function L, so
every access becomes ``block[L(index)]`` by applying L symbolically.  Derived arrays are only new
index functions, so they produce no code.

    let (t : [m][n]f32 @ b -> 0 + {(m : 1) (n : m)}) = permute (1, 0) x        (nothing)
    let (e : f32) = t[i, j]                          var e : f32;  e <- b[i + j*m] : f32;
    let (k : i64) (m : mem) (z : …) = if c …         var k : i64;  var m : mem;
                                                     if c then …; k <- k1; m <- m1 else … fi;
    let (y : f32) = call f (x)                       var y : f32;  call (y) <- f (x);
    let (z : [n]f32 @ b -> L) = kernel i < n …       kernel i < n do …; b[L(i)] : f32 <- r; done;

The implicit traps of FUN become ``check`` statements, in the order of FUN's semantics
(:mod:`traps`), unless they provably cannot fail (:mod:`funmem.ir.logic.prove`).

A scatter may be lowered with the loops that make its indices (:mod:`early_scatter`).  Blocks that
nothing uses are not allocated (:mod:`unused`).

Precondition: a well-typed FUNMEM program.  Postcondition: a well-typed IMP program that computes
the same results and raises the same traps.
"""

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    Const,
    Entry,
    Function,
    MemProgram,
    MemType,
    Stm,
    Var,
)
from funmem.ir.functions import as_entry
from funmem.ir.imp import (
    ArrayPort,
    Assign,
    Block,
    Declare,
    ImpEntry,
    ImpFunction,
    ImpProgram,
    ImpStm,
    Port,
    ScalarPort,
)
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.traverse import atom_size
from funmem.passes.framework import Context as PassContext
from funmem.passes.framework import lowering_pass
from funmem.passes.lower.context import Context, Observer, Tell, silent
from funmem.passes.lower.statements import statements
from funmem.passes.lower.unused import without_unused_blocks

__all__ = ["entry_point", "lower", "lower_program", "remarks_in"]


def lower_program(program: MemProgram, tell: Tell = silent) -> ImpProgram:
    """Translate a FUNMEM program to IMP; ``tell`` is called with remarks."""
    return ImpProgram(
        tuple(entry_point(e, tell=tell) for e in program.entries),
        tuple(function(f) for f in program.functions),
    )


@lowering_pass("lower", summary="blocks and index functions become flat memory accesses (IMP)")
def lower(program: MemProgram, ctx: PassContext) -> ImpProgram:
    """Translate a FUNMEM program to IMP: :func:`lower_program` as a pass."""
    return lower_program(program, remarks_in(ctx))


def remarks_in(ctx: PassContext) -> Tell:
    """Return a function that makes remarks in the report of a pass of what lowering tells."""

    def tell(s: Stm[Ann], condition: str, reason: str) -> None:
        if condition:
            ctx.remark(s, condition, reason)
        else:
            ctx.did(s, "scattered early", reason)

    return tell


def entry_point(e: Entry[Ann], observer: Observer | None = None, tell: Tell = silent) -> ImpEntry:
    """Translate an entry point; a block is passed through the port of the array in it.

    ``observer`` is called with each statement and its translation.
    """
    ctx = Context.of(e, observer, tell)
    sizes = tuple(b.name for b in e.implicit if not isinstance(b.type, MemType))
    params = tuple(port(p.binder) for p in e.params)
    body = statements(ctx, e.body)
    constants, results = result_ports(ctx, e)
    body = without_unused_blocks(body + constants, (*params, *results))
    return ImpEntry(e.name, sizes, params, body, results, e.at)


def function(f: Function, observer: Observer | None = None) -> ImpFunction:
    """Translate a function, once for all its calls."""
    return as_function(entry_point(as_entry(f), observer))


def as_function(e: ImpEntry) -> ImpFunction:
    """Return the function that an entry point on scalars is."""
    params = tuple(p for p in e.params if isinstance(p, ScalarPort))
    results = tuple(p for p in e.results if isinstance(p, ScalarPort))
    return ImpFunction(e.name, params, e.body, results, e.at)


def port(b: Binder[Ann]) -> Port:
    """Return the port of a parameter: a scalar, or the block that holds an array."""
    match b:
        case Binder(x, ScalarType() as t):
            return ScalarPort(x, t, x)
        case Binder(x, ArrayType(elem, shape), home) if home is not None:
            return ArrayPort(home.block, elem, shape, x)
        case _:
            raise Stuck(f"{b.name} is neither a scalar nor an array with a home")


def result_ports(ctx: Context, e: Entry[Ann]) -> tuple[Block, tuple[Port, ...]]:
    """Return statements, and the ports of the results in terms of the body's results (T-RESULT).

    The statements assign constant results to variables, because a port needs a variable.
    """
    binders = (*e.implicit_results, *e.results)
    image = dict(zip((b.name for b in binders), e.body.result, strict=True))
    sizes = {b.name: atom_size(image[b.name]) for b in binders if b.type is I64}
    made: list[ImpStm] = []
    ports: list[Port] = []
    for b in e.results:
        match port(b), image[b.name]:
            case ScalarPort(r, t), Const() as value:
                made += [Declare(r, t, e.at), Assign(r, value, e.at)]
                ports.append(ScalarPort(r, t, r))
            case ScalarPort(r, t), Var(x):
                ports.append(ScalarPort(x, t, r))
            case ArrayPort(_, elem, shape, r), Var(x):
                dims = tuple(d.subst(sizes) for d in shape)
                ports.append(ArrayPort(ctx.place(x).block, elem, dims, r))
            case _:
                raise Stuck(f"result {b.name} is an array, and a constant was returned")
    return tuple(made), tuple(ports)
