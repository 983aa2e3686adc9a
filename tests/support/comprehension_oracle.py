"""What random comprehensions should compute, and whether they do.

    python -m tests.support.comprehension_oracle 0 3000                 these seeds, value
    interpreter python -m tests.support.comprehension_oracle 0 50 --via opencl

prints every comprehension that disagrees with Python.
"""

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from funmem.driver.engines import Runner, prepare
from funmem.driver.options import Engine, Options
from funmem.frontends.futhark.program import to_core, to_fun
from funmem.interp.core import run_core
from funmem.ir.diagnostics import FunmemError, Trap
from tests.support.comprehension_programs import HEAD, Made, arguments, made
from tests.support.devices import pocl

# ---------------------------------------------------------------------- what Python calls


class Wrong(Exception):
    """What the program traps at."""


def _check(holds: bool) -> None:
    if not holds:
        raise Wrong


def below(a: int, b: int, second: int | None = None) -> list[int]:
    step = 1 if second is None else second - a
    _check(step > 0 and a <= b)
    return list(range(a, b, step))


def upto(a: int, b: int) -> list[int]:
    _check(a <= b)
    return list(range(a, b + 1))


def down(a: int, b: int) -> list[int]:
    _check(a >= b)
    return list(range(a, b, -1))


def repeat(n: int, x: int) -> list[int]:
    _check(n >= 0)
    return [x] * n


def at(xs: Sequence[Any], i: int) -> Any:
    _check(0 <= i < len(xs))
    return xs[i]


def part(xs: Sequence[Any], lo: int, hi: int, step: int = 1) -> list[Any]:
    sign = 1 if step > 0 else -1
    n = math.trunc((hi - lo + step - sign) / step)
    _check(n >= 0)
    places = [lo + k * step for k in range(n)]
    _check(all(0 <= i < len(xs) for i in places))
    _check(not places or hi >= -1)
    return [xs[i] for i in places]


def evens(n: int) -> list[int]:
    _check(n >= 0)
    return list(range(0, n, 2))


def compose(p: tuple[int, int], q: tuple[int, int]) -> tuple[int, int]:
    return p[0] * q[0] % 97, (p[1] * q[0] + q[1]) % 97


def _sortable(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_sortable, key))
    return (math.isnan(key), 0.0 if math.isnan(key) else key)


def ordered(rows: Iterable[Any], key: Callable[[Any], Any]) -> list[Any]:
    return sorted(rows, key=lambda row: _sortable(key(row)))


def grouped(
    rows: Iterable[tuple[Any, tuple[Any, ...]]],
    folds: Sequence[tuple[Callable[[Any, Any], Any], Any]],
) -> list[tuple[Any, ...]]:
    result = []
    whole = ordered(rows, lambda row: row[0])
    for _, group in groupby(whole, key=lambda row: _sortable(row[0])):
        members = list(group)
        out = [members[0][0]]
        for k, (op, _) in enumerate(folds):
            acc, *rest = (values[k] for _, values in members)
            for v in rest:
                acc = op(acc, v)
            out.append(acc)
        result.append(tuple(out))
    return result


def beside(*parts: list[Any]) -> list[Any]:
    _check(len(set(map(len, parts))) == 1)
    return list(zip(*parts, strict=True))


ENVIRONMENT = {
    "below": below,
    "upto": upto,
    "down": down,
    "repeat": repeat,
    "at": at,
    "part": part,
    "evens": evens,
    "compose": compose,
    "ordered": ordered,
    "grouped": grouped,
    "beside": beside,
    "nan": math.nan,
}


# ---------------------------------------------------------------------- agreement

NUMPY = {"i64": np.int64, "i32": np.int32, "i8": np.int8, "f64": np.float64, "bool": np.bool_}
Columns = list[Any]


def arrays(given: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments as funmem takes them."""
    return (
        given["n"],
        np.array(given["xs"], np.int64),
        np.array(given["ys"], np.int64),
        np.array(given["fs"], np.float64),
        np.array(given["m"], np.int64).reshape(len(given["m"]), given["columns"]),
    )


def expected(g: Made, given: dict[str, Any]) -> Columns | None:
    """The columns that Python finds; None if it raises where the program traps."""
    names = {x: v for x, v in given.items() if x != "columns"}
    try:
        rows = eval(g.python, {**ENVIRONMENT, **names})
    except (Wrong, ZeroDivisionError):
        return None
    return [np.array([row[k] for row in rows], NUMPY[t]) for k, t in enumerate(g.columns)]


def outcome(run: Callable[[], Sequence[Any]]) -> Columns | None:
    """The columns that the program computes; None if it traps."""
    try:
        return [np.asarray(getattr(v, "data", v)) for v in run()]
    except Trap:
        return None


def same(got: Columns | None, want: Columns | None) -> bool:
    if got is None or want is None:
        return got is None and want is None
    return len(got) == len(want) and all(
        x.shape == y.shape and np.array_equal(x, y, equal_nan=y.dtype.kind == "f")
        for x, y in zip(got, want, strict=True)
    )


def disagreement(g: Made, run: Callable[[tuple[Any, ...]], Sequence[Any]], sets: int) -> str:
    """The first set of arguments for which program and Python differ; empty if there is none."""
    for k in range(sets):
        given = arguments(3 * g.seed + k)
        want, got = expected(g, given), outcome(lambda given=given: run(arrays(given)))
        if not same(got, want):
            return f"seed {g.seed}: {given}\n{g.fut}\n{g.python}\nwant {want}\ngot  {got}"
    return ""


def by_engine(g: Made, engine: Engine) -> str:
    """The disagreement by an engine, the same program for two sets of arguments."""
    device = pocl().info.name if engine is Engine.OPENCL else None
    program = to_fun(HEAD + g.program(), f"seed{g.seed}.fut")
    runner: Runner = prepare(program, engine, Options(device=device, safe=True))
    return disagreement(g, lambda args: runner.run("main", args).values, 2)


def by_core(g: Made) -> str:
    """The disagreement of what elaboration made, before any pass."""
    core = to_core(HEAD + g.program(), f"seed{g.seed}.fut")
    return disagreement(g, lambda args: run_core(core, "main", args), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--via", choices=[e.value for e in Engine], default="value")
    options = parser.parse_args()
    wrong = 0
    for seed in range(options.first, options.last):
        g = made(seed)
        try:
            core = options.via == "core"
            found = by_core(g) if core else by_engine(g, Engine.named(options.via))
        except FunmemError as error:
            found = f"seed {seed}: {error}\n{g.fut}"
        if found:
            wrong += 1
            print(found, flush=True)
    print(f"{options.last - options.first} comprehensions, {wrong} disagree")


if __name__ == "__main__":
    main()
