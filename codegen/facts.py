"""What is needed to know about IMP statements before they are split between host and device."""

from collections.abc import Iterable, Iterator

from attrs import frozen

from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.fun import Atom, Bin, Const, Convert, MemType, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    Check,
    Condition,
    CopyElement,
    Declare,
    ForStm,
    Holds,
    IfStm,
    ImpDim,
    ImpEntry,
    ImpStm,
    Injective,
    InRange,
    KernelStm,
    NonNegative,
    RangeInside,
    Read,
    ScalarPort,
    Shown,
    SizesEqual,
    WhileStm,
    Write,
)
from funmem.ir.names import Name
from funmem.ir.scalars import F64, I64, ScalarType
from funmem.ir.sizes import ONE, Size

VarType = ScalarType | MemType

# ---------------------------------------------------------------------- operands


def exp_names(e: ScalarExp) -> frozenset[Name]:
    """The variables of a scalar expression."""
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
    """The sizes that a condition compares; those of a range include its last element."""
    match c:
        case InRange(i, n):
            return (i, n)
        case RangeInside(start, length, stride, n):
            return (length, start, start + (length - ONE) * stride, n)
        case Injective(length, stride):
            return (length, stride)
        case NonNegative(d):
            return (d,)
        case SizesEqual(a, b):
            return (a, b)
        case Holds():
            return ()


def sizes_names(sizes: Iterable[Size]) -> frozenset[Name]:
    """The variables of some sizes."""
    return frozenset().union(*(s.free() for s in sizes))


def said_names(args: Iterable[Size | Shown]) -> frozenset[Name]:
    """The variables that a message shows."""
    return frozenset().union(*(_said(a) for a in args))


def _said(a: Size | Shown) -> frozenset[Name]:
    return frozenset((a.x,)) if isinstance(a, Shown) else a.free()


def children(s: ImpStm) -> tuple[Block, ...]:
    """The statement lists inside a statement."""
    match s:
        case IfStm(_, then, orelse):
            return (then, orelse)
        case ForStm(_, _, body) | WhileStm(_, body) | KernelStm(_, body):
            return (body,)
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement() | Check():
            return ()


def nested(block: Block) -> Iterator[ImpStm]:
    """All statements of a block, inner ones too, in textual order."""
    for s in block:
        yield s
        for inner in children(s):
            yield from nested(inner)


def _own_uses(s: ImpStm) -> frozenset[Name]:
    """The variables that a statement itself uses, without the statements inside it."""
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
        case Check(cond, _, _, args):
            holds = exp_names(cond.cond) if isinstance(cond, Holds) else frozenset()
            return holds | sizes_names(condition_sizes(cond)) | said_names(args)


def _atom_names(a: Atom) -> frozenset[Name]:
    return frozenset((a.name,)) if isinstance(a, Var) else frozenset()


def _own_assigns(s: ImpStm) -> tuple[Name, ...]:
    """The variables that a statement itself gives a value, but for loop indices."""
    match s:
        case Assign(x) | Allocate(x) | Read(x):
            return (x,)
        case _:
            return ()


# ---------------------------------------------------------------------- facts


@frozen
class Facts:
    """What happens in a statement or in those inside it."""

    uses: frozenset[Name]
    assigns: frozenset[Name]
    declares: frozenset[Name]
    has_kernel: bool
    has_alloc: bool
    reads_memory: bool
    writes_memory: bool

    @property
    def touches_memory(self) -> bool:
        return self.reads_memory or self.writes_memory


def facts(*block: ImpStm) -> Facts:
    """The facts of a sequence of statements."""
    every = tuple(nested(block))
    return Facts(
        uses=frozenset().union(*map(_own_uses, every)),
        assigns=frozenset(x for s in every for x in _own_assigns(s)),
        declares=frozenset(s.x for s in every if isinstance(s, Declare)),
        has_kernel=any(isinstance(s, KernelStm) for s in every),
        has_alloc=any(isinstance(s, Allocate) for s in every),
        reads_memory=any(isinstance(s, Read | CopyElement) for s in every),
        writes_memory=any(isinstance(s, Write | CopyElement) for s in every),
    )


# ---------------------------------------------------------------------- types


def variable_types(entry: ImpEntry) -> dict[Name, VarType]:
    """The type of every variable of an entry point.

    Names identify their binders, so one map serves the whole entry point.  Raises SourceError
    (T-FRESH) if a name is declared at two types.
    """
    types: dict[Name, VarType] = {}

    def declare(x: Name, t: VarType, at: Span) -> None:
        if types.setdefault(x, t) != t:
            message = f"`{x}` is declared as {types[x]} and as {t}"
            raise SourceError(Diagnostic(at, "T-FRESH", message))

    for x in entry.sizes:
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
            case _:
                pass
    return types


def type_of(types: dict[Name, VarType], x: Name, at: Span = NOWHERE) -> VarType:
    """The type of a variable.  Raises SourceError (T-SCOPE) if nothing declares it."""
    if x not in types:
        raise SourceError(Diagnostic(at, "T-SCOPE", f"`{x}` is not declared"))
    return types[x]


def uses_f64(entry: ImpEntry) -> bool:
    """Whether an entry point computes with doubles or moves them."""
    every = tuple(nested(entry.body))
    return (
        F64 in variable_types(entry).values()
        or any(p.elem is F64 for p in entry.params + entry.results if isinstance(p, ArrayPort))
        or any(s.elem is F64 for s in every if isinstance(s, Read | Write | CopyElement))
        or any(_mentions_f64(e) for s in every for e in _expressions(s))
    )


def _expressions(s: ImpStm) -> tuple[ScalarExp, ...]:
    match s:
        case Assign(_, value) | Write(_, _, value) | Check(Holds(value)):
            return (value,)
        case _:
            return ()


def _mentions_f64(e: ScalarExp) -> bool:
    match e:
        case Const(_, t):
            return t is F64
        case Var():
            return False
        case Bin(_, a, b):
            return _mentions_f64(a) or _mentions_f64(b)
        case Un(_, a):
            return _mentions_f64(a)
        case Convert(to, a):
            return to is F64 or _mentions_f64(a)


def kernel_bounds(dims: tuple[ImpDim, ...]) -> tuple[Size, ...]:
    """The sizes of a kernel's dimensions."""
    return tuple(d.bound for d in dims)
