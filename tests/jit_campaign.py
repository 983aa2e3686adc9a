"""Generated programs for ``@funmem.jit`` against numpy and on all engines.

    python -m tests.jit_campaign -n 2000            # every 10th also as C and OpenCL
    python -m tests.jit_campaign --seed 17 -n 1     # one program again

A failing program is shortened and printed as a script.  The exit code is 3 if there was one.
SIGINT and SIGTERM end the campaign; what it has found so far is printed.
``funmem fuzz --jit`` is the same for users.
"""

import argparse
import sys
import time

from funmem.testing.campaign.stopping import stoppable
from funmem.testing.jit_generator.campaign import Campaign, campaign
from funmem.testing.judge.devices import Device


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=200, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--each", type=int, default=10, help="each K-th as C and OpenCL; 0: none")
    parser.add_argument("--no-engines", action="store_true", help="only numpy and Core")
    given = parser.parse_args(argv)
    start = time.perf_counter()

    def after(c: Campaign, script: str | None) -> None:
        if script is not None:
            print(script, flush=True)
        if c.programs % 100 == 0:
            took = time.perf_counter() - start
            print(f"{c.programs} programs, {c.failures} wrong, {took:.0f} s", flush=True)

    each = {Device.C: given.each, Device.OPENCL: given.each}
    found = Campaign()
    with stoppable() as stop:
        engines = not given.no_engines
        campaign(given.n, given.seed, each, engines=engines, after=after, found=found)
    print(found.summary())
    return stop.exit_code(3 if found.failures else 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
