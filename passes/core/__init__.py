"""The passes on Core, and the translation to FUN: one feature that FUN lacks is removed at a time.

monomorphise       polymorphism: a copy of each definition for the types it is used at
lambda-lift        local recursive functions: they become definitions
defunctionalise    function values: they are replaced by their code
flatten-data       records and sums: they become scalars and arrays of scalars
recursion          recursion: it becomes a loop with a stack
to-fun             nested expressions and unknown shapes: A-normal form, shapes, kernels

:func:`to_fun_by` runs them in this order.  Every program needs all of them, so they are no part of
a pipeline and stand in no registry.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from funmem.ir.depth import deep

if TYPE_CHECKING:
    from funmem.ir.core import CoreProgram
    from funmem.ir.fun import FunProgram


def to_fun_by(
    program: "CoreProgram", after: "Callable[[str, CoreProgram], None] | None" = None
) -> "FunProgram":
    """Run all passes on a Core program, in order; return the FUN program.

    ``after`` is called with ``"core"`` and the program as it is at first, and then with the name of
    each pass on Core and its result.  Raises SourceError (``not-supported``) for what FUN cannot
    express.
    """
    from funmem.passes.core.defunctionalise import defunctionalise
    from funmem.passes.core.flatten_data import flatten_data
    from funmem.passes.core.lambda_lift import lambda_lift
    from funmem.passes.core.monomorphise import monomorphise
    from funmem.passes.core.recursion import recursion
    from funmem.passes.core.to_fun import to_fun

    with deep():
        if after is not None:
            after("core", program)
        for name, run in (
            ("monomorphise", monomorphise),
            ("lambda-lift", lambda_lift),
            ("defunctionalise", defunctionalise),
            ("flatten-data", flatten_data),
            ("recursion", recursion),
        ):
            program = run(program)
            if after is not None:
                after(name, program)
        return to_fun(program)
