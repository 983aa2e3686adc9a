"""How exactly a device computes floats, and what is therefore compared with the value semantics.

Generated programs contain only operators that give the same bits on every engine
(:func:`funmem.ir.scalars.is_exact`).  A device may differ from IEEE 754 in spite of the pragmas and
options of the generated code: it may round ``a * b + c`` once (contraction), replace subnormal
numbers by zero, round f32 quotients and roots otherwise, or lack f64.  Probes, which are programs
themselves, find this out before a campaign.

    exact device                every result is compared bit by bit; all NaNs are one value
    inexact, program has none   ditto: a program without the float types that the device rounds
    inexact otherwise           floats may differ by ULPS units in the last place.  If there is a
                                larger difference, or another one, the program is counted as
                                undecided: a float may have become an integer or a condition
    no f64, program has f64     the program is counted, but not run

A crash, an error of the driver and a program that does not end are disagreements in any case.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from attrs import field
from numpy.typing import ArrayLike, NDArray

from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import F32, F64, ScalarType
from funmem.ir.text import parse_imp, show
from funmem.ir.values import ArgValue, ArrayValue, Bound, Tolerance, Value

ULPS = 64
"""Units in the last place by which f32 and f64 may differ on an inexact device; f16 by 2."""

ROUNDED = Tolerance(
    f16=Bound(2 * 2.0**-10, 2.0**-24),
    f32=Bound(ULPS * 2.0**-23, 2.0**-126),
    f64=Bound(ULPS * 2.0**-52, 2.0**-1022),
)
"""The differences on an inexact device; subnormal numbers may be zero."""

Run: TypeAlias = Callable[[ImpProgram, Name, tuple[ArgValue, ...]], Sequence[Value]]
"""Runs an entry point on a device, as ``run_apart``."""

PROBE = """\
entry probe [n] (a : [n]{t}) (b : [n]{t}) (c : [n]{t}) {{
  var r : mem;
  r <- alloc {bytes}*n;
  kernel i < n do
    var x : {t};
    x <- a[i] : {t};
    var y : {t};
    y <- b[i] : {t};
    var z : {t};
    z <- c[i] : {t};
    var w : {t};
    w <- {expression};
    r[i] : {t} <- w;
  done
  return (r : [n]{t})
}}
"""


@frozen
class FloatPolicy:
    """What is known of a device: the types in which it contracts, flushes subnormal numbers, and
    rounds quotients or roots otherwise; ``f64``: it has that type.
    """

    contracts: frozenset[ScalarType] = field(default=frozenset())
    flushes: frozenset[ScalarType] = field(default=frozenset())
    divides: frozenset[ScalarType] = field(default=frozenset())
    f64: bool = True

    @property
    def inexact(self) -> frozenset[ScalarType]:
        """The types whose results may differ; f16 is computed in f32."""
        return self.contracts | self.flushes | self.divides

    def tolerance(self, p: ImpProgram) -> Tolerance | None:
        """Return the tolerance for a program; None: compare bit by bit."""
        used = set(_FLOAT.findall(show(p)))
        mine = {str(t) for t in self.inexact}
        return ROUNDED if used & mine or ("f16" in used and F32 in self.inexact) else None

    def runs(self, p: ImpProgram) -> bool:
        """True unless the device lacks f64 and the program needs it."""
        return self.f64 or "f64" not in _FLOAT.findall(show(p))

    def lines(self) -> Iterator[str]:
        """Yield what is compared, for people."""
        inexact = _listed(self.inexact)
        yield "  integers and traps: equal" + (
            f", in programs without {inexact}" if inexact else ""
        )
        exact = [t for t in (F32, F64) if t not in self.inexact and (self.f64 or t is F32)]
        if exact:
            yield f"  {_listed(exact)}: bit by bit (no contraction, subnormal numbers are kept)"
        for what, types in (
            ("a * b + c is rounded once", self.contracts),
            ("subnormal numbers are zero", self.flushes),
            ("quotients and roots are rounded otherwise", self.divides),
        ):
            if types:
                yield f"  {_listed(types)}: {what}: within {ULPS} ulp, else undecided"
        if not self.f64:
            yield "  f64: the device has none; programs with f64 do not run"


_FLOAT = re.compile(r"\bf(?:16|32|64)\b")


def _listed(types: Sequence[ScalarType] | frozenset[ScalarType]) -> str:
    return ", ".join(sorted(map(str, types)))


def probe(run: Run, *, f64: bool) -> FloatPolicy:
    """Return the policy of a device, by running small programs on it.

    Raises what ``run`` raises.
    """
    types = (F32, F64) if f64 else (F32,)

    def found(differs: Callable[[Run, ScalarType], bool]) -> frozenset[ScalarType]:
        return frozenset(t for t in types if differs(run, t))

    return FloatPolicy(found(_contracts), found(_flushes), found(_divides), f64)


Column: TypeAlias = "NDArray[np.float32] | NDArray[np.float64]"


def _ask(run: Run, t: ScalarType, expression: str, *columns: Column) -> Column:
    """Return an expression of x, y and z for each row of one to three columns."""
    program = parse_imp(PROBE.format(t=t, bytes=t.bytes, expression=expression))
    given = (*columns, *columns[:1] * 2)[:3]
    (r,) = run(program, Name("probe"), tuple(map(ArrayValue, given)))
    assert isinstance(r, ArrayValue)
    return _column(t, r.data)


def _contracts(run: Run, t: ScalarType) -> bool:
    """True if x * x - (the rounded x * x) is not zero."""
    xs = _sample(t)
    return bool(np.any(_ask(run, t, "x * y - z", xs, xs, _column(t, xs * xs))))


def _flushes(run: Run, t: ScalarType) -> bool:
    """True if half of the smallest normal number is zero, or twice the smallest number is."""
    info = np.finfo(np.float32 if t is F32 else np.float64)
    numbers = (float(info.tiny), float(info.smallest_subnormal), 0.5)
    normal, least, half = (_column(t, [x]) for x in numbers)
    return not (_ask(run, t, "x * y", normal, half)[0] and _ask(run, t, "x + y", least, least)[0])


def _divides(run: Run, t: ScalarType) -> bool:
    """True if a quotient or a root is not the nearest float."""
    xs = _sample(t)
    ys = _column(t, xs[::-1].copy())
    quotients, roots = _ask(run, t, "x / y", xs, ys), _ask(run, t, "sqrt(x)", xs)
    return not (np.array_equal(quotients, xs / ys) and np.array_equal(roots, np.sqrt(xs)))


def _sample(t: ScalarType) -> Column:
    return _column(t, 1 + np.random.default_rng(1).random(256))


def _column(t: ScalarType, values: ArrayLike) -> Column:
    return np.asarray(values, np.float32) if t is F32 else np.asarray(values, np.float64)
