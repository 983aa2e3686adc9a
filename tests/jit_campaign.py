"""Generated programs for ``@funmem.jit`` against numpy and on all engines.

    python -m tests.jit_campaign -n 2000            # every 10th also as C and OpenCL
    python -m tests.jit_campaign --seed 17 -n 1     # one program again

A failing program is shortened and printed as a script.  The exit code is 3 if there was one.
"""

import argparse
import sys
import time
from collections import Counter

from funmem.testing.jit_generator.judge import judge, reproducer, shortened
from funmem.testing.jit_generator.program import generate_jit
from funmem.testing.judge.devices import Device


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=200, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--each", type=int, default=10, help="each K-th as C and OpenCL; 0: none")
    parser.add_argument("--no-engines", action="store_true", help="only numpy and Core")
    given = parser.parse_args(argv)
    ran: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    start = time.perf_counter()
    for k in range(given.n):
        seed = given.seed + k
        p = generate_jit(seed)
        devices = (Device.C, Device.OPENCL) if given.each and k % given.each == 0 else ()
        failure = judge(p, devices, ran, engines=not given.no_engines)
        if failure is not None:
            wrong[failure.engine, failure.code] += 1
            if wrong[failure.engine, failure.code] <= 3:
                found = shortened(p, failure, devices if failure.engine in ("c", "opencl") else ())
                print(reproducer(found, failure), flush=True)
        if k % 100 == 99:
            took = time.perf_counter() - start
            print(f"{k + 1} programs, {sum(wrong.values())} wrong, {took:.0f} s", flush=True)
    print(f"{given.n} programs, {sum(wrong.values())} wrong")
    print("runs:", ", ".join(f"{x} {n}" for x, n in sorted(ran.items())))
    for (engine, code), n in wrong.most_common():
        print(f"  {n:5d}  {engine}: {code}")
    return 3 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
