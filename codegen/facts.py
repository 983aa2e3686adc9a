"""What is needed to know about IMP statements before they are split between host and device."""

from collections import Counter
from collections.abc import Iterable

from funmem.codegen.exprs import Ranges
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    Check,
    CopyElement,
    Declare,
    Holds,
    ImpDim,
    ImpEntry,
    ImpStm,
    KernelStm,
    Read,
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
        uses=frozenset().union(*map(own_uses, every)),
        assigns=frozenset(x for s in every for x in own_assigns(s)),
        declares=frozenset(s.x for s in every if isinstance(s, Declare)),
        has_kernel=any(isinstance(s, KernelStm) for s in every),
        has_alloc=any(isinstance(s, Allocate) for s in every),
        reads_memory=any(isinstance(s, Read | CopyElement) for s in every),
        writes_memory=any(isinstance(s, Write | CopyElement) for s in every),
    )


def inside(known: Ranges, dims: Iterable[ImpDim], body: Block) -> Ranges:
    """What is known of variables in the body of a loop or kernel, where there is an iteration."""
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
                    found[x] = (min(0, r[0]), max(0, r[1]))  # declared, it is zero at first
            case _:
                pass
    return found


def _range(e: ScalarExp, known: Ranges) -> tuple[int, int] | None:
    """The least and the greatest value of an expression of i64, as far as that is known."""
    match e:
        case Const(int(v), ScalarType.I64):
            return v, v
        case Var(x):
            return known.get(x)
        case Bin(BinOp.MAX | BinOp.MIN as op, a, b):
            ranges = [r for r in (_range(a, known), _range(b, known)) if r is not None]
            if not ranges:
                return None  # of any type
            if len(ranges) == 1:
                ranges.append((I64.min, I64.max))
            (low, high), pick = zip(*ranges, strict=True), max if op is BinOp.MAX else min
            return pick(low), pick(high)
        case _:
            return None


def written_blocks(e: ImpEntry) -> frozenset[Name]:
    """The block variables whose block an entry point may write, through any name."""
    written: set[Name] = set()
    links: dict[Name, set[Name]] = {}
    for s in nested(e.body):
        match s:
            case Write(block):
                written.add(block)
            case CopyElement(dst):
                written.add(dst)
            case Assign(x, Var(y)):
                links.setdefault(x, set()).add(y)
                links.setdefault(y, set()).add(x)
            case _:
                pass
    todo = list(written)
    while todo:
        for y in links.get(todo.pop(), ()):
            if y not in written:
                written.add(y)
                todo.append(y)
    return frozenset(written)


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
