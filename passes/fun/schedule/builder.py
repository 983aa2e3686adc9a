"""A builder of statements."""

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
    """Collects statements; holds the supply of names and facts about the entry point.

    ``sizes`` are names that are not negative, ``types`` the types of names, ``permuted`` the arrays
    that are permuted views, whose rows are not contiguous, ``uninitialised`` the arrays that may
    have uninitialised elements, and ``strip`` the length of a strip.  :meth:`inner` returns the
    builder of an inner body.
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
        self.chunked: set[Name] = set()
        """Arrays that (S7) has computed, row by row in each chunk."""
        self.longest: dict[tuple[Name, Size], Name] = {}
        """Offsets that statements above have checked, with their number of elements -> the length
        of the longest row."""

    def inner(self) -> "Builder":
        inner = Builder(
            self.fresh,
            self.sizes,
            self.at,
            self.types,
            self.permuted,
            self.uninitialised,
            self.strip,
        )
        inner.chunked = self.chunked
        return inner

    def let(self, base: str, type_: Type, exp: Exp[Ann]) -> Name:
        """Bind an expression to a fresh name, and return the name."""
        name = self.fresh(base)
        self.stms.append(Stm((Binder(name, type_, None),), exp, self.at))
        return name

    def body(self, *result: Atom) -> Body[Ann]:
        return Body(tuple(self.stms), result)

    def guard(self, size: Size) -> None:
        """Add a kernel that traps if ``size`` is negative: a loop over a negative bound is empty.

        The kernel has a second dimension of length 0, so it never runs an iteration.
        """
        if self.nonneg(size):
            return
        never = (KernelDim(self.fresh("guard"), size), KernelDim(self.fresh("none"), ZERO))
        self.stms.append(Stm((), Kernel(never, Map(), Body((), ())), self.at))

    def nonneg(self, size: Size) -> bool:
        """True if a size has only positive terms of names that are not negative."""
        return all(k >= 0 and self.sizes.issuperset(m) for m, k in size.terms)

    def counted(self, size: Size) -> Size:
        """Return a number of iterations that fits in i64: ``size`` unless it exceeds i64.

        Sizes are exact; a size that exceeds i64 would wrap around to a smaller, perhaps negative,
        number.  A size that is at most one of its names fits.
        """
        if any(self.nonneg(var(x) - size) for x in size.free()):
            return size
        if size.as_const is not None and size.as_const <= I64.max:
            return size
        return var(self.let("counted", I64, Bin(BinOp.MAX, size_exp(size), Const(0, I64))))

    def ceiling(self, n: Size, k: Atom) -> Size:
        """Return ``n / k`` rounded up, for n >= 0 and k > 0: n - 1 fits in i64, n + k - 1 may not.

        The result is not bound to a name, so that the verifier can prove that t chunks of this
        length, t < k, do not wrap around.
        """
        return var(self.let("less", I64, Bin(BinOp.DIV, size_exp(n - 1), k))) + 1


def of_rows(t: Type, *outer: Size) -> ArrayType:
    """Return the type ``[outer]…t``."""
    match t:
        case ArrayType(elem, shape):
            return ArrayType(elem, (*outer, *shape))
        case ScalarType():
            return ArrayType(t, outer)
        case _:
            raise TypeError(f"no array of {t}")
