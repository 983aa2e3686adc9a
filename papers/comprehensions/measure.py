"""Compare the comprehension of Pythagorean triples on a device and in Python.

    python papers/comprehensions/measure.py              n = 1000, three rounds
    python papers/comprehensions/measure.py -n 300 --runs 9

A round runs both, one after the other, so that both see the same load of the machine.  The medians
are compared.  The first call on the device builds the kernels and is not counted.
"""

import argparse
import platform
import statistics
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import funmem

HERE = Path(__file__).parent


def in_python(n: int) -> "Triples":
    """Return the triples below n, by a comprehension in Python."""
    return [
        (x, y, z)
        for x in range(1, n)
        for y in range(x, n)
        for z in range(y, x + y)
        if z < n
        if x * x + y * y == z * z
    ]


Triples = list[tuple[int, int, int]]


def timed(f: Callable[[int], Triples], n: int) -> tuple[float, Triples]:
    before = perf_counter()
    triples = f(n)
    return perf_counter() - before, triples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1000, help="triples below n (1000)")
    parser.add_argument("--runs", type=int, default=3, help="rounds (3)")
    parser.add_argument("--device", help="a number or name that `funmem doctor` lists")
    options = parser.parse_args()
    n = options.n
    compiled = funmem.compile(funmem.load(HERE / "pythagorean.fut"), device=options.device)
    entry = compiled.entry("main")

    def on_device(n: int) -> Triples:
        return list(zip(*(column.tolist() for column in entry(n)), strict=True))

    on_device(n)
    device, python = [], []
    for _ in range(options.runs):
        (mine, found), (its, expected) = timed(on_device, n), timed(in_python, n)
        if found != expected:
            raise SystemExit("the device and Python disagree")
        device.append(mine)
        python.append(its)
    ours, theirs = statistics.median(device), statistics.median(python)
    print(f"{len(found)} triples below {n}, medians of {options.runs} runs:")
    print(f"  {ours:9.4f} s  funmem on {compiled.device}")
    print(f"  {theirs:9.4f} s  CPython {platform.python_version()}")
    print(f"  {theirs / ours:9.1f} times as fast")


if __name__ == "__main__":
    main()
