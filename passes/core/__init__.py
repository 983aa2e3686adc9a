"""Core -> Core -> FUN: what source languages have and FUN has not, one thing at a time.

monomorphise       every definition at the types it is used at
lambda-lift        local recursive functions become definitions
defunctionalise    function values become the code they stand for
flatten-data       records, sums and arrays of them become scalars and arrays
recursion          recursion becomes a loop with a stack
to-fun             A-normal form, shapes, kernels
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from funmem.passes.core.depth import deep

if TYPE_CHECKING:
    from funmem.ir.core import CoreProgram
    from funmem.ir.fun import FunProgram


def to_fun_by(
    program: "CoreProgram", after: "Callable[[str, CoreProgram], None] | None" = None
) -> "FunProgram":
    """All of them in order; ``after`` sees Core as it is at first and after each pass on it.

    Raises SourceError (``not-supported``) for what FUN cannot express.
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
