"""The type rules of FUN for expressions that bind one name and contain no body (fig. 3).

    Γ ⊢ let p = e      e a scalar, an element, a derived or a fresh array, a block

Each rule computes the type of the expression and requires that the binder has that type.
"""

from collections.abc import Sequence
from typing import TypeAlias

from funmem.ir.check.context import Gamma
from funmem.ir.check.rules import many, require
from funmem.ir.check.scalar import array, atom, lengths, scalar, sizes, well_formed
from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Concat,
    Const,
    Convert,
    Copy,
    FlatSlice,
    Index,
    Iota,
    MemType,
    Permute,
    Replicate,
    Reshape,
    Reverse,
    Scatter,
    Scratch,
    Slice,
    Type,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, Lmad, SliceDim
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import ZERO, Size, const

Simple: TypeAlias = (
    Const
    | Var
    | Bin
    | Un
    | Convert
    | Index
    | Slice
    | Permute
    | Reshape
    | Reverse
    | FlatSlice
    | Iota
    | Replicate
    | ArrayLit
    | Copy
    | Concat
    | Scratch
    | Update
    | Scatter
    | Alloc
)
"""The expressions without a body that bind one name."""

MOST_OF_ANY_SIGN = 8
"""Cap on the number of non-constant strides of a flat slice.

Each doubles the number of corners that are checked (passes/lower/traps.py).
"""
ARITY = "{} for {} : {}"
NO_DIM = "{} : {} has no dimension {}"
TYPE = "{} is bound with type {}, the expression has type {}"


def simple(g: Gamma, p: Binder[Ann], e: Simple, at: Span) -> None:
    """Γ ⊢ let p = e (fig. 3 and extensions)."""
    match e:
        case Const() | Var() | Bin() | Un() | Convert():  # T-SCALAR
            s = scalar(g, e, at)
            require(p.type is s, at, "T-SCALAR", TYPE, p.name, p.type, s)
        case Index(x, index):  # T-INDEX
            src = array(g, x, at)
            require(len(index) == src.rank, at, "T-INDEX", ARITY, many(len(index), "index"), x, src)
            sizes(g, index, at)
            require(p.type is src.elem, at, "T-INDEX", TYPE, p.name, p.type, src.elem)
        case Slice(x, dims):  # T-SLICE
            src = array(g, x, at)
            shape = ranges(g, x, src, dims, at)
            want = ArrayType(src.elem, shape)
            require(p.type == want, at, "T-SLICE", TYPE, p.name, p.type, want)
        case Permute(perm, x):  # T-PERMUTE (T-TRANSPOSE)
            src = array(g, x, at)
            require(
                sorted(perm) == list(range(src.rank)),
                at,
                "T-PERMUTE",
                "{} is not a permutation of the dimensions 0 to {} of {} : {}",
                perm,
                src.rank - 1,
                x,
                src,
            )
            want = ArrayType(src.elem, tuple(src.shape[k] for k in perm))
            require(p.type == want, at, "T-PERMUTE", TYPE, p.name, p.type, want)
        case Reshape(shape, x):  # T-RESHAPE
            src = array(g, x, at)
            lengths(g, shape, at)
            want = ArrayType(src.elem, shape)
            require(p.type == want, at, "T-RESHAPE", TYPE, p.name, p.type, want)
        case Reverse(k, x):  # T-REVERSE
            src = array(g, x, at)
            require(0 <= k < src.rank, at, "T-REVERSE", NO_DIM, x, src, k)
            require(p.type == src, at, "T-REVERSE", TYPE, p.name, p.type, src)
        case FlatSlice(x, offset, lmad):  # T-FLAT
            src = array(g, x, at)
            want = ArrayType(src.elem, flat(g, x, src, Lmad(offset, lmad), at))
            well_formed(g, want, at)
            require(p.type == want, at, "T-FLAT", TYPE, p.name, p.type, want)
        case Iota():  # T-IOTA
            iota(g, p, e, at)
        case Replicate(shape, value):  # T-REPLICATE
            lengths(g, shape, at)
            t = atom(g, value, at)
            require(not isinstance(t, MemType), at, "T-REPLICATE", "{} is a block", _text(value))
            whole = repeated(shape, t)
            require(p.type == whole, at, "T-REPLICATE", TYPE, p.name, p.type, whole)
        case ArrayLit():  # T-LITERAL
            literal(g, p, e, at)
        case Copy(x):  # T-COPY
            src = array(g, x, at)
            require(p.type == src, at, "T-COPY", TYPE, p.name, p.type, src)
        case Concat():  # T-CONCAT
            concat(g, p, e, at)
        case Scratch(shape, elem):  # T-SCRATCH
            lengths(g, shape, at)
            want = ArrayType(elem, shape)
            require(p.type == want, at, "T-SCRATCH", TYPE, p.name, p.type, want)
        case Update():  # T-UPDATE
            update(g, p, e, at)
        case Scatter():  # T-SCATTER
            scatter(g, p, e, at)
        case Alloc(d, space):  # T-ALLOC (T-MEM-ALLOC)
            sizes(g, (d,), at)
            require(p.type == MemType(space), at, "T-ALLOC", TYPE, p.name, p.type, MemType(space))


# ---------------------------------------------------------------------- slices


def ranges(g: Gamma, x: Name, t: ArrayType, dims: Sequence[SliceDim], at: Span) -> tuple[Size, ...]:
    """Γ ⊢ x[d, …] : the lengths of the ranges (T-DIMS)."""
    require(len(dims) == t.rank, at, "T-DIMS", ARITY, many(len(dims), "index"), x, t)
    shape: list[Size] = []
    for d in dims:
        match d:
            case DimFix(i):
                sizes(g, (i,), at)
            case DimRange(start, length, stride):
                sizes(g, (start, stride), at)
                lengths(g, (length,), at)
                shape.append(length)
    return tuple(shape)


def flat(g: Gamma, x: Name, t: ArrayType, ix: Lmad, at: Span) -> tuple[Size, ...]:
    """Γ ⊢ flat x[L] : the lengths of L's dimensions (T-LMAD)."""
    require(
        t.rank == 1,
        at,
        "T-LMAD",
        "{} has type {}, not one dimension",
        x,
        t,
        hint="reshape the array to one dimension first",
    )
    of_any_sign = sum(stride.as_const is None for stride in ix.strides)
    require(
        of_any_sign <= MOST_OF_ANY_SIGN,
        at,
        "T-LMAD",
        "at most {} strides may be variable, not {}",
        MOST_OF_ANY_SIGN,
        of_any_sign,
        hint="copy a part first, and take a slice of the copy",
    )
    sizes(g, (ix.offset, *ix.strides), at)
    lengths(g, ix.shape, at)
    return ix.shape


def update(g: Gamma, p: Binder[Ann], e: Update, at: Span) -> None:
    """Γ ⊢ let p = x with [d, …] = a, or x with flat [L] = a (T-UPDATE)."""
    src = array(g, e.x, at)
    match e.where:
        case Lmad() as ix:
            shape = flat(g, e.x, src, ix, at)
        case dims:
            shape = ranges(g, e.x, src, dims, at)
    value, place = atom(g, e.value, at), ArrayType(src.elem, shape) if shape else src.elem
    require(
        value == place,
        at,
        "T-UPDATE",
        "the value has type {}, the place to which it is written has type {}",
        value,
        place,
    )
    require(p.type == src, at, "T-UPDATE", TYPE, p.name, p.type, src)


def scatter(g: Gamma, p: Binder[Ann], e: Scatter, at: Span) -> None:
    """Γ ⊢ let p = scatter x is vs (T-SCATTER): is : [n]i64, vs : [n]τ, x : [m]τ."""
    dest, values = array(g, e.x, at), array(g, e.values, at)
    indices = array(g, e.indices, at)
    require(
        indices.rank == 1 and indices.elem is I64,
        at,
        "T-SCATTER",
        "the indices {} have type {}, not [n]i64",
        e.indices,
        indices,
    )
    want = ArrayType(dest.elem, (indices.shape[0], *dest.shape[1:]))
    require(
        values == want,
        at,
        "T-SCATTER",
        "the values {} have type {}; for the rows of {} and the indices {} they need {}",
        e.values,
        values,
        e.x,
        e.indices,
        want,
    )
    require(p.type == dest, at, "T-SCATTER", TYPE, p.name, p.type, dest)


# ---------------------------------------------------------------------- fresh arrays


def iota(g: Gamma, p: Binder[Ann], e: Iota, at: Span) -> None:
    """Γ ⊢ let p = iota [d] a a (T-IOTA)."""
    lengths(g, (e.n,), at)
    start, stride = atom(g, e.start, at), atom(g, e.stride, at)
    require(
        isinstance(start, ScalarType) and start.is_int,
        at,
        "T-IOTA",
        "the start has type {}, not an integer type",
        start,
    )
    require(start is stride, at, "T-IOTA", "the start has type {}, the stride {}", start, stride)
    want = repeated((e.n,), start)
    require(p.type == want, at, "T-IOTA", TYPE, p.name, p.type, want)


def literal(g: Gamma, p: Binder[Ann], e: ArrayLit, at: Span) -> None:
    """Γ ⊢ let p = [a, …] : τ (T-LITERAL): every element has type τ."""
    lengths(g, e.row_shape, at)
    row = ArrayType(e.elem, e.row_shape) if e.row_shape else e.elem
    for k, a in enumerate(e.elems):
        t = atom(g, a, at)
        require(t == row, at, "T-LITERAL", "element {} has type {}, not {}", k, t, row)
    want = repeated((const(len(e.elems)),), row)
    require(p.type == want, at, "T-LITERAL", TYPE, p.name, p.type, want)


def concat(g: Gamma, p: Binder[Ann], e: Concat, at: Span) -> None:
    """Γ ⊢ let p = concat k x … (T-CONCAT): sizes agree but in dimension k, which adds up."""
    require(bool(e.xs), at, "T-CONCAT", "concat needs at least one array")
    (first, *others), k = [array(g, x, at) for x in e.xs], e.dim
    require(0 <= k < first.rank, at, "T-CONCAT", NO_DIM, e.xs[0], first, k)
    total = first.shape[k]
    for x, t in zip(e.xs[1:], others, strict=True):
        require(
            _but(t, k) == _but(first, k),
            at,
            "T-CONCAT",
            "{} has type {} and {} has type {}; only the size of dimension {} may differ",
            e.xs[0],
            first,
            x,
            t,
            k,
        )
        total = total + t.shape[k]
    want = ArrayType(first.elem, (*first.shape[:k], total, *first.shape[k + 1 :]))
    require(p.type == want, at, "T-CONCAT", TYPE, p.name, p.type, want)


def repeated(shape: Sequence[Size], t: Type) -> Type:
    """Return [d]…[d]τ; without dimensions, τ itself."""
    match t:
        case ArrayType(elem, inner):
            return ArrayType(elem, (*shape, *inner))
        case ScalarType():
            return ArrayType(t, tuple(shape)) if shape else t
        case MemType():
            return t


def _but(t: ArrayType, k: int) -> ArrayType:
    """Return the type with the size of dimension k replaced by 0, for comparisons."""
    return ArrayType(t.elem, (*t.shape[:k], ZERO, *t.shape[k + 1 :]))


def _text(a: Atom) -> str:
    return a.name if isinstance(a, Var) else str(a.value)
