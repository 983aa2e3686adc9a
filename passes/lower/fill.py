"""Fill: what was never written begins as zeros, before a program is compiled for a machine.

An element of ``scratch`` that nobody writes has no value.  The interpreters say so; on a machine
its place holds whatever was in memory before: elements of other arrays, of other programs, of
other people.  So it must not be seen.  The verifier knows which arrays have all their elements
(:mod:`funmem.ir.verify.written`); where it does not, and elements are read or leave with a
result, memory is filled first:

    FUN      let x = scratch [n]f32          ->  let x = replicate [n] 0f32
    IMP      m <- alloc d                    ->  m <- alloc d;  kernel i < d do m[i] : u8 <- 0 done

The first is done to programs in FUN, to those arrays alone whose elements may be seen.  A program
that comes with its memory keeps it: the home of a ``scratch`` may hold what is needed yet, so it is
blocks that are filled, when they are allocated, in the entry points that are not proved.  Of an IMP
program nothing is proved.

*Precondition*: well typed.  *Postcondition*: no element that was never written is read from a
block, or returned; programs all of whose elements are proved to be written stay as they are.
"""

from collections.abc import Iterable

from funmem.ir.fun import (
    Ann,
    Atom,
    Body,
    Const,
    Entry,
    Hist,
    If,
    Kernel,
    Loop,
    Program,
    Reduce,
    Replicate,
    Scan,
    Scratch,
    Stm,
    Var,
)
from funmem.ir.imp import (
    Allocate,
    Block,
    ForStm,
    IfStm,
    ImpDim,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
    WhileStm,
    Write,
)
from funmem.ir.logic.uninitialised import uninitialised_in
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, U8, ScalarType
from funmem.ir.sizes import var
from funmem.ir.text.level import Level, level_of
from funmem.ir.traverse import (
    free_in_exp,
    map_sub_bodies,
    sub_bodies,
    walk,
    with_exp,
    with_stms,
)
from funmem.ir.verify.reads import readings
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.unshared import unshared
from funmem.ir.verify.written import Written
from funmem.passes.core.depth import deep
from funmem.passes.framework import AnyProgram, as_tree
from funmem.passes.imp.host_kernels import Names as ImpNames
from funmem.passes.runner import Pipeline

Names = frozenset[Name]
NONE: Names = frozenset()


@frozen
class Filled:
    """A program to be compiled, and its entry points whose blocks are to be filled in IMP."""

    program: AnyProgram
    blocks_of: Names

    def through(self, p: ImpProgram) -> "Filled":
        """What the program has become as IMP, with nothing left to be filled."""
        return Filled(self.lowered(p), NONE)

    def lowered(self, p: ImpProgram) -> ImpProgram:
        """What the program has become as IMP, with these blocks filled."""
        if not self.blocks_of:
            return p
        return ImpProgram(tuple(zeroed(e) if e.name in self.blocks_of else e for e in p.entries))


def filled(p: AnyProgram) -> Filled:
    """The program, in which nothing is seen that was never written, or will not be in IMP.  It is
    well typed if it has a ``scratch``.
    """
    if isinstance(p, ImpProgram):
        return Filled(p, frozenset(e.name for e in p.entries))
    if not has_scratch(p):
        return Filled(p, NONE)
    if level_of(p) is Level.FUNMEM:
        return Filled(p, frozenset(e.name for e in p.entries if seen(e)))
    placed = as_tree(Pipeline.parse("allocate").run(p, verify=False))
    entries = zip(p.entries, map(seen, placed.entries), strict=True)
    return Filled(Program(tuple(_replicated(e, arrays) for e, arrays in entries)), NONE)


def has_scratch(p: AnyProgram) -> bool:
    """Whether a FUN or FUNMEM program makes arrays whose elements have no value yet."""
    return not isinstance(p, ImpProgram) and any(map(_has_scratch, p.entries))


def _has_scratch(e: Entry[Ann]) -> bool:
    return any(isinstance(s.exp, Scratch) for s in walk(e.body))


def seen(e: Entry[Ann]) -> Names:
    """The arrays of a FUNMEM entry point that ``scratch`` makes, and of which elements may be seen
    that nobody has written.
    """
    if not _has_scratch(e):
        return NONE
    e = unshared(e)
    written = Written.of(Scene.of_entry(e))
    holes = uninitialised_in(e.body.stms, ())
    written.known.update({x: True for x in written.scene.types if x not in holes})
    with deep():
        open_ = [r.array for r in readings(e, written) if not written.whole(r.array)]
    return _scratches(open_, written)


def _scratches(arrays: Iterable[Name], written: Written) -> Names:
    """The arrays made by ``scratch`` that some arrays may have elements of."""
    open_, met, found = list(arrays), set[Name](), set[Name]()
    while open_:
        x = open_.pop()
        if x in met:
            continue
        met.add(x)
        s = written.scene.made_by.get(x)
        if s is None:
            open_ += _names(written.nexts.get(x, ()))
        elif isinstance(s.exp, Scratch):
            found.add(x)
        else:
            open_ += [y for y in _sources(s) if written.scene.is_array(Var(y))]
    return frozenset(found)


def _sources(s: Stm[Ann]) -> Iterable[Name]:
    """What the results of a statement are made of, arrays among other names."""
    match s.exp:
        case If() | Loop() | Kernel():
            inner = [a for b in sub_bodies(s.exp) for a in b.result]
            return (*_names(inner), *_begin(s))
        case e:
            return free_in_exp(e)


def _begin(s: Stm[Ann]) -> Iterable[Name]:
    """What loops and collectives begin with."""
    match s.exp:
        case Loop(params):
            return _names(p.init for p in params)
        case Kernel(_, Reduce(_, ne) | Scan(_, ne)):
            return _names(ne)
        case Kernel(_, Hist(dest, _, ne)):
            return (*dest, *_names(ne))
        case _:
            return ()


def _names(atoms: Iterable[Atom]) -> tuple[Name, ...]:
    return tuple(a.name for a in atoms if isinstance(a, Var))


def _replicated(e: Entry[Ann], arrays: Names) -> Entry[Ann]:
    """The FUN entry point, where some arrays begin as zeros."""

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
    """The entry point, whose blocks are zeros when they are allocated."""
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
            case _:
                return (s,)

    return evolve(e, body=inside(e.body, kernel=False))
