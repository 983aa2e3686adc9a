"""``funmem tune --machine``: the defaults of a machine, from one search over built-in kernels.

The kernels (``kernels.fut``) are small: an inner product, a product of matrices, a stencil, a scan,
and while-loops whose numbers of iterations differ.  A candidate's time is the mean of its kernels'
times over the default's, so that each kernel counts alike.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from funmem.bench.contenders import Contender, Run
from funmem.bench.ours import Compiled, compiled
from funmem.bench.tasks import Arrays, Task, difference
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Options
from funmem.driver.source import read
from funmem.driver.stored_tunings import MACHINE, keep_for_machine, machine_defaults
from funmem.ir.fun import Program
from funmem.ir.record import evolve, frozen
from funmem.ir.values import ArgValue, Data
from funmem.passes.tuning import Tuning
from funmem.tune.search import Search
from funmem.tune.subject import Answer, Say, require_right, where
from funmem.tune.values import Values

SOURCE = Path(__file__).parent / "kernels.fut"

SECONDS = 15.0
"""The default budget."""

TIMED = 3
"""Runs of each kernel by which it is weighted."""


@frozen(eq=False)
class Kernel:
    """A built-in kernel: arguments, by a random number generator, and the results by numpy.

    ``parameters``: those that change its code; it is not compiled for other values of others.
    ``width`` is not one of them: a number of iterations that suits one kernel does not suit others,
    and without it ``kept`` decides for each.
    """

    arguments: Callable[[np.random.Generator], tuple[ArgValue, ...]]
    expected: Callable[..., Data]
    parameters: frozenset[str]


F32 = NDArray[np.float32]


def _floats(*shape: int) -> Callable[[np.random.Generator], F32]:
    return lambda rng: rng.random(shape, dtype=np.float32)


def _stencil(steps: int, grid: F32) -> F32:
    for _ in range(steps):
        g = np.pad(grid, 1, mode="edge")
        around = g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:]
        grid = np.float32(0.2) * (grid + around)
    return grid


def _escape(limit: int, cs: F32) -> NDArray[np.int32]:
    x, y, count = np.zeros_like(cs), np.zeros_like(cs), np.zeros(cs.shape, np.int32)
    for _ in range(limit):
        inside = x * x + y * y < 4
        if not inside.any():
            break
        nx, ny = x * x - y * y + cs, 2 * x * y + np.float32(0.25) * cs
        x, y = np.where(inside, nx, x), np.where(inside, ny, y)
        count += inside
    return count


KERNELS: Mapping[str, Kernel] = {
    "inner_product": Kernel(
        lambda rng: tuple(_floats(1 << 21)(rng) for _ in range(2)),
        lambda xs, ys: np.array(xs.astype(np.float64) @ ys, np.float32),
        frozenset({"threads", "strip", "group"}),
    ),
    "product": Kernel(
        lambda rng: tuple(_floats(320, 320)(rng) for _ in range(2)),
        lambda a, b: a @ b,
        frozenset({"rows", "kept", "block", "group"}),
    ),
    "stencil": Kernel(
        lambda rng: (np.int32(4), _floats(512, 512)(rng)), _stencil, frozenset({"group"})
    ),
    "scan": Kernel(
        lambda rng: (_floats(1 << 21)(rng),),
        lambda xs: np.cumsum(xs, dtype=np.float64).astype(np.float32),
        frozenset({"threads", "strip", "group"}),
    ),
    "escape": Kernel(
        lambda rng: (np.int32(200), (4 * rng.random(1 << 15) - 2).astype(np.float32)),
        _escape,
        frozenset({"kept", "rounds", "group"}),
    ),
}
"""Entry point of ``kernels.fut`` -> the kernel."""


def kernel_tasks() -> tuple[Task, ...]:
    """Return a call of each kernel.  Their results depend on rounding, by 1e-3 at most."""
    source = read(str(SOURCE))
    whole, rng = source.parse(), np.random.default_rng(0)
    assert isinstance(whole, Program)
    found = []
    for name, kernel in KERNELS.items():
        alone = evolve(whole, entries=tuple(e for e in whole.entries if e.name == name))
        args = kernel.arguments(rng)
        expected = partial(_results, kernel, args)
        s = signature_of(alone, name)
        found.append(Task(name, source.name, alone, s, args, expected, "numpy", rtol=1e-3))
    return tuple(found)


def _results(kernel: Kernel, args: Sequence[ArgValue]) -> Arrays:
    return (np.asarray(kernel.expected(*args)),)


@frozen(eq=False)
class _Candidate:
    """All kernels, compiled; the results of its contender are those of all kernels."""

    parts: tuple[Compiled, ...]
    weights: tuple[float, ...]
    built: Callable[[int, str], Contender]

    @property
    def code(self) -> str:
        return "\n".join(c.code for c in self.parts)

    def build(self) -> Contender:
        """Build the kernels that are not built yet.  Raises DeviceError."""
        each = [self.built(k, c.code) for k, c in enumerate(self.parts)]

        def run() -> Run:
            runs = [c.run() for c in each]
            seconds = sum(w * r.seconds for w, r in zip(self.weights, runs, strict=True))
            return Run(seconds, lambda: tuple(x for r in runs for x in r.results()))

        return Contender("kernels", run)


class KernelsSubject:
    """The built-in kernels on an engine, as the subject of a search.

    ``plain``: the default.  It is built and weighted at once; ``weights`` has a factor for each
    kernel's seconds, with which all kernels take equally long and all together as long as before.
    """

    def __init__(self, tasks: Sequence[Task], via: str, options: Options, plain: Tuning) -> None:
        self.tasks, self._via, self._options, self._plain = tasks, via, options, plain
        self._compiled = cache(self._compile)
        self._built = cache(self._build)
        self._makers: dict[tuple[int, str], Callable[[], Contender]] = {}
        self.weights = (1.0,) * len(tasks)
        parts = self.compile(plain).parts
        contenders = [self._built(k, c.code) for k, c in enumerate(parts)]
        self.expected = tuple(x for c in contenders for x in c.run().results())
        seconds = [min(c.run().seconds for _ in range(TIMED)) for c in contenders]
        self.weights = tuple(sum(seconds) / len(seconds) / max(s, 1e-9) for s in seconds)

    def compile(self, tuning: Tuning) -> _Candidate:
        """Compile the kernels whose parameters have other values than before.

        Raises FunmemError.
        """
        parts = []
        for k, task in enumerate(self.tasks):
            own = KERNELS[task.name].parameters
            values = {x: n for x, n in tuning.values().items() if x in own}
            parts.append(self._compiled(k, self._plain.changed(values)))
        return _Candidate(tuple(parts), self.weights, self._built)

    def _compile(self, k: int, tuning: Tuning) -> Compiled:
        c = compiled(self.tasks[k], self._via, self._options, tuning)
        self._makers.setdefault((k, c.code), c.build)
        return c

    def _build(self, k: int, code: str) -> Contender:
        return self._makers[k, code]()

    def wrong(self, built: Contender) -> str | None:
        """Return the difference from the default's results, or None.  Raises FunmemError."""
        results = built.run().results()
        for k, task in enumerate(self.tasks):
            why = difference(task, self.expected[k : k + 1], results[k : k + 1])
            if why is not None:
                return f"{task.name}: {why}"
        return None


def tune_machine(
    via: str,
    options: Options,
    budget: float,
    say: Say = lambda _: None,
    clock: Callable[[], float] = perf_counter,
) -> Answer:
    """Find the defaults of this machine on an engine.  With ``options.cache``, the stored ones are
    the first candidate, and the result is stored.

    Raises DefaultWrong, and DeviceError without a compiler or device.
    """
    start = clock()
    place, values, plain = where(via, options)
    say("compiling")
    tasks = kernel_tasks()
    subject = KernelsSubject(tasks, via, options, plain)
    for k, task in enumerate(tasks):
        require_right(task, subject.expected[k : k + 1])
    default = subject.compile(plain)
    earlier = machine_defaults(place) if options.cache else None
    search = Search(subject, _of_kernels(values), budget, clock, say, plain)
    found = search.run(default.build(), default.code, earlier)
    if options.cache:
        keep_for_machine(place, found.tuning)
    seconds = clock() - start
    judge, kept = "numpy", options.cache
    return Answer(MACHINE, "", via, place.name, {}, judge, budget, seconds, found, kept)


def _of_kernels(values: Values) -> Values:
    """Return the parameters that change a kernel."""
    some = frozenset(x for k in KERNELS.values() for x in k.parameters)
    return {x: v for x, v in values.items() if x in some}
