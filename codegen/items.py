"""One iteration of a kernel as a C function, which the loops of a processor's kernel call.

    static inline void k0_0_item(const long v2, const long v3, …)

It is a function of its own: a failed check returns from it without leaving the loop, and the C
compiler sees a loop whose body is a call that it can inline.  In C, a loop with one index is the
only one that calls it, so it is inlined however long it is: a call for each of many short rows
takes a tenth of their time.
"""

from collections.abc import Sequence

from funmem.codegen.device_c import Printer
from funmem.codegen.failure_guards import SOON, rounds
from funmem.codegen.plan import KernelInfo
from funmem.ir.imp import ImpStm
from funmem.ir.imp_traverse import children
from funmem.ir.record import frozen


@frozen
class Item:
    """The lines of the function, and a call of it with the indices of the kernel."""

    text: tuple[str, ...]
    call: str


def item(
    info: KernelInfo,
    s: ImpStm,
    p: Printer,
    indices: Sequence[str],
    bounds: Sequence[str],
    status: Sequence[str],
) -> Item:
    """Return the function of a kernel's iteration.

    ``status``: the parameters for the status buffer, if the kernel has it.  Iterations that may
    take long end at once if an earlier one has failed, or in C if the program was interrupted.
    """
    parameters = [*status, *p.parameters()]
    head = []
    if info.status:
        number = indices[0]
        for index, bound in zip(indices[1:], bounds, strict=True):
            number = f"({number} * {bound} + {index})"
        head = [f"    const long gid = {number};"]
    long = p.unit.callees.long if p.unit.callees is not None else ()
    if any(rounds(b, long) > SOON for b in children(s)):
        launch = "" if p.unit.gnu else "launch, "
        stops = ["rt_stop"] if p.unit.gnu else []
        stops += [f"rt_stopped(status, {launch}gid)"] if info.status else []
        if stops:
            head += [f"    if ({' || '.join(stops)})", "        return;"]
    given = ", ".join((*(f"const long {i}" for i in indices), *parameters))
    passed = ", ".join((*indices, *(x.split()[-1].lstrip("*") for x in parameters)))
    name = f"{info.name}_item"
    once = "FM_ONCE " if p.unit.gnu and len(indices) == 1 else ""
    lines = (f"static inline {once}void {name}({given})", "{", *head, *p.text(), "}")
    return Item(lines, f"{name}({passed});")
