"""Statements under construction."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    Exp,
    Kernel,
    KernelDim,
    Map,
    Stm,
    Type,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import ZERO, Size, var
from funmem.passes.tuning import DEFAULT

NO_TYPES: Mapping[Name, Type] = MappingProxyType({})


class Builder:
    """Statements under construction, the supply of names, the sizes known not to be negative, and
    the types of what the entry point binds, as far as somebody needs them; which of the arrays are
    ``permuted`` views, whose rows are not contiguous, and which may have ``uninitialised``
    elements; how wide a ``strip`` is.

    A body inside another gets a builder of its own through :meth:`inner`.
    """

    def __init__(
        self,
        fresh: Fresh,
        sizes: frozenset[Name],
        at: Span = NOWHERE,
        types: Mapping[Name, Type] = NO_TYPES,
        permuted: frozenset[Name] = frozenset(),
        uninitialised: Collection[Name] = frozenset(),
        strip: int = DEFAULT.strip,
    ) -> None:
        self.fresh = fresh
        self.sizes = sizes
        self.at = at
        self.types = types
        self.permuted = permuted
        self.uninitialised = uninitialised
        self.strip = strip
        self.stms: list[Stm[Ann]] = []

    def inner(self) -> "Builder":
        return Builder(
            self.fresh,
            self.sizes,
            self.at,
            self.types,
            self.permuted,
            self.uninitialised,
            self.strip,
        )

    def let(self, base: str, type_: Type, exp: Exp[Ann]) -> Name:
        """Bind one expression to a fresh name."""
        name = self.fresh(base)
        self.stms.append(Stm((Binder(name, type_, None),), exp, self.at))
        return name

    def body(self, *result: Atom) -> Body[Ann]:
        return Body(tuple(self.stms), result)

    def guard(self, size: Size) -> None:
        """Trap where a kernel over ``size`` iterations would: a loop over -1 is merely empty.

        No array can be as long as a dimension that never runs, as another one is 0.
        """
        if self.nonneg(size):
            return
        never = (KernelDim(self.fresh("guard"), size), KernelDim(self.fresh("none"), ZERO))
        self.stms.append(Stm((), Kernel(never, Map(), Body((), ())), self.at))

    def nonneg(self, size: Size) -> bool:
        """Whether a size is plainly not negative."""
        return all(k >= 0 and self.sizes.issuperset(m) for m, k in size.terms)

    def counted(self, size: Size) -> Size:
        """As many of a kernel's iterations as i64 surely counts: all, but of a size beyond i64.

        A size is exact.  One that i64 cannot hold wraps around to something smaller, and may seem
        negative; one that is no more than a name of it is held.
        """
        if any(self.nonneg(var(x) - size) for x in size.free()):
            return size
        if size.as_const is not None and size.as_const <= I64.max:
            return size
        return var(self.let("counted", I64, Bin(BinOp.MAX, size_exp(size), Const(0, I64))))

    def ceiling(self, n: Size, k: Atom) -> Size:
        """``n / k`` rounded up, where n >= 0 and k > 0: n + k - 1 might not fit i64, n - 1 does.

        It is no name of its own, so that the verifier sees that t chunks of this length, t < k, do
        not wrap around.
        """
        return var(self.let("less", I64, Bin(BinOp.DIV, size_exp(n - 1), k))) + 1


def of_rows(t: Type, *outer: Size) -> ArrayType:
    """``[outer]…t``."""
    match t:
        case ArrayType(elem, shape):
            return ArrayType(elem, (*outer, *shape))
        case ScalarType():
            return ArrayType(t, outer)
        case _:
            raise TypeError(f"no array of {t}")
