"""Rewriting of the kernels that IMP's host launches: traversal, and copies with fresh names."""

from collections.abc import Callable
from typing import TypeAlias

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
    ImpDim,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Port,
    Read,
    ScalarPort,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import VarType, bound_names, subst, variable_types
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size, var

Replace: TypeAlias = Callable[[KernelStm], Block]


def map_host(p: ImpProgram, of: Callable[["Names"], Replace]) -> ImpProgram:
    """Replace every kernel of the host; ``of`` makes the replacement from the
    entry point's names.
    """
    entries = (evolve(e, body=map_kernels(e.body, of(Names(e)))) for e in p.entries)
    return evolve(p, entries=tuple(entries))


def map_kernels(stms: Block, replace: Replace) -> Block:
    """Replace every kernel in statements of the host; kernels inside kernels stay as they are."""
    return tuple(new for s in stms for new in _statement(s, replace))


def _statement(s: ImpStm, replace: Replace) -> Block:
    match s:
        case IfStm(_, then, orelse):
            both = (map_kernels(then, replace), map_kernels(orelse, replace))
            return (evolve(s, then=both[0], orelse=both[1]),)
        case ForStm(_, _, body) | WhileStm(_, body):
            return (evolve(s, body=map_kernels(body, replace)),)
        case KernelStm():
            return replace(s)
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return (s,)
        case CallStm() | Check() | OpaqueStm():
            return (s,)


class Names:
    """The types of the variables of an entry point, and a supply of fresh names."""

    def __init__(self, e: ImpEntry) -> None:
        self.types: dict[Name, VarType] = variable_types(e)
        self.fresh = Fresh((*e.sizes, *map(_port_name, e.params), *bound_names(e.body)))

    def copy(self, s: KernelStm) -> KernelStm:
        """Return the kernel with all its bound names replaced by fresh ones."""
        image = {x: self.another(x) for x in (*bound_names(s.body), *(d.index for d in s.dims))}
        sizes = {x: var(y) for x, y in image.items()}
        dims = tuple(ImpDim(image[d.index], d.bound) for d in s.dims)
        return evolve(s, dims=dims, body=subst(s.body, sizes))

    def another(self, x: Name) -> Name:
        """Return a fresh name for a variable with the type of ``x``."""
        new = self.fresh(x)
        if x in self.types:
            self.types[new] = self.types[x]
        return new


def at(s: KernelStm, dim: int, index: Size, new: Name, bound: Size) -> KernelStm:
    """Replace dimension ``dim`` by ``new < bound``; ``index`` is the old index
    in terms of ``new``.
    """
    old = s.dims[dim].index
    dims = (*s.dims[:dim], ImpDim(new, bound), *s.dims[dim + 1 :])
    return evolve(s, dims=dims, body=subst(s.body, {old: index}))


def _port_name(p: Port) -> Name:
    return p.x if isinstance(p, ScalarPort) else p.block
