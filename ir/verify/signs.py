"""Which scalars of an iteration (cases.py) are never negative, or bounded by a number.

An i64 of a case is a polynomial modulo 2^64; it equals the polynomial if that lies between 0 and
2^63 - 1.  Sources of facts about the names in it:

    an index                     is less than the number of iterations
    i64(x) of a narrower x       is in the range of x's type; 0 to 64 if x counts bits
    x / k, max(x, y), min(x, y)  from their operands, where these have not wrapped around
    an element                   is not negative if the kernel that made the array proves it
    asserted a <= b in a kernel  holds in each of its iterations, since the array exists
"""

from collections.abc import Iterable, Iterator

from funmem.ir.fun import Assert
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp, UnOp
from funmem.ir.sizes import ONE, Size, const, var
from funmem.ir.verify.cases import Iteration
from funmem.ir.verify.terms import Case, Number, Op, PathCondition, Term

WORD = 64
"""Bits of the widest integer."""
DEEP = 4
"""Cap on the depth of nested operators that are analysed."""


def between(c: Case, most: int, length: Size, it: Iteration) -> bool:
    """True if a case of an i64 is proved within 0 … ``most`` in the first ``length`` iterations."""
    if not isinstance(c.value, Number):
        return False
    p = c.value.p
    if (k := p.as_const) is not None:
        return 0 <= k <= most
    if most == I64.max and (c, length) in it.signs:
        return True
    known = _Known(it, length)
    facts = known.facts(p, (*c.path, *known.asserted(c.path)))
    return nonneg(p, facts) and nonneg(most - p, facts)


def inequalities(path: Iterable[tuple[Term, bool]]) -> list[Size]:
    """Return nonnegative polynomials that follow from conditions on exact numbers."""
    found: list[Size] = []
    for t, value in path:
        match t:
            case Op("<", (Number(p, True), Number(q, True))):
                found.append(q - p - 1 if value else p - q)
            case Op("==", (Number(p, True), Number(q, True))) if value:
                found += [q - p, p - q]
            case _:
                pass
    return found


@frozen
class _Known:
    """The facts known in the first ``length`` iterations."""

    it: Iteration
    length: Size

    def facts(self, p: Size, path: Iterable[tuple[Term, bool]], deep: int = DEEP) -> Facts:
        """Return the facts about the names in a polynomial, under the conditions ``path``."""
        facts = Facts().with_index(self.it.index, self.length)
        for x in sorted(p.free() - {self.it.index}):
            for q in self.of_name(x, deep):
                facts = facts.assuming(q)
        for q in (*inequalities(path), *self.compared(path)):
            facts = facts.assuming(q)
        return facts

    def of_name(self, x: Name, deep: int) -> Iterator[Size]:
        """Yield nonnegative polynomials that follow from the meaning of a name."""
        t = self.it.narrow.get(x, I64)
        yield var(x) - t.min
        yield t.max - var(x)
        if (Case((), Number(var(x))), self.length) in self.it.signs:
            yield var(x)
        match self.it.spelt.get(x):
            case Op("i64", (Op(what),)) if what == f"{UnOp.POPCOUNT.value}.":
                yield var(x)
                yield WORD - var(x)
            case Op(op, (Number() as a, Number() as b)) if deep:
                yield from self.of_operator(x, op, a, b, deep - 1)
            case _:
                pass

    def of_operator(self, x: Name, op: str, a: Number, b: Number, deep: int) -> Iterator[Size]:
        """Yield those of a name that stands for the result of an operator."""
        for y in sorted((a.p.free() | b.p.free()) - {self.it.index}):
            yield from self.of_name(y, deep)
        k = b.p.as_const
        facts = self.facts(a.p, (), deep)
        if op == BinOp.DIV.value and k is not None and k > 0 and self.is_i64(a.p, facts):
            low = next((n for n in (0, -1) if nonneg(a.p - n, facts)), None)
            yield from () if low is None else (var(x) - low,)
            yield a.p - k * var(x)
            yield k * var(x) + k - 1 - a.p
        elif op in (BinOp.MAX.value, BinOp.MIN.value):
            sign = 1 if op == BinOp.MAX.value else -1
            for q in (a.p, b.p):
                if self.is_i64(q, self.facts(q, (), deep)):
                    yield (var(x) - q) * sign

    def is_i64(self, p: Size, facts: Facts) -> bool:
        """True if a polynomial is proved not to wrap around."""
        return p.as_name is not None or (nonneg(p - I64.min, facts) and nonneg(I64.max - p, facts))

    def compared(self, path: Iterable[tuple[Term, bool]]) -> Iterator[Size]:
        """Yield nonnegative polynomials from comparisons of narrower integers, as i64."""
        for t, value in path:
            match t:
                case Op("<" | "<=" as op, (a, b)):
                    p, q = self.widened(a), self.widened(b)
                    if p is not None and q is not None:
                        strict = ONE if (op == "<") is value else const(0)
                        yield (q - p if value else p - q) - strict
                case _:
                    pass

    def widened(self, t: Term) -> Size | None:
        """Return a narrower integer as a polynomial in i64, or None."""
        match t:
            case Number():
                return None
            case Op():
                x = self.it.opaque.get(Op("i64", (t,)))
                return var(x) if x in self.it.narrow else None
            case _:
                return const(t.value) if type(t.value) is int else None

    def asserted(self, path: PathCondition) -> Iterator[tuple[Term, bool]]:
        """Yield the conditions that kernels with ``length`` iterations assert, under ``path``.

        Only kernels of which elements were read are considered.
        """
        for e in tuple(self.it.opened):
            conditions = [s.exp.cond for s in e.body.stms if isinstance(s.exp, Assert)]
            for cond in conditions if e.dims[0].size == self.length else ():
                ways = [c for c in self.it.scalar(cond) if self.it.joined(path, c.path) is not None]
                if len(ways) == 1:
                    yield from self.it.joined(ways[0].path, ((ways[0].value, True),)) or ()
