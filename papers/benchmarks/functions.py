"""Measure the functions of the math table: funmem's engines, numpy, scipy and gcc with libmvec.

    python papers/benchmarks/functions.py
    python papers/benchmarks/functions.py --only sin,cos,erf --types f64 --rounds 9 --markdown

Each function is applied to the same 10^6 random numbers by all, in turns, on one thread.  The error
and gamma functions are those of `scipy.special`.  gcc compiles a loop with -O3 -march=native
-ffast-math, which calls libmvec where that has the function.  A ratio is the time of funmem over
the time of the peer, the median over the rounds.  A row is printed as soon as it is measured.
"""

import argparse
import ctypes
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from funmem.api import parse
from funmem.bench.contenders import Contender, timed
from funmem.bench.ours import VIAS, contender
from funmem.bench.peers import C_FLAGS, load_c
from funmem.bench.rounds import compete, ratio
from funmem.bench.tasks import Task
from funmem.bench.threads import limit_threads
from funmem.codegen.c_library import find_compiler
from funmem.codegen.files import write_file
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Options
from funmem.ir.record import frozen
from funmem.ir.values import ArrayValue

Floats = NDArray[np.floating]
TYPES = {"f32": np.float32, "f64": np.float64}


@frozen
class Function:
    """A function of the math table: its name in C, in numpy or scipy, and where it is measured."""

    c: str
    peer: str
    low: float = -10.0
    high: float = 10.0
    arguments: int = 1
    special: bool = False
    """True if the peer is in `scipy.special`."""


def _plain(names: str, low: float = -10.0, high: float = 10.0) -> dict[str, Function]:
    inverse = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
    inverse |= {"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
    return {f: Function(f, inverse.get(f, f), low, high) for f in names.split()}


FUNCTIONS = {
    **_plain("exp expm1 sin cos tan sinh cosh tanh atan asinh cbrt"),
    **_plain("log log2 log10 log1p", 0.01, 100),
    **_plain("asin acos atanh", -0.99, 0.99),
    **_plain("acosh", 1, 100),
    "exp2": Function("exp2", "exp2"),
    "**": Function("pow", "power", 0.1, 5, 2),
    "atan2": Function("atan2", "arctan2", arguments=2),
    "hypot": Function("hypot", "hypot", arguments=2),
    "erf": Function("erf", "erf", -4, 4, special=True),
    "erfc": Function("erfc", "erfc", -4, 4, special=True),
    "gamma": Function("tgamma", "gamma", 0.1, 30, special=True),
    "lgamma": Function("lgamma", "gammaln", 0.1, 30, special=True),
}
"""exp2 is written as a power of two."""


def text(name: str, t: str) -> str:
    """Return the program that applies a function to each element."""
    body = {"**": "map2 (**) xs ys", "exp2": f"map (\\x -> 2{t} ** x) xs"}.get(
        name, f"map2 {t}.{name} xs ys" if FUNCTIONS[name].arguments == 2 else f"map {t}.{name} xs"
    )
    names = "xs ys" if FUNCTIONS[name].arguments == 2 else "xs"
    return f"entry main [n] {' '.join(f'({x}: [n]{t})' for x in names.split())} : [n]{t} = {body}\n"


def ours(name: str, t: str, args: Sequence[Floats], via: str) -> Contender:
    """Return an engine as a contender."""
    program = parse(text(name, t), "fut", name=f"{t}.{FUNCTIONS[name].c}.fut")
    s = signature_of(program, "main")
    given = tuple(map(ArrayValue, args))
    task = Task(name, "", program, s, given, lambda: (), "numpy")
    return contender(task, via, Options(tuned=False)).contender


def by_python(f: Function, args: Sequence[Floats]) -> Contender | None:
    """Return numpy's or scipy's function as a contender, or None without scipy."""
    if f.special and find_spec("scipy") is None:
        return None
    if f.special:
        import scipy.special as module
    else:
        module = np
    call, out = getattr(module, f.peer), np.empty_like(args[0])
    return Contender("python", lambda: timed(lambda: (call(*args, out=out),)))


def by_libmvec(folder: Path) -> dict[tuple[str, str], Callable[..., None]]:
    """Return a loop in C for each function and type."""
    lines = ["#include <math.h>"]
    for f in FUNCTIONS.values():
        for t, c, suffix in (("f32", "float", "f"), ("f64", "double", "")):
            given = ", ".join(("x[i]", "y[i]")[: f.arguments])
            lines.append(
                f"void {f.c}_{t}(long n, const {c} *x, const {c} *y, {c} *restrict out)"
                f"{{ for (long i = 0; i < n; i++) out[i] = {f.c}{suffix}({given}); }}"
            )
    source = folder / "functions.c"
    write_file(source, "\n".join(lines) + "\n")
    library = load_c([*find_compiler(), *C_FLAGS, "-ffast-math"], [str(source)], ["-lmvec", "-lm"])
    return {(f.c, t): getattr(library, f"{f.c}_{t}") for f in FUNCTIONS.values() for t in TYPES}


def in_c(call: Callable[..., None], args: Sequence[Floats]) -> Contender:
    """Return a loop in C as a contender."""
    out = np.empty_like(args[0])
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (args[0], args[-1], out)]
    n = ctypes.c_long(len(out))

    def run() -> tuple[Floats, ...]:
        call(n, *pointers)
        return (out,)

    return Contender("gcc", lambda: timed(run))


def row(
    name: str, t: str, n: int, rounds: int, loops: dict[tuple[str, str], Callable[..., None]]
) -> tuple[str, ...]:
    """Measure one function; return its name, type, ms of the Python peer, and the ratios.

    Raises SystemExit if results differ by more than the tolerance.
    """
    f, rng = FUNCTIONS[name], np.random.default_rng(1)
    args = [rng.uniform(f.low, f.high, n).astype(TYPES[t]) for _ in range(f.arguments)]
    python = by_python(f, args)
    engines = [ours(name, t, args, via) for via in VIAS]
    others = [*([] if python is None else [python]), in_c(loops[f.c, t], args)]
    tolerance = 1e-5 if t == "f32" else 1e-12
    (expected,) = others[0].run().results()
    for c in engines:
        (got,) = c.run().results()
        if not np.allclose(got, expected, rtol=tolerance, atol=tolerance):
            raise SystemExit(f"{t}.{name}, {c.name}: a wrong result")
    times = compete([*engines, *others], rounds)
    a, b, *rest = times
    ratios = [f"{ratio(x, y):.2f}" for y in rest for x in (a, b)]
    missing = [] if python is not None else ["-", "-"]
    ms = "-" if python is None else f"{1e3 * statistics.median(rest[0].rounds):.2f}"
    return (f"{t}.{name}", ms, *missing, *ratios)


HEAD = ("function", "python, ms", *(f"{via} / {p}" for p in ("python", "gcc") for via in VIAS))


def lines(rows: Iterator[tuple[str, ...]], *, markdown: bool) -> Iterator[str]:
    """Yield the lines of the table as the rows arrive."""
    if markdown:
        yield f"| {' | '.join(HEAD)} |"
        yield f"|---|{'---:|' * (len(HEAD) - 1)}"
        yield from (f"| {' | '.join(r)} |" for r in rows)
    else:
        yield from ("  ".join(x.rjust(16) for x in r) for r in chain([HEAD], rows))


def main(given: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", metavar="NAMES", help="some functions: sin,erf,**")
    parser.add_argument("--types", metavar="NAMES", default="f32,f64")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    asked = parser.parse_args(given)
    names = asked.only.split(",") if asked.only else list(FUNCTIONS)
    for x in names:
        if x not in FUNCTIONS:
            parser.error(f"there is no function {x}; there are {', '.join(FUNCTIONS)}")
    limit_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        loops = by_libmvec(Path(folder))
        rows = (
            row(x, t, asked.size, asked.rounds, loops)
            for t in asked.types.split(",")
            for x in names
        )
        for line in lines(rows, markdown=asked.markdown):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
