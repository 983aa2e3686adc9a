"""Find why a copy stays, or how it was removed: from the passes' remarks, else from the program."""

import re
from collections.abc import Sequence

from funmem.ir.fun import Ann, Entry, MemType, Var
from funmem.ir.logic.blocks import blocks_of
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.passes.context import Remark
from funmem.passes.mem.copying import ArrayCopy, CopyKind

REMOVER = "short-circuit"
"""The pass that removes copies."""

MAKERS = ("coalesce", "double-buffer")
"""The passes that insert copies, and whose remarks say why."""


@frozen
class Reason:
    """The condition that failed, and why; ``pass_name``: the pass whose remark this is, or ""."""

    condition: str
    reason: str
    pass_name: str = ""

    def __str__(self) -> str:
        return f"{self.condition}: {self.reason}"


def why_kept(
    c: ArrayCopy, entry: Entry[Ann] | None, remarks: Sequence[Remark], ran: frozenset[str]
) -> Reason:
    """Return why a copy was not removed, or why it was inserted."""
    inserted = _about(c, [r for r in remarks if r.pass_name in MAKERS and r.done])
    if inserted is not None:
        return Reason(inserted.condition, inserted.reason, inserted.pass_name)
    refused = _about(c, [r for r in remarks if r.pass_name == REMOVER and not r.done])
    if refused is not None:
        return Reason(refused.condition, refused.reason, refused.pass_name)
    natural = _by_nature(c)
    if natural is not None:
        return natural
    if entry is not None and _crosses_the_border(c, entry):
        what = f"`{c.source}` lies in a block of the caller; a result needs a block of its own"
        return Reason("the program allocates the source's block", what)
    if REMOVER not in ran:
        what = f"the pipeline has no pass {REMOVER}"
        return Reason(f"pass {REMOVER} ran", what)
    source, dest = c.places
    what = f"`{c.source}` lies @ {source.block} -> {source.ix}, not @ {dest.block} -> {dest.ix}"
    return Reason("the array is built at the copy's destination", what)


def why_gone(c: ArrayCopy, pass_name: str, remarks: Sequence[Remark]) -> str:
    """Return the remark of the pass that removed a copy, or ""."""
    remark = _about(c, [r for r in remarks if r.pass_name == pass_name and r.done])
    return f"{remark.condition}: {remark.reason}" if remark is not None else ""


def _about(c: ArrayCopy, remarks: Sequence[Remark]) -> Remark | None:
    """Return the last remark about a copy's statement; remarks that name its source come first."""
    found = [r for r in remarks if c.statement in r.place.split()]
    if not found:
        return None
    named = [r for r in found if _mentions(r, c.source)]
    return (named or found)[-1]


def _mentions(r: Remark, x: Name) -> bool:
    pattern = rf"(?<![\w']){re.escape(x)}(?![\w'])"
    return re.search(pattern, f"{r.condition} {r.reason}") is not None


def _by_nature(c: ArrayCopy) -> Reason | None:
    """Return why no pass can remove a copy of this kind; None if a pass can."""
    match c.kind:
        case CopyKind.SCATTER:
            what = f"the destinations of the rows of `{c.source}` are indices that are data"
            return Reason("the destination is known before the program runs", what)
        case CopyKind.REPLICATE:
            what = f"each repetition needs its own copy of `{c.source}`"
            return Reason("the array is copied once", what)
        case CopyKind.OPERATOR:
            what = "arrays are passed to and from operators by copy"
            return Reason("the copy is one of the program's statements", what)
        case CopyKind.COPY | CopyKind.CONCAT | CopyKind.LITERAL | CopyKind.UPDATE | CopyKind.THREAD:
            return None


def _crosses_the_border(c: ArrayCopy, entry: Entry[Ann]) -> bool:
    """True if an array that may lie in an argument's block is copied to a result."""
    blocks = blocks_of(entry.body)
    given = {b.name for b in entry.implicit if isinstance(b.type, MemType)}
    source = blocks.roots(c.places[0].block)
    leaves = Var(c.dest) in entry.body.result
    return c.kind is CopyKind.COPY and leaves and bool(source & given)
