r"""Effects that the loop of a tail call would repeat.

    def go = \(t : token) (n : i64) ->
      let (t : token) = effect print (t, n) : token
      in if 0 < n then @go t (n - 1) else t

to-fun evaluates the body along the paths that end without a call once more after the loop.  That
is right for what is pure; here the last number would be printed twice.
"""

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp
from funmem.ir.names import Name
from funmem.passes.core.names import inside


class Acts:
    """True of the expressions that may call an effect, themselves or in a definition."""

    def __init__(self, p: CoreProgram) -> None:
        self._names = set[Name]()
        changed = any(f.effect for f in p.foreign)
        while changed:
            new = {d.name for d in p.defs if d.name not in self._names and self(d.exp)}
            self._names |= new
            changed = bool(new)

    def __call__(self, e: Exp) -> bool:
        """True if ``e`` may call an effect."""
        return any(self._is_effect(x) for x in inside(e))

    def _is_effect(self, e: Exp) -> bool:
        if isinstance(e, c.Foreign):
            return e.effect
        return isinstance(e, c.Global) and e.name in self._names


def repeats(name: Name, e: Exp, acts: Acts) -> bool:
    """True if an effect precedes an ``if`` that ends without a call of ``name`` on some path.

    ``e`` is the body of a definition that makes tail calls only, or the end of one.
    """
    acted = False
    while isinstance(e, c.Let | c.Assert):
        before = (e.exp,) if isinstance(e, c.Let) else (e.cond, *e.values)
        acted = acted or any(map(acts, before))
        e = e.body
    if not isinstance(e, c.If):
        return False
    if (acted or acts(e.cond)) and _ends(name, e):
        return True
    return repeats(name, e.then, acts) or repeats(name, e.orelse, acts)


def _ends(name: Name, e: Exp) -> bool:
    """True if a body ends without a call on some path."""
    while isinstance(e, c.Let | c.Assert):
        e = e.body
    if isinstance(e, c.If):
        return _ends(name, e.then) or _ends(name, e.orelse)
    return not (isinstance(e, c.App) and isinstance(e.fn, c.Global) and e.fn.name == name)
