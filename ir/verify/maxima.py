"""Bounds that follow from a reduction to a maximum.

    let (most : i64) = kernel i < n reduce (max) (0) do … in (v(i))        v(i) = lens[i] - d
    … kernel j < n do let (l : i64) = lens[j]  let (s : i64) = l - d …     most >= s

Scalars are compared by their *canonical values*: polynomials over names and opaque terms (an
element ``lens[i]``, a quotient), in which every name bound by ``let`` is replaced.  Arrays are
values, so ``lens[i]`` has the same meaning wherever ``lens`` is used.  Scalars with equal canonical
values are equal modulo 2^64, hence equal as i64.  For a scalar that is less than such a value
(``l - d`` is at most ``most``), the bound is used only if the scalar cannot wrap around at the
upper end; a number below -2^63 is less than any maximum, whatever it wraps to.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from itertools import product as cartesian

from attrs import field

from funmem.ir.arith import exp_size, expanded
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Bin,
    Body,
    Call,
    Compound,
    Const,
    Convert,
    DerivedArray,
    Exp,
    FreshArray,
    Index,
    InPlace,
    Kernel,
    Lambda,
    Reduce,
    ScalarExp,
    Stm,
    Un,
    Var,
)
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Size, var

OPAQUE = (BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM, BinOp.MIN, BinOp.MAX)
LONGEST = 4000
"""Cap on the length of a canonical value's names; opaque terms contain their operands."""
MATCHES = 200
"""Cap on the number of substitutions of indices that are tried."""


@frozen
class OpaqueTerm:
    """An element of an array, or an operator's result."""

    what: str
    """``a[]`` for an element of a, or the operator; an array may be called ``max``."""
    args: tuple[Size, ...]


@frozen
class Largest:
    """``best >= floor(value / divisor)`` for ``0 <= i < n, …``; value is an i64, sizes exact."""

    best: Name
    divisor: int
    dims: tuple[tuple[Name, Size], ...]
    value: Size


@define
class Maxima:
    """The canonical values of scalars, and the maxima of an entry point."""

    values: dict[Name, Size] = field(factory=dict)
    terms: dict[Name, OpaqueTerm] = field(factory=dict)
    named: dict[Name, Name] = field(factory=dict)
    """Opaque term -> the last name that was bound to it."""
    largest: list[Largest] = field(factory=list)

    def define(self, x: Name, e: Exp[Ann]) -> None:
        """Note the canonical value of ``let (x : i64) = e``."""
        match e:
            case Index(a, index):
                value = self.opaque(f"{a}[]", tuple(self.canonical(i) for i in index))
            case Bin(op, a, b) if op in OPAQUE:
                value = self.opaque(f"{op}", (self.operand(a), self.operand(b)))
            case Const() | Var() | Bin():
                p = exp_size(e, self.values)
                if p is None:
                    return
                value = p
            case Un() | Convert() | Call() | DerivedArray() | FreshArray() | InPlace() | Compound():
                return
            case Assert() | Alloc():
                return
        if sum(map(len, value.free())) > LONGEST:
            return
        self.values[x] = value
        if (term := value.as_name) in self.terms:
            assert term is not None
            self.named[term] = x

    def operand(self, e: ScalarExp) -> Size:
        p = exp_size(e, self.values)
        return p if p is not None else self.opaque(str(e), ())

    def canonical(self, p: Size) -> Size:
        return expanded(p, self.values)

    def opaque(self, what: str, args: tuple[Size, ...]) -> Size:
        """Return the term as a name that is not an identifier of programs."""
        name = Name(f"{what}<{', '.join(map(str, args))}>")
        self.terms[name] = OpaqueTerm(what, args)
        return var(name)

    def subst(self, p: Size, image: Mapping[Name, Size]) -> Size:
        """Return a polynomial with names replaced, also inside opaque terms."""
        inner: dict[Name, Size] = dict(image)
        for x in p.free():
            if (term := self.terms.get(x)) is not None:
                inner[x] = self.opaque(term.what, tuple(self.subst(a, image) for a in term.args))
        return p.subst(inner)

    # ------------------------------------------------------------------ maxima

    def reduced(self, s: Stm[Ann], e: Kernel[Ann], exact: Mapping[Name, Size]) -> tuple[Size, ...]:
        """Note the maximum of i64 that a kernel computes, if it does; return nonnegative sizes.

        ``exact``: the polynomials of names, where nothing has wrapped around.
        """
        match e:
            case Kernel((d,), Reduce(op, (Const(int(k)),)), body) if _is_max(op):
                pass
            case _:
                return ()
        best, result = s.pat[0].name, body.result[0]
        dims = ((d.index, d.size.subst(exact)),)
        if isinstance(result, Var):
            inner = [m for m in self.largest if m.best == result.name and m.divisor == 1]
            self.largest += [Largest(best, 1, (*dims, *m.dims), m.value) for m in inner]
            self.largest += _parts(best, dims, self.values.get(result.name), self.terms)
        return (var(best) - k,)

    def bounds(self, x: Name, facts: Facts) -> Iterator[Size]:
        """Yield nonnegative polynomials that hold because a maximum was taken over ``x``."""
        value = self.values.get(x)
        if value is None:
            return
        indices = [i for i, _ in facts.indices]
        for m in self.largest:
            ways = cartesian(indices, repeat=len(m.dims))
            for way in islice(ways, MATCHES):
                image = {i: var(j) for (i, _), j in zip(m.dims, way, strict=True)}
                inside = (self.subst(n, image) - 1 - image[i] for i, n in m.dims)
                found = self.subst(m.value, image)
                if m.divisor == 1 and value == found:
                    bound = var(m.best) - var(x)
                elif value.as_name in self.terms and value.free() <= found.free():
                    plain = found.subst({t: var(y) for t, y in self.named.items()})
                    if not _stays_below(plain, facts):
                        continue
                    bound = var(m.best) * m.divisor + (m.divisor - 1) - plain
                else:
                    continue
                if all(nonneg(p, facts) for p in inside) and bound.free().isdisjoint(self.terms):
                    yield bound


def _stays_below(p: Size, facts: Facts) -> bool:
    """True if a polynomial is proved less than 2^63: it is at most some i64."""
    return any(k == 1 and len(m) == 1 and nonneg(var(m[0]) - p, facts) for m, k in p.terms)


def _is_max(op: Lambda[Ann]) -> bool:
    match op:
        case Lambda(
            (a, b), Body((Stm((c,), Bin(BinOp.MAX, Var(one), Var(other))),), (Var(result),))
        ):
            return c.type is I64 and c.name == result and {one, other} == {a.name, b.name}
        case _:
            return False


def _parts(
    best: Name,
    dims: tuple[tuple[Name, Size], ...],
    value: Size | None,
    terms: Mapping[Name, OpaqueTerm],
) -> Iterator[Largest]:
    """Yield the value, and the dividend if it is a quotient."""
    if value is None:
        return
    yield Largest(best, 1, dims, value)
    if (name := value.as_name) in terms:
        assert name is not None
        term = terms[name]
        if term.what == "/" and (k := term.args[1].as_const) is not None and k > 0:
            yield Largest(best, k, dims, term.args[0])
