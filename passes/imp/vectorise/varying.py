"""Divergence analysis: the variables of a kernel's body that may differ between iterations.

A variable is uniform if it is computed from uniform variables under uniform control.  An element
that all iterations read at the same index is uniform as well: no iteration may write it while
others read it.
"""

from collections.abc import Collection

from funmem.ir.fun import Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import exp_names
from funmem.ir.names import Name


def varying_names(body: Block, index: Name, own: Collection[Name] = ()) -> frozenset[Name]:
    """Return the variables that may differ between iterations with different values of ``index``.
    The contents of the blocks in ``own``, of which each iteration has its own, may differ as well.
    """
    varying: set[Name] = {index, *own}
    size = 0
    while size < len(varying):
        size = len(varying)
        for s in body:
            _statement(s, varying, control=False)
    return frozenset(varying)


def _statement(s: ImpStm, varying: set[Name], *, control: bool) -> None:
    """Add the variables that a statement makes varying; ``control``: the statement is under
    divergent control.
    """
    match s:
        case Assign(x, e):
            if control or not exp_names(e).isdisjoint(varying):
                varying.add(x)
        case CallStm(results, _, args):
            uses = frozenset[Name]().union(*map(exp_names, args))
            if control or not uses.isdisjoint(varying):
                varying.update(results)
        case Read(x, block, index):
            if control or block in varying or not index.free().isdisjoint(varying):
                varying.add(x)
        case IfStm(cond, then, orelse):
            inside = control or (isinstance(cond, Var) and cond.name in varying)
            for t in (*then, *orelse):
                _statement(t, varying, control=inside)
        case ForStm(index, bound, body):
            inside = control or not bound.free().isdisjoint(varying)
            if inside:
                varying.add(index)
            for t in body:
                _statement(t, varying, control=inside)
        case WhileStm(cond, body):
            for t in body:
                _statement(t, varying, control=control or cond in varying)
        case KernelStm(dims, body):
            inside = control or any(not d.bound.free().isdisjoint(varying) for d in dims)
            if inside:
                varying.update(d.index for d in dims)
            for t in body:
                _statement(t, varying, control=inside)
        case Declare() | Allocate() | Write() | CopyElement() | OpaqueStm() | Check():
            pass
