"""Draw index functions: a block as a grid of elements, with an array's elements marked.

Sizes are small numbers.  An array inside a kernel is drawn for the first threads, an array inside a
loop for the first iteration.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product as indices

from funmem.explain.markup import code, tag, text
from funmem.explain.report import EntryReport, OwnedArray
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Bin,
    Call,
    Compound,
    Const,
    Convert,
    DerivedArray,
    Entry,
    Exp,
    For,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    RaggedKernel,
    Scalar,
    Stm,
    Un,
    Var,
)
from funmem.ir.lmad import Lmad
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import (
    I64,
    OperatorTrap,
    ScalarType,
    Value,
    bin_fn,
    bin_result,
    un_fn,
    un_result,
)
from funmem.ir.sizes import Size
from funmem.ir.traverse import atom_size, walk

SMALL = (4, 3, 5, 2, 6)
"""The values of sizes, in turn."""

OTHER = 2
"""The value of a scalar that is not known."""

MOST_CELLS, MOST_THREADS, MOST_DRAWN, CELL = 240, 3, 8, 26


@frozen
class Scene:
    """Small values of all scalars; for each kernel index its number of threads."""

    values: Mapping[Name, int]
    threads: Mapping[Name, int]


def scene(e: Entry[Ann]) -> Scene:
    """Choose small sizes, compute scalars from them, and give loop variables their first values."""
    values: dict[Name, int] = {}
    threads: dict[Name, int] = {}
    small = iter(SMALL * 20)
    for b in e.implicit:
        if b.type is I64:
            values[b.name] = next(small, OTHER)
    for p in e.params:
        if p.binder.type is I64:
            values[p.binder.name] = next(small, OTHER)
    for s in walk(e.body):
        match s.exp:
            case Kernel(dims):
                for d in dims:
                    threads[d.index] = max(0, _size(d.size, values))
                    values[d.index] = 0
            case Loop(params, form, _):
                for q in params:
                    if q.binder.type is I64:
                        values[q.binder.name] = _size(atom_size(q.init), values)
                if isinstance(form, For):
                    values[form.index] = 0
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
                _let(s, values)
            case If() | Assert() | Alloc() | Opaque():
                _let(s, values)
            case RaggedKernel():
                _let(s, values)
    return Scene(values, threads)


def _let(s: Stm[Ann], values: dict[Name, int]) -> None:
    """Record the values of the i64 scalars that a statement defines."""
    for b in s.pat:
        if b.type is I64:
            value = _scalar(s.exp, values)
            values[b.name] = OTHER if value is None else value


def _scalar(e: Exp[Ann], values: Mapping[Name, int]) -> int | None:
    match e:
        case Const(int() as k):
            return k
        case Var(x):
            return values.get(x)
        case Convert(_, a):
            return _scalar(a, values)
        case Un(op, a) if un_result(op, I64) is I64:
            v = _scalar(a, values)
            return None if v is None else _applied(un_fn(op, I64), v)
        case Bin(op, a, b) if bin_result(op, I64) is I64:
            v, w = _scalar(a, values), _scalar(b, values)
            if v is None or w is None:
                return None
            return _applied(bin_fn(op, I64), v, w)
        case Const() | Un() | Bin() | Call() | Index() | Assert() | Alloc():
            return None
        case DerivedArray() | FreshArray() | InPlace() | Compound():
            return None


def _applied(f: Callable[..., Value], *args: int) -> int | None:
    """Return an operator's result; None if it traps."""
    try:
        return int(f(*args))
    except OperatorTrap:
        return None


def _size(d: Size, values: Mapping[Name, int]) -> int:
    return d.eval(lambda x: values.get(x, OTHER))


# ---------------------------------------------------------------------- blocks


def drawings(r: EntryReport) -> str:
    """Return the drawings of an entry point's blocks, each in a part that is closed at first."""
    if r.tree is None:
        return ""
    s = scene(r.tree)
    sizes = {t.pat[0].name: t.exp.size for t in walk(r.tree.body) if isinstance(t.exp, Alloc)}
    parts = [_block(b.name, sizes.get(b.name), r.arrays.get(b.name, ()), s) for b in r.plan.blocks]
    return "".join(parts)


def _block(x: Name, size: Size | None, arrays: Sequence[OwnedArray], s: Scene) -> str:
    groups = _grouped(arrays)
    drawn = [_array(size, group, s) for group in groups[:MOST_DRAWN]]
    if not drawn:
        return ""
    if len(groups) > MOST_DRAWN:
        drawn.append(tag("p", f"and {len(groups) - MOST_DRAWN} more index functions"))
    many = f"{len(groups)} index function{'s' if len(groups) > 1 else ''}"
    return tag("details", tag("summary", code(x), " ", text(many)), *drawn)


def _grouped(arrays: Sequence[OwnedArray]) -> list[list[OwnedArray]]:
    """Group arrays by index function and element type."""
    groups: dict[tuple[Lmad, ScalarType], list[OwnedArray]] = {}
    for a in arrays:
        groups.setdefault((a.home.ix, a.elem), []).append(a)
    return list(groups.values())


def _array(size: Size | None, group: Sequence[OwnedArray], s: Scene) -> str:
    """Draw one index function: its text, the arrays that have it, its elements in the block."""
    first = group[0]
    ix, elem = first.home.ix, first.elem
    names = ", ".join(dict.fromkeys(a.name for a in group))
    used = sorted(_names(ix) | (size.free() if size is not None else frozenset()))
    given = ", ".join(f"{x} = {s.values.get(x, OTHER)}" for x in used if x not in s.threads)
    note = tag("span", text(f" drawn for {given}") if given else "", class_="small")
    head = tag("p", code(names), " ", code(f"-> {ix}"), text(f"  {elem}"), note)
    cells = list(_cells(ix, s))
    if size is not None:
        count = max(0, _size(size, s.values)) // elem.bytes
    else:
        count = max((c.at for c in cells), default=-1) + 1
    if not 0 < count <= MOST_CELLS or any(not 0 <= c.at < count for c in cells):
        why = "nothing to draw" if count <= 0 else "too large to draw"
        return head + tag("p", text(why), class_="small")
    colours = dict.fromkeys(
        tag("span", text(c.iteration), class_=f"key{c.thread}") for c in cells if c.iteration
    )
    key = tag("p", *colours, class_="legend") if colours else ""
    return head + _grid(cells, count, _columns(ix, count, s)) + key


@frozen
class _Cell:
    """Element ``at`` of a block, which is element ``index`` of the array of thread ``thread``;
    ``iteration``: the values of the thread's kernel indices, as text.
    """

    at: int
    index: tuple[int, ...]
    thread: int
    iteration: str


def _cells(ix: Lmad, s: Scene) -> Iterator[_Cell]:
    threads = sorted(_names(ix) & s.threads.keys(), key=list(s.threads).index)
    ranges = [range(s.threads[t]) for t in threads]
    for number, at in enumerate(indices(*ranges)):
        if number >= MOST_THREADS:
            return
        values = {**s.values, **dict(zip(threads, at, strict=True))}
        offset = _size(ix.offset, values)
        shape = [max(0, _size(d.len, values)) for d in ix.dims]
        strides = [_size(d.stride, values) for d in ix.dims]
        iteration = ", ".join(f"{t} = {v}" for t, v in zip(threads, at, strict=True))
        for k, index in enumerate(indices(*map(range, shape))):
            if k > MOST_CELLS:
                break
            place = offset + sum(i * stride for i, stride in zip(index, strides, strict=True))
            yield _Cell(place, index, number, iteration)


def _columns(ix: Lmad, count: int, s: Scene) -> int:
    """Return the number of elements in a row of the drawing: a stride, if one fits."""
    strides = {abs(_size(d.stride, s.values)) for d in ix.dims}
    fitting = [k for k in strides if 1 < k <= 20]
    return min(count, max(fitting) if fitting else 16)


def _grid(cells: Sequence[_Cell], count: int, wide: int) -> str:
    rows = -(-count // wide)
    owner = {c.at: c for c in cells}
    drawn = []
    for at in range(count):
        x, y = at % wide * CELL, at // wide * CELL
        c = owner.get(at)
        label = "" if c is None else ",".join(map(str, c.index))
        what = f"element {at}" if c is None else f"element {at}: [{', '.join(map(str, c.index))}]"
        where = f" where {c.iteration}" if c is not None and c.iteration else ""
        title = tag("title", text(what + where))
        class_ = "cell" if c is None else f"cell thread{c.thread}"
        corner = {"x": x + 1, "y": y + 1, "rx": 3}
        drawn.append(tag("rect", title, width=CELL - 2, height=CELL - 2, class_=class_, **corner))
        if label:
            middle = {"x": x + CELL / 2, "y": y + CELL / 2 + 3.5}
            drawn.append(tag("text", text(label), **middle, class_="tiny middle"))
    width, height = wide * CELL, rows * CELL
    box = f"0 0 {width} {height}"
    label = "The elements of a block"
    return tag("svg", *drawn, viewBox=box, width=width, height=height, role="img", aria_label=label)


def _names(ix: Lmad) -> frozenset[Name]:
    return ix.offset.free().union(*(d.len.free() | d.stride.free() for d in ix.dims))
