"""Where raw code on arrays may be called: on the host."""

from funmem.frontends.python.errors import Code, wrong
from funmem.ir import core as c
from funmem.ir.core_traverse import parts
from funmem.ir.names import Name


def require_on_host(p: c.CoreProgram) -> None:
    """Raise SourceError (``foreign``) for raw code on arrays in a function of ``fm.map`` and such.

    It is a kernel, or a call of the host, and kernels do not start kernels.
    """
    holders: set[Name] = set()

    def look(e: c.Exp, inside: bool) -> bool:
        """Return True if an expression calls such code."""
        here = isinstance(e, c.Foreign) and e.grid is not None
        here = here or (isinstance(e, c.Global) and e.name in holders)
        if here and inside:
            hint = "call it outside of fm.map, fm.reduce, …"
            raise wrong(Code.FOREIGN, "raw code on arrays is called inside a kernel", hint, e.at)
        below = inside or isinstance(e, c.Lambda)
        found = [look(x, below) for x in parts(e)]
        return here or any(found)

    for d in p.defs:
        body = d.exp.body if isinstance(d.exp, c.Lambda) else d.exp
        if look(body, False):
            holders.add(d.name)
    for e in p.entries:
        look(e.exp, False)
