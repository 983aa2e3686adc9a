"""Prints the functions of a program as ``static inline`` functions of OpenCL C or GNU C.

    static inline float f0_1(float v1, int v2)                one result, cannot fail
    static inline void f0_2(float v1, float *r2, int *r3)     several results
    static inline int f0_3(volatile __global long *status, long launch, long gid,
                           float v1, float *r2)               partial: 1 if a check failed

Each entry point has its own copy of the functions that it calls, since the checks of an entry point
are numbered.  A partial function reports a failed check as a kernel does, and its caller leaves at
once.
"""

from collections.abc import Sequence

from funmem.codegen.c_types import c_type
from funmem.codegen.comments import comment, place
from funmem.codegen.device_c import Printer
from funmem.codegen.failure_guards import long_functions
from funmem.codegen.unit import Callees, Unit
from funmem.ir.imp import ImpFunction
from funmem.ir.imp_traverse import is_partial, variable_types


def callees(number: int, functions: Sequence[ImpFunction]) -> Callees:
    """Return the functions that the ``number``-th entry point may call; none is printed yet."""
    names = {f.name: f"f{number}_{k}" for k, f in enumerate(functions)}
    table = {f.name: f for f in functions}
    return Callees(table, names, long_functions(functions), print_function)


def print_function(unit: Unit, f: ImpFunction, name: str) -> str:
    """Return the text of a function; ``unit`` is that of the entry point that calls it."""
    own = Unit(variable_types(f), gnu=unit.gnu, checks=unit.checks, callees=unit.callees)
    partial = is_partial(f)
    p = Printer(own, task=False, stops=partial, leave="return 1;")
    params = [f"{c_type(x.type)} {p.bind(x.x)}" for x in f.params]
    p.block(f.body)
    ends: list[str] = []
    if not partial and len(f.results) == 1:
        (r,) = f.results
        result = c_type(r.type)
        ends.append(f"return {p.name(r.x)};")
    else:
        result = "int" if partial else "void"
        for r in f.results:
            out = p.fresh("r")
            params.append(f"{c_type(r.type)} *{out}")
            ends.append(f"*{out} = {p.name(r.x)};")
        ends += ["return 0;"] if partial else []
    status = ["volatile __global long *status", "long launch", "long gid"] if partial else []
    return "\n".join(
        (
            comment(f"{place(f.at)}def {f.name}"),
            f"static inline {result} {name}({', '.join((*status, *params)) or 'void'})",
            "{",
            *p.text(),
            *(f"    {line}" for line in ends),
            "}",
            "",
        )
    )
