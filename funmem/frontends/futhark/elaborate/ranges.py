"""Elaborate ranges (``a..b..<c``, …) to ``iota``, with checks that they are valid."""

from funmem.frontends.futhark.ast import RangeEnd
from funmem.frontends.futhark.elaborate.context import Elaboration, Wrap, require
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, U64, BinOp, ScalarType


def range_length(
    ctx: Elaboration,
    t: ScalarType,
    start: Exp,
    second: Exp | None,
    end: Exp,
    kind: RangeEnd,
    out: list[Wrap],
    at: Span,
    *,
    counted: bool = False,
) -> tuple[Exp, Exp]:
    """Return the length (i64) and the step of a range; ``out`` gets the checks that it is valid.

    ``start``, ``second`` and ``end`` are atoms.  A range is invalid if its step, a number of type
    t, is zero or leads away from the end, or if it has more elements than an i64 can count.  Such a
    length is negative, and is checked only if ``counted``.  If start and end are equal, the range
    has one element if it is inclusive, else none.
    """
    return _Range(ctx, t, start, second, end, kind, out, at).length(counted)


@frozen
class _Range:
    ctx: Elaboration
    t: ScalarType
    start: Exp
    second: Exp | None
    end: Exp
    kind: RangeEnd
    out: list[Wrap]
    at: Span

    def length(self, counted: bool) -> tuple[Exp, Exp]:
        """Return the length and the step: see :func:`range_length`."""
        inclusive, exact = self.kind is RangeEnd.INCLUSIVE, self._is_exact()
        if self.second is not None:
            step = self._named("step", self._bin(BinOp.SUB, self.second, self.start), self.t)
            self._require(self._stepping(step))
            n = self._quotient(step) if exact else self._far_quotient(step)
            if not exact or (counted and self._may_be_uncounted()):
                n = self._counted(n)
            return n, step
        falling = self.kind is RangeEnd.ABOVE
        step = c.Const(-1 if falling and self.t.is_signed else 1, self.t, self.at)
        valid = self._bin(BinOp.GE if falling else BinOp.LE, self.start, self.end)
        n = self._distance(self.start, self.end) if falling else self._distance()
        if inclusive:
            n = _plus_one(n, self.at)
        if not exact and (inclusive or counted):  # a length of 2^64 would wrap around to 0
            n = self._named("n", n)
            some = BinOp.GT if inclusive else BinOp.GE
            valid = self._bin(BinOp.LAND, valid, self._bin(some, n, c.Const(0, I64, self.at)))
            self._require(valid)
        else:
            self._require(valid)
            if counted and self._may_be_uncounted():
                n = self._counted(n)
        return n, step

    # ------------------------------------------------------------------ static knowledge

    def _is_exact(self) -> bool:
        """True if the distance from start to end surely fits an i64 in a valid range."""
        if self.t is not I64:
            return True
        start, end = _value(self.start), _value(self.end)
        rising = (start is not None and start >= 0) or (end is not None and end < 0)
        falling = (start is not None and start < 0) or (end is not None and end >= 0)
        match self.kind:
            case RangeEnd.BELOW:
                return rising
            case RangeEnd.ABOVE:
                return falling
            case RangeEnd.INCLUSIVE:
                step = self._known_step()
                return (rising or (step is not None and step < 0)) and (
                    falling or (step is not None and step > 0)
                )

    def _known_step(self) -> int | None:
        if self.second is None:
            return 1
        start, second = _value(self.start), _value(self.second)
        if start is None or second is None:
            return None
        return (second - start + 2**63) % 2**64 - 2**63

    def _may_be_uncounted(self) -> bool:
        """True if the range may have 2^63 elements although the distance fits an i64."""
        if self.t is not I64 or self.kind is not RangeEnd.INCLUSIVE:
            return False
        step, start = self._known_step(), _value(self.start)
        return step in (None, -1) or (step == 1 and (start is None or start <= 0))

    # ------------------------------------------------------------------ expressions

    def _bin(self, op: BinOp, a: Exp, b: Exp) -> Exp:
        return c.Bin(op, a, b, self.at)

    def _named(self, base: str, e: Exp, t: ScalarType = I64) -> Exp:
        return self.ctx.atom(e, t, self.out, base)

    def _require(self, valid: Exp) -> None:
        second = () if self.second is None else (self.second,)
        text = "{}" if self.second is None else "{}..{}"
        message = f"Range {text}{self.kind.value}{{}} is invalid."
        self.out.append(require(valid, message, (self.start, *second, self.end), self.at))

    def _counted(self, n: Exp) -> Exp:
        """Return ``n`` with the check for overflow; an inclusive range has an element."""
        n = self._named("n", n)
        some = BinOp.GT if self.kind is RangeEnd.INCLUSIVE else BinOp.GE
        self._require(self._bin(some, n, c.Const(0, I64, self.at)))
        return n

    def _stepping(self, step: Exp) -> Exp:
        """Return the test that a step leads from start to end."""
        zero = c.Const(0, self.t, self.at)
        upwards = self._bin(BinOp.LE, self.start, self.end)
        downwards = self._bin(BinOp.GE, self.start, self.end)
        rising = self._bin(BinOp.LAND, self._bin(BinOp.GT, step, zero), upwards)
        falling = self._bin(BinOp.LAND, self._bin(BinOp.LT, step, zero), downwards)
        match self.kind:
            case RangeEnd.BELOW:
                return rising
            case RangeEnd.ABOVE:
                return falling
            case RangeEnd.INCLUSIVE:
                return self._bin(BinOp.LOR, rising, falling)

    def _wide(self, e: Exp) -> Exp:
        if self.t is I64:
            return e
        if isinstance(e, c.Const):
            return c.Const(int(e.value), I64, self.at)
        return c.Convert(I64, e, self.at)

    def _distance(self, high: Exp | None = None, low: Exp | None = None) -> Exp:
        """Return the distance from ``low`` to ``high``; default: from start to end."""
        high, low = self._wide(high or self.end), self._wide(low or self.start)
        if isinstance(low, c.Const) and low.value == 0:
            return high
        return self._bin(BinOp.SUB, high, low)

    def _quotient(self, step: Exp) -> Exp:
        """Return the number of elements where the distance fits an i64: the steps, plus one."""
        high, low = self._wide(self.end), self._wide(self.start)
        distance = self._named("distance", self._bin(BinOp.SUB, high, low))
        wide_step = self._named("step", self._wide(step))
        if self.kind is RangeEnd.INCLUSIVE:
            return _plus_one(self._bin(BinOp.DIV, distance, wide_step), self.at)
        # Round up: minus the floor of minus the quotient.
        zero = c.Const(0, I64)
        back = self._bin(BinOp.DIV, self._bin(BinOp.SUB, zero, distance), wide_step)
        return self._bin(BinOp.SUB, zero, back)

    def _far_quotient(self, step: Exp) -> Exp:
        """Return the number of elements where only a u64 holds the distance and the step."""
        zero, at = c.Const(0, I64, self.at), self.at
        up, down = self._distance(), self._distance(self.start, self.end)
        back = self._bin(BinOp.SUB, zero, step)
        match self.kind:
            case RangeEnd.BELOW:
                far, by = up, step
            case RangeEnd.ABOVE:
                far, by = down, back
            case RangeEnd.INCLUSIVE:
                rises = self._bin(BinOp.GT, step, zero)
                far, by = c.If(rises, up, down, at), c.If(rises, step, back, at)
        distance = self._named("distance", c.Convert(U64, far, at), U64)
        size = self._named("size", c.Convert(U64, by, at), U64)
        steps = c.Convert(I64, self._bin(BinOp.DIV, distance, size), at)
        if self.kind is RangeEnd.INCLUSIVE:
            return _plus_one(steps, at)
        rest = self._bin(BinOp.MOD, distance, size)
        more = self._bin(BinOp.GT, rest, c.Const(0, U64, at))
        return self._bin(BinOp.ADD, steps, c.If(more, c.Const(1, I64, at), zero, at))


def _value(e: Exp) -> int | None:
    return int(e.value) if isinstance(e, c.Const) else None


def _plus_one(e: Exp, at: Span) -> Exp:
    return c.Bin(BinOp.ADD, e, c.Const(1, I64), at)


def range_array(
    ctx: Elaboration,
    t: ScalarType,
    start: Exp,
    second: Exp | None,
    end: Exp,
    kind: RangeEnd,
    out: list[Wrap],
    at: Span,
) -> Exp:
    """Return the array of a range; ``out`` gets the checks and the bindings before it.

    Ranges of unsigned numbers are computed in i64, since the step may be negative.
    """
    wide = counted_as(t)
    if wide is not t:
        start, end = (ctx.atom(counting(t, e), wide, out) for e in (start, end))
        second = None if second is None else ctx.atom(counting(t, second), wide, out)
    n, step = range_length(ctx, wide, start, second, end, kind, out, at)
    made = c.Iota(n, start, step, at)
    if wide is t:
        return made
    x = ctx.binder("x", wide)
    return c.Map(c.Lambda((x,), c.Convert(t, c.Var(x.name), at), at), (made,), at)


def counted_as(t: ScalarType) -> ScalarType:
    """Return the type in which a range of numbers of type ``t`` is computed."""
    return I64 if t.is_unsigned else t


def counting(t: ScalarType, e: Exp) -> Exp:
    """Convert a bound of a range to the type in which the range is computed."""
    if not t.is_unsigned:
        return e
    return c.Const(int(e.value), I64, e.at) if isinstance(e, c.Const) else c.Convert(I64, e, e.at)
