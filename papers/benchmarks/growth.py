"""Measure how time grows: each program at three sizes, each with ten times the work of the last.

    python papers/benchmarks/growth.py --plot growth.png
    python papers/benchmarks/growth.py papers/nova/benchmarks --via opencl --rounds 3
    python papers/benchmarks/growth.py papers/benchmarks/lu --scale 0.5 --threads 1

The largest size is MEASURE of `reference.py`, times --scale.  The work of a program is its size to
the power in `POWERS`.  Printed and drawn are nanoseconds per unit of work of funmem and plain C,
which run in turns.  Both increase where the data no longer fit into a cache.  If only the time of
funmem increases, some part of it grows faster than the work.  On a shared machine, a run that ends
within one time slice seems faster than a longer one, for both.  The kernels of funmem check bounds,
except with --fast.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve, frozen

from funmem.bench.contenders import Contender
from funmem.bench.ours import VIAS, contender
from funmem.bench.peers import peers
from funmem.bench.rounds import compete
from funmem.bench.tasks import Arrays, Choice, Task, difference, load_module, scaled, tasks
from funmem.bench.threads import limit_threads
from funmem.codegen.files import written
from funmem.driver.options import Options
from funmem.driver.source import read
from funmem.suite.files import find_programs

POWERS = {
    **dict.fromkeys(("matmul", "lu"), 3),
    **dict.fromkeys(("nbody", "point_masses"), 2),
    **dict.fromkeys(("transpose", "hotspot", "needleman_wunsch", "mandelbrot"), 2),
    **dict.fromkeys(("gridred", "box3x3", "ray_tracing"), 2),
}
"""Exponent of the size in the work of a program: 2 for the side of a picture; others have 1."""

STEPS = (0.01, 0.1, 1.0)


@frozen
class Growth:
    """Sizes, and the time per unit of work at each in ns; ``theirs``: that of C, if available."""

    name: str
    sizes: tuple[int, ...]
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def last_step(self) -> tuple[float, float | None]:
        """Time per unit of work at the largest size relative to the middle size: ours, C's."""
        own = self.ours[-1] / self.ours[-2]
        return own, self.theirs[-1] / self.theirs[-2] if self.theirs else None


def measure(path: str, via: str, rounds: int, scale: float, *, safe: bool = True) -> Growth:
    """Measure one program.  Raises SystemExit if a result is wrong."""
    r = load_module(Path(path).parent / "reference.py")
    power = POWERS.get(Path(path).stem, 1)
    scales = [scale * step ** (1 / power) for step in STEPS]
    sizes = tuple(scaled(r.MEASURE, x) for x in scales)
    ours, theirs = [], []
    for x in scales:
        (t,) = tasks(read(path), Choice(scale=x))
        expected = t.expected()
        ours.append(_right(t, expected, contender(t, via, Options(safe=safe)).contender))
        theirs += [_right(t, expected, c) for c in _plain(t, expected)]
    times = compete([*ours, *theirs], rounds)
    units = [float(n) ** power for n in sizes]
    each = [1e9 * t.median / u for t, u in zip(times, [*units, *units], strict=False)]
    return Growth(Path(path).stem, sizes, tuple(each[: len(STEPS)]), tuple(each[len(STEPS) :]))


def _plain(t: Task, expected: Arrays) -> Iterator[Contender]:
    """Yield the plain C version, compiled with the same strict floating-point semantics."""
    for c in peers(t, ("gcc",), expected):
        if isinstance(c, Contender) and c.name == "gcc":
            yield c


def _right(t: Task, expected: Arrays, c: Contender) -> Contender:
    wrong = difference(t, expected, c.run().results())
    if wrong is not None:
        raise SystemExit(f"{t.name}, {c.name}: a wrong result: {wrong}")
    return evolve(c, name=f"{t.name} {c.name}")


def line(g: Growth) -> str:
    """Return the printed line of a row."""
    own, their = g.last_step
    numbers = "  ".join(f"{n:>9} {x:10.4g}" for n, x in zip(g.sizes, g.ours, strict=True))
    return f"{g.name:17} {numbers}   {own:6.2f}  {'-' if their is None else f'{their:.2f}':>6}"


def plot(found: Sequence[Growth], file: Path, via: str) -> None:
    """Draw a small plot for each program: time per unit of work over work."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    columns = min(5, len(found))
    rows = -(-len(found) // columns)
    figure = Figure(figsize=(2.6 * columns, 2.1 * rows + 0.6), layout="constrained")
    all_axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for g, axes in zip(found, all_axes, strict=False):
        work = [n ** POWERS.get(g.name, 1) for n in g.sizes]
        axes.loglog(work, g.ours, "o-", color="tab:blue", label=f"funmem, {via}")
        if g.theirs:
            axes.loglog(work, g.theirs, "s--", color="tab:gray", label="plain C")
        every = (*g.ours, *g.theirs)
        middle = (min(every) * max(every)) ** 0.5
        reach = max(4.0, 1.5 * max(every) / middle)
        axes.set_ylim(middle / reach, middle * reach)
        axes.set_title(g.name, fontsize=9)
        axes.tick_params(labelsize=7)
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(visible=True, alpha=0.3)
    for axes in all_axes[len(found) :]:
        axes.set_visible(False)
    figure.supxlabel("units of work", fontsize=9)
    figure.supylabel("ns for each", fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2, fontsize=8)
    with written(file) as f:
        figure.savefig(f, format=file.suffix[1:], dpi=120)


def main(args: Sequence[str] | None = None) -> None:
    """Print a line for each program, and draw the plots."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("paths", nargs="*", default=[str(Path(__file__).parent)])
    parser.add_argument("--via", choices=VIAS, default="c")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the sizes")
    parser.add_argument("--threads", type=int, help="number of threads, for funmem and C")
    parser.add_argument("--fast", action="store_true", help="compile kernels without bounds checks")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw to FILE, .png or .svg")
    asked = parser.parse_args(args)
    if asked.threads is not None:
        limit_threads(asked.threads)
    print(f"{'':17} {'size, ns for a unit of work':64}   last step, and that of C")
    found = []
    for path in find_programs(asked.paths):
        found.append(measure(path, asked.via, asked.rounds, asked.scale, safe=not asked.fast))
        print(line(found[-1]), flush=True)
    if asked.plot is not None:
        plot(found, asked.plot, asked.via)


if __name__ == "__main__":
    main()
