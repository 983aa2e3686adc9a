"""Analyses of IMP statements that splitting and printing use: effects, ranges, written blocks."""

from collections import Counter
from collections.abc import Iterable

from funmem.codegen.exprs import Ranges
from funmem.ir.fun import Bin, Const, Convert, Linkage, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    Holds,
    IfStm,
    ImpDim,
    ImpEntry,
    ImpFunction,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import nested, own_assigns, own_uses, variable_types
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import F64, I64, BinOp, ScalarType
from funmem.ir.sizes import Size

# ---------------------------------------------------------------------- facts


@frozen
class Facts:
    """The effects of statements, including nested ones."""

    uses: frozenset[Name]
    assigns: frozenset[Name]
    declares: frozenset[Name]
    has_kernel: bool
    """They launch kernels, the program's own or foreign code on arrays."""
    has_alloc: bool
    has_call: bool
    """They call functions of the program."""
    has_foreign: bool
    """They call foreign functions."""
    reads_memory: bool
    writes_memory: bool

    @property
    def is_for_device(self) -> bool:
        """True if the statements touch memory or call functions, which the host does not have."""
        return self.reads_memory or self.writes_memory or self.has_call


def facts(*block: ImpStm) -> Facts:
    """Return the facts of a sequence of statements."""
    every = tuple(nested(block))
    return Facts(
        uses=frozenset().union(*map(own_uses, every)),
        assigns=frozenset(x for s in every for x in own_assigns(s)),
        declares=frozenset(s.x for s in every if isinstance(s, Declare)),
        has_kernel=any(isinstance(s, KernelStm | OpaqueStm) for s in every),
        has_alloc=any(isinstance(s, Allocate) for s in every),
        has_call=any(isinstance(s, CallStm) and s.linkage is Linkage.OWN for s in every),
        has_foreign=any(isinstance(s, CallStm) and s.linkage is not Linkage.OWN for s in every),
        reads_memory=any(isinstance(s, Read | CopyElement | OpaqueStm) for s in every),
        writes_memory=any(isinstance(s, Write | CopyElement | OpaqueStm) for s in every),
    )


def inside(known: Ranges, dims: Iterable[ImpDim], body: Block) -> Ranges:
    """Return the ranges that hold in the body of a loop or kernel.

    ``known``: the ranges around it.  Inside, every bound is at least 1, since an iteration runs.
    """
    f = facts(*body)
    indices = {d.index: (0, I64.max - 1) for d in dims}
    bounds = {x: (1, I64.max) for d in dims if (x := d.bound.as_name) is not None}
    found = {x: r for x, r in {**known, **bounds, **indices}.items() if x not in f.assigns}
    every = tuple(nested(body))
    often = Counter(x for s in every for x in own_assigns(s))
    for s in every:
        match s:
            case Assign(x, value) if x in f.declares and often[x] == 1:
                if (r := _range(value, found)) is not None:
                    found[x] = (min(0, r[0]), max(0, r[1]))  # 0: its value at the declaration
            case _:
                pass
    return found


def given(known: Ranges, cond: ScalarExp, body: Block) -> Ranges:
    """Return the ranges that hold in the branch that runs if a condition holds.

    Before -> after, for ``0 <= a && a <= b``: both a and b are in 0 … 2^63 - 1, so ``b - a`` fits.
    A comparison tells about a variable if the range of the other side is known, which also says
    that both are i64.  Variables that the branch assigns keep the range they had.
    """
    changed = facts(*body).assigns
    found = dict(known)
    parts = _conjuncts(cond)
    for c in parts * 2:  # twice: a comparison may tell something about those before it
        match c:
            case Bin(BinOp.LE | BinOp.LT as op, a, b):
                left, right = _range(a, found), _range(b, found)
                strict = op is BinOp.LT
                if isinstance(a, Var) and right is not None and a.name not in changed:
                    low, high = left or (I64.min, I64.max)
                    found[a.name] = (low, min(high, right[1] - strict))
                if isinstance(b, Var) and left is not None and b.name not in changed:
                    low, high = right or (I64.min, I64.max)
                    found[b.name] = (max(low, left[0] + strict), high)
            case _:
                pass
    return found


def _conjuncts(e: ScalarExp) -> tuple[ScalarExp, ...]:
    match e:
        case Bin(BinOp.LAND, a, b):
            return (*_conjuncts(a), *_conjuncts(b))
        case _:
            return (e,)


def _range(e: ScalarExp, known: Ranges) -> tuple[int, int] | None:
    """Return the least and the greatest value of an i64 expression; None if unknown."""
    match e:
        case Const(int(v), ScalarType.I64):
            return v, v
        case Var(x):
            return known.get(x)
        case Bin(BinOp.MAX | BinOp.MIN as op, a, b):
            ranges = [r for r in (_range(a, known), _range(b, known)) if r is not None]
            if not ranges:
                return None  # the type may be another than i64
            if len(ranges) == 1:
                ranges.append((I64.min, I64.max))
            (low, high), pick = zip(*ranges, strict=True), max if op is BinOp.MAX else min
            return pick(low), pick(high)
        case Const() | Bin() | Un() | Convert():
            return None


def written_blocks(e: ImpEntry) -> frozenset[Name]:
    """Return the block variables whose block an entry point may write, directly or by an alias."""
    written: set[Name] = set()
    links: dict[Name, set[Name]] = {}
    for s in nested(e.body):
        match s:
            case Write(block):
                written.add(block)
            case CopyElement(dst):
                written.add(dst)
            case OpaqueStm(results):
                written.update(p.block for p in results)
            case Assign(x, Var(y)):
                links.setdefault(x, set()).add(y)
                links.setdefault(y, set()).add(x)
            case Assign() | Declare() | Allocate() | Read() | CallStm() | Check():
                pass
            case IfStm() | ForStm() | WhileStm() | KernelStm():
                pass
    todo = list(written)
    while todo:
        for y in links.get(todo.pop(), ()):
            if y not in written:
                written.add(y)
                todo.append(y)
    return frozenset(written)


def uses_f64(entry: ImpEntry | ImpFunction) -> bool:
    """True if an entry point or function computes with doubles or moves them."""
    every = tuple(nested(entry.body))
    return (
        F64 in variable_types(entry).values()
        or any(p.elem is F64 for p in entry.params + entry.results if isinstance(p, ArrayPort))
        or any(s.elem is F64 for s in every if isinstance(s, Read | Write | CopyElement))
        or any(
            F64 in {p.elem for p in (*s.results, *s.arrays)}
            for s in every
            if isinstance(s, OpaqueStm)
        )
        or any(_mentions_f64(e) for s in every for e in _expressions(s))
    )


def _expressions(s: ImpStm) -> tuple[ScalarExp, ...]:
    match s:
        case Assign(_, value) | Write(_, _, value) | Check(Holds(value)):
            return (value,)
        case CallStm(_, _, args):
            return args
        case OpaqueStm():
            return tuple(a for a in s.args if not isinstance(a, ArrayPort))
        case Check() | Declare() | Allocate() | Read() | CopyElement():
            return ()
        case IfStm() | ForStm() | WhileStm() | KernelStm():  # the condition is a bool
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
    """Return the sizes of a kernel's dimensions."""
    return tuple(d.bound for d in dims)
