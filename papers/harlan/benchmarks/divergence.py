"""Measure how the order of the objects of a scene affects the time (paper 000, table 1).

    python papers/harlan/benchmarks/divergence.py
    python papers/harlan/benchmarks/divergence.py --via opencl --size 512 --rounds 9

The scene has a hundred spheres of two kinds: scaled first, or translated first.  They are rendered
in two orders: sorted by kind, and alternating.  If all pixels of a vector process the same object
at once, branches that depend on the object cost the same in both orders.  The kernels have no
bounds checks (`--fast`).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import evolve

from funmem.bench.contenders import Contender
from funmem.bench.ours import VIAS, contender
from funmem.bench.rounds import compete, ratio
from funmem.bench.tasks import Choice, Task, difference, load_module, tasks
from funmem.driver.options import Options
from funmem.driver.source import read

FOLDER = Path(__file__).parent / "ray_tracing"


def scenes(size: int) -> tuple[Task, Task]:
    """Return two tasks of ``size`` × ``size`` pixels: objects sorted by kind, and alternating."""
    r = load_module(FOLDER / "reference.py")
    (given,) = tasks(read(str(FOLDER / "ray_tracing.fut")), Choice(scale=size / r.MEASURE))
    n, *scene = given.args
    order = np.argsort(scene[0], kind="stable")
    in_order = (n, *(np.ascontiguousarray(x[order]) for x in scene))
    first = evolve(given, args=in_order, expected=lambda: r.reference(*in_order))
    return first, given


def verified(task: Task, name: str, via: str) -> Contender:
    """Return the compiled task.  Raises SystemExit if its result is wrong."""
    found = contender(task, via, Options(safe=False)).contender
    wrong = difference(task, task.expected(), found.run().results())
    if wrong is not None:
        raise SystemExit(f"{name}: a wrong result: {wrong}")
    return evolve(found, name=name)


def main(args: Sequence[str] | None = None) -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--via", choices=VIAS, default="c")
    parser.add_argument("--size", type=int, default=1024, help="pixels per side")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args(args)
    both = zip(scenes(asked.size), ("sorted", "unsorted"), strict=True)
    contenders = [verified(task, name, asked.via) for task, name in both]
    first, second = compete(contenders, asked.rounds, warm_up=1)
    for t in (first, second):
        print(f"{t.name:9} {1e3 * t.median:9.3f} ms")
    print(f"sorted / unsorted: {ratio(first, second):.3f}")


if __name__ == "__main__":
    main()
