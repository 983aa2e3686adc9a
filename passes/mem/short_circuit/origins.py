"""The fresh arrays that an array is made of, and the homes that bring the array to a given place.

    let (a : [n][m]t) = kernel …             a     at  permute of W   (a kernel writes a new array)
    let (c : [m][n]t) = permute (1, 0) a     c     at  W              (inverted)
    let (b : [m][n]t) = c with [0, 0] = v    b     at  W              (c's place)
    let y = x with … = b                     b wanted at W

The search goes from the copied array back to the *fresh* arrays that it is made of.  A derived
array's place determines its source's if the operation can be inverted.  An array that is updated in
place lies where its result does.  Both branches' results, and a loop's initial value and the result
of its body, lie where the array that they become does.  If an array would need two different
places, the search fails.
"""

from collections.abc import Callable, Mapping, Sequence

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Compound,
    DerivedArray,
    Exp,
    FreshArray,
    Home,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    Permute,
    RaggedKernel,
    Reshape,
    Reverse,
    Scalar,
    Slice,
    Stm,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, SliceDim
from funmem.ir.logic.blocks import is_fresh
from funmem.ir.logic.derive import derived_lmad, in_place_of
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, Size
from funmem.ir.traverse import (
    inner_indices,
)
from funmem.passes.mem.short_circuit.view import View


@frozen
class Unmovable(Exception):
    """The array cannot be made in the place; the reason."""

    reason: str
    in_loop: bool = False
    """True if the array that cannot move is carried by a loop."""


@frozen
class Origins:
    """The arrays that an array is made of."""

    moving: Mapping[Name, Home]
    """The fresh arrays that must move, and their new homes."""
    staying: frozenset[Name]
    """The arrays that already lie at their places; their origins are not searched."""
    reshapes: tuple[Reshape, ...]
    """The reshapes between the moving arrays and the copied one."""


def origins(
    b: Name, target: Home, inside: Callable[[Name], bool], view: View, *, may_stay: bool
) -> Origins | Unmovable:
    """Return the arrays that ``b`` is made of where names are ``inside``, if ``b`` is to lie at
    ``target``; with ``may_stay``, arrays that already lie at their places need not move.
    """
    trace = _Trace(target.block, inside, view, may_stay)
    try:
        trace.wanted_at(b, target.ix)
    except Unmovable as why:
        return why
    assert trace.fresh, b  # a copied array is not made of staying arrays only
    return Origins(trace.fresh, frozenset(trace.staying), tuple(trace.reshapes))


class _Trace:
    """The search; every array has at most one place."""

    def __init__(
        self, block: Name, inside: Callable[[Name], bool], view: View, may_stay: bool
    ) -> None:
        self.block = block
        self.inside = inside
        self.view = view
        self.may_stay = may_stay
        self.staying: set[Name] = set()
        self.wanted: dict[Name, Lmad] = {}
        self.fresh: dict[Name, Home] = {}
        self.reshapes: list[Reshape] = []

    def wanted_at(self, x: Name, ix: Lmad) -> None:
        """Require ``x`` at ``ix``, with its own lengths."""
        shape = self.view.shape(x)
        ix = Lmad(ix.offset, tuple(Dim(n, s) for n, s in zip(shape, ix.strides, strict=True)))
        if self.may_stay and self.view.homes[x] == Home(self.block, ix):
            self.staying.add(x)
            return
        if not self.inside(x):
            raise Unmovable(f"{x} is made elsewhere: {self.elsewhere(x)}")
        before = self.wanted.setdefault(x, ix)
        if before != ix:
            raise Unmovable(f"{x} would be needed at {before} and at {ix}")
        if before is ix:
            self.source(x, ix, self.view.made_by[x])

    def elsewhere(self, x: Name) -> str:
        if x not in self.view.made_by:
            return "it is a parameter of the entry point"
        return "outside of the body that copies it"

    def source(self, x: Name, ix: Lmad, s: Stm[Ann]) -> None:
        """Continue with the arrays that ``x``, bound by ``s``, is made of."""
        position = next((k for k, p in enumerate(s.pat) if p.name == x), None)
        if position is None:
            self.parameter(x, ix, s)
            return
        consumed = in_place_of(s.exp)
        match s.exp:
            case If(_, then, orelse):
                for b in (then, orelse):
                    self.atom(b.result[position], ix)
            case Loop(params):
                self.wanted_at(params[position].binder.name, ix)
            case DerivedArray() as e:
                self.derived(x, ix, e, e.x)
            case InPlace() | Kernel() if position < len(consumed):
                self.wanted_at(consumed[position], ix)
            case FreshArray() | InPlace() | Kernel() | Opaque() as e:
                assert is_fresh(e), s
                self.fresh[x] = Home(self.block, ix)
            case Scalar() | Index() | Assert() | Alloc():
                raise Stuck(f"{x} is not an array")
            case RaggedKernel():
                raise unscheduled()

    def atom(self, a: Atom, ix: Lmad) -> None:
        assert isinstance(a, Var)
        self.wanted_at(a.name, ix)

    def parameter(self, x: Name, ix: Lmad, s: Stm[Ann]) -> None:
        """(5) Initial value, parameter and next value lie in one place and have one size."""
        e = s.exp
        assert isinstance(e, Loop), s
        k = next(k for k, p in enumerate(e.params) if p.binder.name == x)
        reason = size_varies(x, e, self.view)
        if reason is not None:
            raise Unmovable(reason, in_loop=True)
        for a, what in ((e.params[k].init, "initial"), (e.body.result[k], "next")):
            try:
                self.atom(a, ix)
            except Unmovable as why:
                raise Unmovable(f"the {what} value of {x}: {why.reason}", in_loop=True) from why

    def derived(self, x: Name, ix: Lmad, e: Exp[Ann], y: Name) -> None:
        """Invert a layout operation; applied again it must give the required place."""
        source = source_lmad(e, ix, self.view.shape(y))
        if source is None or derived_lmad(e, source) != ix:
            what = type(e).__name__.lower()
            raise Unmovable(f"{x} is a {what} of {y} that cannot be undone at {ix}")
        if isinstance(e, Reshape):
            self.reshapes.append(e)
        self.wanted_at(y, source)


def size_varies(x: Name, e: Loop[Ann], view: View) -> str | None:
    """Return why an array that a loop carries may have another size in each iteration."""
    own = {*(p.binder.name for p in e.params), *inner_indices(e)}
    varying = own & {v for d in view.shape(x) for v in d.free()}
    return f"the size of {x} depends on {', '.join(sorted(varying))}" if varying else None


# ---------------------------------------------------------------------- inverses


def source_lmad(e: Exp[Ann], ix: Lmad, shape: tuple[Size, ...]) -> Lmad | None:
    """Return the index function of a derived array's source, of the given shape, if the array lies
    at ``ix``.

    None if the operation is not injective, so that the array does not determine its source.
    """
    match e:
        case Permute(perm):
            dims = {old: ix.dims[new] for new, old in enumerate(perm)}
            return Lmad(ix.offset, tuple(dims[k] for k in range(len(perm))))
        case Reverse(dim):
            return ix.reverse(dim)
        case Reshape():
            return ix.reshape(shape)
        case Slice(_, dims_):
            return _unsliced(dims_, ix, shape)
        case DerivedArray():
            return None
        case Scalar() | Index() | FreshArray() | InPlace() | Compound() | Assert() | Alloc():
            return None


def _unsliced(dims: Sequence[SliceDim], ix: Lmad, shape: tuple[Size, ...]) -> Lmad | None:
    """Invert a slice that takes everything, perhaps backwards, or the only row; None for other
    slices.
    """
    offset = ix.offset
    kept = iter(ix.dims)
    out: list[Dim] = []
    for d, n in zip(dims, shape, strict=True):
        match d:
            case DimFix() if n == ONE:
                out.append(Dim(ONE, ONE))
            case DimRange(_, length, stride) if length == n:
                s = next(kept).stride
                if stride == ONE:
                    out.append(Dim(n, s))
                else:
                    offset = offset + s * (n - 1)
                    out.append(Dim(n, -s))
            case _:
                return None
    return Lmad(offset, tuple(out))
