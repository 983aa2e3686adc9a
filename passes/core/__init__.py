"""The passes on Core, and the translation to FUN: one feature that FUN lacks is removed at a time.

entry-data         recursive data of entry points: they are passed as rows of a table
monomorphise       polymorphism: a copy of each definition for the types it is used at
lambda-lift        local recursive functions: they become definitions
closure-convert    functions that are chosen at run time: they become data
defunctionalise    function values: they are replaced by their code
box-rows           rows of different lengths, arrays in recursive data: they become boxed vectors
tables             recursive data: they become rows of growing tables, and links
flatten-data       records and sums: they become scalars and arrays of scalars
widen              narrow ints as indices: they become i64 where they cannot overflow
recursion          recursion: it becomes a loop with a stack
flatten-nested     rows of different lengths: they become offsets and elements
to-fun             nested expressions and unknown shapes: A-normal form, shapes, kernels

declared.py declares them as passes.  They are the first part of the default pipeline (``CORE`` in
passes/pipeline.py); every program needs all of them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from funmem.ir.core import CoreProgram
    from funmem.ir.fun import FunProgram
    from funmem.passes.framework import StageProgram
    from funmem.passes.runner import Step


def to_fun_by(
    program: "CoreProgram", after: "Callable[[str, CoreProgram], None] | None" = None
) -> "FunProgram":
    """Run all passes on a Core program, in order; return the FUN program.

    ``after`` is called with ``"core"`` and the program as it is at first, and then with the name of
    each pass on Core and its result.  Raises SourceError (``not-supported``) for what FUN cannot
    express.
    """
    from funmem.ir.core import CoreProgram
    from funmem.passes.pipeline import to_fun

    def note(step: "Step", _: "StageProgram", result: "StageProgram") -> None:
        if after is not None and isinstance(result, CoreProgram):
            after(step.what.name, result)

    if after is not None:
        after("core", program)
    return to_fun(program, verify=False, after=note)
