"""Fill uninitialised memory with zeros before a program is compiled for a machine.

An element of ``scratch`` that is never written has no value.  The interpreters report this; on a
machine, its memory holds former data, perhaps of other programs or users, which must not leak.  The
verifier proves for some arrays that all their elements are written
(:mod:`funmem.ir.verify.written`).  If it does not, and elements are read or are part of a result,
memory is filled first:

    FUN      let x = scratch [n]f32          ->  let x = replicate [n] 0f32
    IMP      m <- alloc d                    ->  m <- alloc d;  kernel i < d do m[i] : u8 <- 0 done

The first form is for programs in FUN, and only for arrays whose uninitialised elements may be
observed.  In a FUNMEM program the home of a ``scratch`` may hold data that is still live, so blocks
are filled when they are allocated, in the entry points without a proof.  For an IMP program there
are no proofs.

*Precondition*: well typed.  *Postcondition*: no uninitialised element is read from a block or
returned; programs whose elements are all proved to be written stay as they are.
"""

from funmem.ir.fun import (
    Ann,
    Body,
    Const,
    Entry,
    Program,
    RaggedKernel,
    Replicate,
    Scratch,
    Stm,
)
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
    Read,
    WhileStm,
    Write,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, U8, ScalarType
from funmem.ir.sizes import var
from funmem.ir.text.level import Level, level_of
from funmem.ir.traverse import (
    map_sub_bodies,
    walk,
    with_exp,
    with_stms,
)
from funmem.ir.verify.visible import makes_scratch, visible
from funmem.passes.framework import AnyProgram, as_tree
from funmem.passes.imp.host_kernels import Names as ImpNames
from funmem.passes.runner import Pipeline

Names = frozenset[Name]
NONE: Names = frozenset()


@frozen
class Filled:
    """A program to be compiled, and its entry points whose blocks must be filled in IMP."""

    program: AnyProgram
    blocks_of: Names

    def through(self, p: ImpProgram) -> "Filled":
        """Return the lowered program ``p`` with these blocks filled, and none left to be filled."""
        return Filled(self.lowered(p), NONE)

    def lowered(self, p: ImpProgram) -> ImpProgram:
        """Return the lowered program ``p`` with these blocks filled."""
        if not self.blocks_of:
            return p
        entries = (zeroed(e) if e.name in self.blocks_of else e for e in p.entries)
        return evolve(p, entries=tuple(entries))


def filled(p: AnyProgram) -> Filled:
    """Return the program without observable uninitialised elements, or with the entry points whose
    blocks must be filled in IMP.  It is well typed if it has a ``scratch``.
    """
    if isinstance(p, ImpProgram):
        return Filled(p, frozenset(e.name for e in p.entries))
    if not has_scratch(p):
        return Filled(p, NONE)
    if level_of(p) is Level.FUNMEM:
        return Filled(p, frozenset(e.name for e in p.entries if visible(e)))
    arrays = _seen(p, "allocate", rows=False) | _seen(p, "schedule,allocate", rows=True)
    made = tuple(_replicated(e, arrays[e.name] | _in_rows(e)) for e in p.entries)
    return Filled(Program(made, p.functions), NONE)


def _seen(p: Program[Ann], passes: str, *, rows: bool) -> dict[Name, Names]:
    """Return what :func:`visible` says of the entry points with or without kernels over rows."""
    some = tuple(e for e in p.entries if _over_rows(e) is rows)
    if not some:
        return {}
    placed = as_tree(Pipeline.parse(passes).run(evolve(p, entries=some), verify=False))
    return {e.name: visible(e) for e in placed.entries}


def _over_rows(e: Entry[Ann]) -> bool:
    """True if an entry point has a kernel over rows, which only ``schedule`` gives memory."""
    return any(isinstance(s.exp, RaggedKernel) for s in walk(e.body))


def _in_rows(e: Entry[Ann]) -> Names:
    """Return the ``scratch`` arrays in kernels over rows, which `schedule` copies and renames."""
    found = (t for s in walk(e.body) if isinstance(s.exp, RaggedKernel) for t in walk(s.exp.body))
    return frozenset(t.pat[0].name for t in found if isinstance(t.exp, Scratch))


def has_scratch(p: AnyProgram) -> bool:
    """True if a FUN or FUNMEM program makes uninitialised arrays."""
    return not isinstance(p, ImpProgram) and any(map(makes_scratch, p.entries))


def _replicated(e: Entry[Ann], arrays: Names) -> Entry[Ann]:
    """Return the FUN entry point, where some ``scratch`` arrays are filled with zeros."""

    def stm(s: Stm[Ann]) -> Stm[Ann]:
        if isinstance(s.exp, Scratch) and s.pat[0].name in arrays:
            return with_exp(s, Replicate(s.exp.shape, _zero(s.exp.elem)))
        return with_exp(s, map_sub_bodies(s.exp, body))

    def body(b: Body[Ann]) -> Body[Ann]:
        return with_stms(b, map(stm, b.stms))

    return evolve(e, body=body(e.body)) if arrays else e


def _zero(t: ScalarType) -> Const:
    return Const(False if t is BOOL else 0.0 if t.is_float else 0, t)


def zeroed(e: ImpEntry) -> ImpEntry:
    """Return the entry point, where blocks are filled with zeros when they are allocated."""
    fresh = ImpNames(e).fresh

    def zeros(s: Allocate, kernel: bool) -> ImpStm:
        i = fresh("i")
        write: Block = (Write(s.x, var(i), Const(0, U8), U8, s.at),)
        if kernel:
            return ForStm(i, s.size, write, s.at)
        return KernelStm((ImpDim(i, s.size),), write, s.at)

    def inside(b: Block, *, kernel: bool) -> Block:
        return tuple(t for s in b for t in statement(s, kernel))

    def statement(s: ImpStm, kernel: bool) -> Block:
        match s:
            case Allocate():
                return (s, zeros(s, kernel))
            case IfStm(_, then, orelse):
                then, orelse = inside(then, kernel=kernel), inside(orelse, kernel=kernel)
                return (evolve(s, then=then, orelse=orelse),)
            case ForStm(_, _, b) | WhileStm(_, b):
                return (evolve(s, body=inside(b, kernel=kernel)),)
            case KernelStm(_, b):
                return (evolve(s, body=inside(b, kernel=True)),)
            case Declare() | Assign() | Read() | Write() | CopyElement() | CallStm() | Check():
                return (s,)
            case OpaqueStm():
                return (s,)

    return evolve(e, body=inside(e.body, kernel=False))
