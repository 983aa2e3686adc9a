"""Why a copy stays, or how it went: what passes said of it, or else what can be seen."""

import re
from collections.abc import Sequence

from funmem.ir.fun import Ann, Entry, MemType, Var
from funmem.ir.logic.blocks import blocks_of
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.passes.context import Remark
from funmem.passes.mem.copying import ArrayCopy, Kind

REMOVER = "short-circuit"
"""The pass whose business copies are."""

MAKERS = ("coalesce", "double-buffer")
"""The passes that make copies, and say what for."""


@frozen
class Reason:
    """The condition that failed, and why; ``pass_name``: who says so."""

    condition: str
    reason: str
    pass_name: str = ""

    def __str__(self) -> str:
        return f"{self.condition}: {self.reason}"


def why_kept(
    c: ArrayCopy, entry: Entry[Ann] | None, remarks: Sequence[Remark], ran: frozenset[str]
) -> Reason:
    """Why a copy is still there, or has been made."""
    made = _about(c, [r for r in remarks if r.pass_name in MAKERS and r.done])
    if made is not None:
        return Reason(made.condition, made.reason, made.pass_name)
    said = _about(c, [r for r in remarks if r.pass_name == REMOVER and not r.done])
    if said is not None:
        return Reason(said.condition, said.reason, said.pass_name)
    natural = _by_nature(c)
    if natural is not None:
        return natural
    if entry is not None and _crosses_the_border(c, entry):
        what = f"`{c.source}` lies in a block of the caller's, and a result leaves in its own"
        return Reason("the source's block is the program's", what)
    if REMOVER not in ran:
        what = f"the pipeline has no pass {REMOVER}"
        return Reason(f"pass {REMOVER} ran", what)
    source, dest = c.places
    what = f"`{c.source}` lies @ {source.block} -> {source.ix}, not @ {dest.block} -> {dest.ix}"
    return Reason("the array is built where it is copied to", what)


def why_gone(c: ArrayCopy, pass_name: str, remarks: Sequence[Remark]) -> str:
    """What a pass said of a copy that it removed."""
    said = _about(c, [r for r in remarks if r.pass_name == pass_name and r.done])
    return f"{said.condition}: {said.reason}" if said is not None else ""


def _about(c: ArrayCopy, remarks: Sequence[Remark]) -> Remark | None:
    """The last remark about a copy's statement, by preference one that names the source."""
    found = [r for r in remarks if c.statement in r.place.split()]
    if not found:
        return None
    named = [r for r in found if _mentions(r, c.source)]
    return (named or found)[-1]


def _mentions(r: Remark, x: Name) -> bool:
    pattern = rf"(?<![\w']){re.escape(x)}(?![\w'])"
    return re.search(pattern, f"{r.condition} {r.reason}") is not None


def _by_nature(c: ArrayCopy) -> Reason | None:
    """Copies that no pass could remove."""
    match c.kind:
        case Kind.SCATTER:
            what = f"the rows of `{c.source}` go where the indices say, which are data"
            return Reason("the place is known before the program runs", what)
        case Kind.REPLICATE:
            what = f"`{c.source}` is needed once for each repetition"
            return Reason("the array is copied once", what)
        case Kind.OPERATOR:
            what = "arrays are passed to and from operators by copy"
            return Reason("the copy is one of the program's statements", what)
        case _:
            return None


def _crosses_the_border(c: ArrayCopy, entry: Entry[Ann]) -> bool:
    """Whether what may lie in an argument's block is copied to a result."""
    blocks = blocks_of(entry.body)
    given = {b.name for b in entry.implicit if isinstance(b.type, MemType)}
    source = blocks.roots(c.places[0].block)
    leaves = Var(c.dest) in entry.body.result
    return c.kind is Kind.COPY and leaves and bool(source & given)
