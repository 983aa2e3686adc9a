r"""allocate: FUN to FUNMEM.  Every array gets a home (paper 002, sec. 3.5).

*Why.*  The first FUNMEM program should be obviously correct; it need not be efficient.  Every fresh
array gets a row-major home in a block of its own, and every derived array the index function that
its rule computes.  Later passes remove unneeded blocks and copies.

*Before -> after.*

    let (x : [n]i64) = iota [n] 0 1
    ->
    let (x_mem : mem) = alloc 8*n
    let (x : [n]i64 @ x_mem -> 0 + {(n : 1)}) = iota [n] 0 1

    let (z : [n]i64) = if c then … in (x) else … in (y)
    ->
    let (z_mem : mem) (z_off : i64) (z_st : i64) (z : [n]i64 @ z_mem -> z_off + {(n : z_st)}) =
      if c then … in (x_mem, 0, 1, x) else … let (y_off : i64) = i * n in (y_mem, y_off, 1, y)

*How each expression is treated.*

    scalars, assert             unchanged
    slice permute reverse flat  the source's block and the rule's LMAD; if the LMAD's text is too
                                large for the parser, the source is first copied to row-major order
    reshape                     ditto; the source is also copied if the LMAD does not exist
    iota replicate literal copy concat scratch     alloc, row-major
    update scatter hist         the consumed array's home: its block is written in place, which is
                                safe because its aliases can no longer be used; a view that may show
                                an element twice is copied first
    kernel                      alloc and row-major for every other array result; every array
                                parameter of the operator owns a part of a block for each outer
                                index, and an operator result that a copy to an earlier parameter
                                would overwrite is copied first
    if, loop                    all supporting information (block, offset, strides) is returned or
                                becomes loop parameters, by position: names are never compared; an
                                array whose offset or strides exceed i64 is copied to row-major
                                order first
    entry                       parameters row-major in implicit blocks; array results copied to
                                row-major blocks of their own, which are implicit results

*Precondition*: FUN without kernels over rows (`schedule`).
*Postcondition*: every array binder has a home.
"""

from funmem.ir.diagnostics import Diagnostic
from funmem.ir.fun import ArrayType, MemProgram, Program, RaggedKernel
from funmem.ir.traverse import entry_binders, inner_binders, program_fresh, walk
from funmem.passes.framework import Context, Level, fun_pass
from funmem.passes.mem.allocate.gamma import Gamma
from funmem.passes.mem.allocate.transform import Transform


def every_array_has_a_home(p: MemProgram) -> Diagnostic | None:
    """None if every array binder has a home; otherwise the diagnostic for the first without."""
    for e in p.entries:
        inner = (b for s in walk(e.body) for b in (*s.pat, *inner_binders(s.exp)))
        for b in (*entry_binders(e), *inner):
            if isinstance(b.type, ArrayType) and b.home is None:
                return Diagnostic(b.at, "home", f"array {b.name} has no home")
    return None


def no_kernel_over_rows(p: MemProgram) -> Diagnostic | None:
    """Precondition: `schedule` has replaced the kernels over rows of varying length."""
    for e in p.entries:
        for s in walk(e.body):
            if isinstance(s.exp, RaggedKernel):
                message = "a kernel over rows of varying length has no memory"
                return Diagnostic(
                    s.at, "rows", message, "run `schedule`, which replaces it, before"
                )
    return None


@fun_pass(
    "allocate",
    summary="give every array a home: a block and an index function",
    output=Level.FUNMEM,
    pre=(no_kernel_over_rows,),
    post=(every_array_has_a_home,),
)
def allocate(p: MemProgram, ctx: Context) -> MemProgram:
    """TransformProgram."""
    fresh = program_fresh(p)
    return Program(tuple(Transform(Gamma(fresh, ctx)).entry(e) for e in p.entries), p.functions)
