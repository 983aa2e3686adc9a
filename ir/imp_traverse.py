"""Traversals of IMP: what statements contain, use and assign; substitution.

The counterpart of :mod:`funmem.ir.traverse` for FUN.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.fun import Atom, Bin, Const, Convert, Linkage, MemType, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    Condition,
    CopyElement,
    Declare,
    ForStm,
    Holds,
    IfStm,
    ImpDim,
    ImpEntry,
    ImpFunction,
    ImpStm,
    Injective,
    InRange,
    KernelStm,
    NonNegative,
    OpaqueStm,
    RangeInside,
    Read,
    ScalarPort,
    Shown,
    SizesEqual,
    WhileStm,
    Write,
)
from funmem.ir.lmad import Dim
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import ONE, Size, var

# ---------------------------------------------------------------------- operands


def exp_names(e: ScalarExp) -> frozenset[Name]:
    """Return the variables of a scalar expression."""
    match e:
        case Const():
            return frozenset()
        case Var(x):
            return frozenset((x,))
        case Bin(_, a, b):
            return exp_names(a) | exp_names(b)
        case Un(_, a) | Convert(_, a):
            return exp_names(a)


def condition_sizes(c: Condition) -> tuple[Size, ...]:
    """Return the sizes that a condition compares; for a range, also its last element."""
    match c:
        case InRange(i, n):
            return (i, n)
        case RangeInside(start, length, stride, n):
            return (length, start, start + (length - ONE) * stride, n)
        case Injective(dims):
            return (*(d.len for d in dims), *(d.stride for d in dims))
        case NonNegative(d):
            return (d,)
        case SizesEqual(a, b):
            return (a, b)
        case Holds():
            return ()


def sizes_names(sizes: Iterable[Size]) -> frozenset[Name]:
    """Return the variables of sizes."""
    return frozenset().union(*(s.free() for s in sizes))


def argument_names(args: Iterable[Size | Shown]) -> frozenset[Name]:
    """Return the variables in the arguments of a message."""
    return frozenset().union(*(_arg_names(a) for a in args))


def _arg_names(a: Size | Shown) -> frozenset[Name]:
    return frozenset((a.x,)) if isinstance(a, Shown) else a.free()


NESTS = frozenset({IfStm, ForStm, WhileStm, KernelStm})
"""The classes of statements that contain statements."""


def children(s: ImpStm) -> tuple[Block, ...]:
    """Return the blocks of statements directly inside a statement."""
    match s:
        case IfStm(_, then, orelse):
            return (then, orelse)
        case ForStm(_, _, body) | WhileStm(_, body) | KernelStm(_, body):
            return (body,)
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return ()
        case CallStm() | OpaqueStm() | Check():
            return ()


def map_children(s: ImpStm, f: Callable[[Block], Block]) -> ImpStm:
    """Return a statement with ``f`` of each block of statements directly inside it."""
    match s:
        case IfStm(_, then, orelse):
            return evolve(s, then=f(then), orelse=f(orelse))
        case ForStm(_, _, body) | WhileStm(_, body) | KernelStm(_, body):
            return evolve(s, body=f(body))
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return s
        case CallStm() | OpaqueStm() | Check():
            return s


def is_partial(f: ImpFunction) -> bool:
    """True if a function may trap or not terminate."""
    return any(isinstance(s, WhileStm) or may_end(s) for s in nested(f.body))


def may_end(s: ImpStm) -> bool:
    """True for a statement that may end the iteration: a check, a call of a partial function.

    A foreign function does not report that it failed.
    """
    return isinstance(s, Check) or (
        isinstance(s, CallStm) and s.partial and s.linkage is Linkage.OWN
    )


def apart(f: ImpFunction, new: Callable[[Name], Name]) -> ImpFunction:
    """Return a function with ``new(x)`` for each variable x."""
    image = {x: var(new(x)) for x in (*(p.x for p in f.params), *bound_names(f.body))}

    def port(p: ScalarPort) -> ScalarPort:
        return evolve(p, x=_name(p.x, image))

    return evolve(
        f,
        params=tuple(map(port, f.params)),
        body=subst(f.body, image),
        results=tuple(map(port, f.results)),
    )


def nested(block: Block) -> Iterator[ImpStm]:
    """Yield all statements of a block at any depth, in textual order."""
    open_ = [iter(block)]
    while open_:
        for s in open_[-1]:
            yield s
            if s.__class__ in NESTS:
                open_.append(chain.from_iterable(children(s)))
                break
        else:
            open_.pop()


def own_uses(s: ImpStm) -> frozenset[Name]:
    """Return the variables that a statement uses, without those used only inside its blocks."""
    match s:
        case Declare():
            return frozenset()
        case Assign(_, value):
            return exp_names(value)
        case Allocate(_, size):
            return size.free()
        case Read(_, block, index):
            return index.free() | {block}
        case Write(block, index, value):
            return index.free() | exp_names(value) | {block}
        case CopyElement(dst, di, src, si):
            return di.free() | si.free() | {dst, src}
        case IfStm(cond):
            return _atom_names(cond)
        case ForStm(_, bound):
            return bound.free()
        case WhileStm(cond):
            return frozenset((cond,))
        case KernelStm(dims):
            return sizes_names(d.bound for d in dims)
        case CallStm(_, _, args):
            return frozenset[Name]().union(*map(exp_names, args))
        case OpaqueStm(_, _, args, grid):
            scalars = frozenset[Name]().union(
                *(_atom_names(a) for a in args if not isinstance(a, ArrayPort))
            )
            lens = sizes_names(d for p in (*s.results, *s.arrays) for d in p.shape)
            return scalars | lens | sizes_names(grid) | frozenset(own_blocks(s))
        case Check(cond, _, _, args):
            holds = exp_names(cond.cond) if isinstance(cond, Holds) else frozenset()
            stride = cond.stride.free() if isinstance(cond, RangeInside) else frozenset()
            return holds | stride | sizes_names(condition_sizes(cond)) | argument_names(args)


def _atom_names(a: Atom) -> frozenset[Name]:
    return frozenset((a.name,)) if isinstance(a, Var) else frozenset()


def own_assigns(s: ImpStm) -> tuple[Name, ...]:
    """Return the variables that a statement assigns itself, without loop indices."""
    match s:
        case Assign(x) | Allocate(x) | Read(x):
            return (x,)
        case CallStm(results):
            return results
        case Declare() | Write() | CopyElement() | OpaqueStm() | Check():
            return ()
        case IfStm() | ForStm() | WhileStm() | KernelStm():
            return ()


def is_recurrence(body: Block) -> bool:
    """True if an innermost loop carries a scalar from iteration to iteration, and writes memory.

    A loop without writes is a reduction, which the C compiler may vectorise.
    """
    every = tuple(nested(body))
    if any(isinstance(s, ForStm | WhileStm | KernelStm) for s in every):
        return False
    known = {s.x for s in every if isinstance(s, Declare)}
    carried = {x for s in every for x in own_assigns(s)} - known
    before: set[Name] = set()  # variables that are used with the value of the iteration before
    for s in body:
        before.update(*(own_uses(t) - known for t in nested((s,))))
        known.update(own_assigns(s))
    return not carried.isdisjoint(before) and any(isinstance(s, Write | CopyElement) for s in every)


def own_blocks(s: ImpStm) -> tuple[Name, ...]:
    """Return the memory blocks of which a statement reads or writes an element itself."""
    match s:
        case OpaqueStm():
            return tuple(p.block for p in (*s.results, *s.arrays))
        case Read(_, block) | Write(block):
            return (block,)
        case CopyElement(dst, _, src):
            return (dst, src)
        case Declare() | Assign() | Allocate() | CallStm() | Check():
            return ()
        case IfStm() | ForStm() | WhileStm() | KernelStm():
            return ()


def own_indices(s: ImpStm) -> tuple[Size, ...]:
    """Return the positions in memory blocks that a statement reads or writes itself."""
    match s:
        case OpaqueStm():  # whole arrays
            return ()
        case Read(_, _, index) | Write(_, index):
            return (index,)
        case CopyElement(_, to, _, source):
            return (to, source)
        case Declare() | Assign() | Allocate() | CallStm() | Check():
            return ()
        case IfStm() | ForStm() | WhileStm() | KernelStm():
            return ()


def bound_names(block: Block) -> tuple[Name, ...]:
    """Return the variables that statements declare, including loop and kernel indices."""
    names: list[Name] = []
    for s in nested(block):
        match s:
            case Declare(x):
                names.append(x)
            case ForStm(index):
                names.append(index)
            case KernelStm(dims):
                names += (d.index for d in dims)
            case Assign() | Allocate() | Read() | Write() | CopyElement() | CallStm() | Check():
                pass
            case IfStm() | WhileStm() | OpaqueStm():
                pass
    return tuple(names)


# ---------------------------------------------------------------------- substitution

Image = Mapping[Name, Size]
"""A substitution; a name that is assigned or declared must be replaced by a name."""


def subst_exp(e: ScalarExp, image: Image) -> ScalarExp:
    """Return an expression with names replaced; a size becomes an expression that computes it."""
    match e:
        case Const():
            return e
        case Var(x):
            return e if x not in image else size_exp(image[x])
        case Bin(op, a, b):
            return Bin(op, subst_exp(a, image), subst_exp(b, image))
        case Un(op, a):
            return Un(op, subst_exp(a, image))
        case Convert(to, a):
            return Convert(to, subst_exp(a, image))


def subst(block: Block, image: Image) -> Block:
    """Return statements with names replaced, also where they are declared and assigned."""
    return tuple(_subst(s, image) for s in block)


def _subst(s: ImpStm, image: Image) -> ImpStm:
    def name(x: Name) -> Name:
        return _name(x, image)

    match s:
        case Declare(x):
            return evolve(s, x=name(x))
        case Assign(x, e):
            return evolve(s, x=name(x), value=subst_exp(e, image))
        case Allocate(x, size):
            return evolve(s, x=name(x), size=size.subst(image))
        case Read(x, block, index):
            return evolve(s, x=name(x), block=name(block), index=index.subst(image))
        case Write(block, index, e):
            return evolve(s, block=name(block), index=index.subst(image), value=subst_exp(e, image))
        case CopyElement(dst, di, src, si):
            return evolve(
                s,
                dst=name(dst),
                dst_index=di.subst(image),
                src=name(src),
                src_index=si.subst(image),
            )
        case IfStm(cond, then, orelse):
            return evolve(
                s,
                cond=_atom(cond, image),
                then=subst(then, image),
                orelse=subst(orelse, image),
            )
        case ForStm(index, bound, body):
            return evolve(s, index=name(index), bound=bound.subst(image), body=subst(body, image))
        case WhileStm(cond, body):
            return evolve(s, cond=name(cond), body=subst(body, image))
        case KernelStm(dims, body):
            new = tuple(ImpDim(name(d.index), d.bound.subst(image)) for d in dims)
            return evolve(s, dims=new, body=subst(body, image))
        case CallStm(results, _, args):
            return evolve(
                s,
                results=tuple(map(name, results)),
                args=tuple(subst_exp(a, image) for a in args),
            )
        case OpaqueStm(results, _, args, grid):
            return evolve(
                s,
                results=tuple(_whole(p, image) for p in results),
                args=tuple(
                    _whole(a, image) if isinstance(a, ArrayPort) else _atom(a, image) for a in args
                ),
                grid=tuple(d.subst(image) for d in grid),
            )
        case Check(cond, _, _, args):
            shown = tuple(
                Shown(name(a.x), a.type) if isinstance(a, Shown) else a.subst(image) for a in args
            )
            return evolve(s, cond=_condition(cond, image), args=shown)


def _whole(p: ArrayPort, image: Image) -> ArrayPort:
    return evolve(p, block=_name(p.block, image), shape=tuple(d.subst(image) for d in p.shape))


def _name(x: Name, image: Image) -> Name:
    if x not in image:
        return x
    new = image[x].as_name
    assert new is not None, f"{x} is assigned, but stands for {image[x]}"
    return new


def _atom(a: Atom, image: Image) -> Atom:
    return Var(_name(a.name, image)) if isinstance(a, Var) else a


def _condition(c: Condition, image: Image) -> Condition:
    match c:
        case InRange(i, n):
            return InRange(i.subst(image), n.subst(image))
        case RangeInside(start, length, stride, n):
            sizes = (start, length, stride, n)
            return RangeInside(*(d.subst(image) for d in sizes))
        case Injective(dims):
            return Injective(tuple(Dim(d.len.subst(image), d.stride.subst(image)) for d in dims))
        case NonNegative(d):
            return NonNegative(d.subst(image))
        case SizesEqual(x, y):
            return SizesEqual(x.subst(image), y.subst(image))
        case Holds(e):
            return Holds(subst_exp(e, image))


# ---------------------------------------------------------------------- types

VarType = ScalarType | MemType


def variable_types(entry: ImpEntry | ImpFunction) -> dict[Name, VarType]:
    """Return the type of every variable of an entry point or function.

    Names are unique, so one map serves the whole of it.  Raise SourceError (T-FRESH) if a name is
    declared with two types.
    """
    types: dict[Name, VarType] = {}

    def declare(x: Name, t: VarType, at: Span) -> None:
        if types.setdefault(x, t) != t:
            message = f"`{x}` is declared as {types[x]} and as {t}"
            raise SourceError(Diagnostic(at, "T-FRESH", message))

    for x in entry.sizes if isinstance(entry, ImpEntry) else ():
        declare(x, I64, entry.at)
    for port in entry.params:
        match port:
            case ScalarPort(x, t):
                declare(x, t, entry.at)
            case ArrayPort(x):
                declare(x, MemType(), entry.at)
    for s in nested(entry.body):
        match s:
            case Declare():
                declare(s.x, s.type, s.at)
            case ForStm(index):
                declare(index, I64, s.at)
            case KernelStm(dims):
                for dim in dims:
                    declare(dim.index, I64, s.at)
            case Assign() | Allocate() | Read() | Write() | CopyElement() | CallStm() | Check():
                pass
            case IfStm() | WhileStm() | OpaqueStm():
                pass
    return types


def type_of(types: dict[Name, VarType], x: Name, at: Span = NOWHERE) -> VarType:
    """Return the type of a variable.  Raise SourceError (T-SCOPE) if it is not declared."""
    if x not in types:
        raise SourceError(Diagnostic(at, "T-SCOPE", f"`{x}` is not declared"))
    return types[x]
