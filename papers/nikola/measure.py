"""Measure what paper 003 measures (section 6), in one Markdown table for each program and engine.

    python papers/nikola/measure.py --threads 1                  # about ten minutes
    python papers/nikola/measure.py --sizes 24 --peers gcc       # the largest arrays
    python papers/nikola/measure.py black_scholes --sizes 10,16 --rounds 3 --via c

    traced         the function under @funmem.jit: numpy arrays in, numpy arrays out
    ahead          the same function, compiled ahead of time (funmem.export)
    .fut           the same program in .fut (funmem.compile)
    each call      traced and compiled at each call, kernels from the cache
    cold           the same with empty caches, in a fresh process (imports not included)
    by hand        the same in OpenCL C through funmem.opencl (by_hand.py); no American option
    numpy, ...     the peers of `funmem bench`; one that is missing is named below the table

Sizes are powers of two; for american_option the size is the number of steps, at most 2^12.  Each
result is checked first.  Times are in milliseconds: medians over rounds in which all run in turns.
Below are medians of the rounds' ratios, and the length from which `traced` beats numpy.
"""

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from attrs import frozen

import funmem as fm
from funmem.bench import apart
from funmem.bench.contenders import Absent, Contender, Run
from funmem.bench.peers import named
from funmem.bench.rounds import Times, compete, ratio
from funmem.bench.table import markdown
from funmem.bench.tasks import Choice, Task, difference, load_module, tasks
from funmem.bench.threads import limit_threads
from funmem.codegen.files import write_file
from funmem.driver.source import read
from funmem.frontends.python.jit import Jitted

HERE = Path(__file__).resolve().parent
PAPERS = HERE.parent
EXAMPLES = PAPERS.parent / "examples" / "jit"
PEERS = "numpy,numba,jax,gcc"
ENGINES = {"c": "C", "opencl": "OpenCL"}
SIZES = "8,10,13,16,20"


@frozen
class Subject:
    """A program: its title, its folder, the Python file and the name of the traced function, the
    largest exponent; True if by_hand.py has a function of this name.
    """

    title: str
    folder: Path
    file: Path
    function: str
    most: int = 24
    by_hand: bool = False

    @property
    def path(self) -> Path:
        """The program in .fut."""
        return self.folder / f"{self.folder.name}.fut"

    def traced(self) -> Jitted:
        """Return the function under @funmem.jit, traced by nobody yet."""
        found: Jitted = getattr(load_module(self.file), self.function)
        return found

    def task(self, exponent: int) -> Task:
        """Return the call of the program with 2^exponent elements."""
        measured = load_module(self.folder / "reference.py").MEASURE
        (found,) = tasks(read(str(self.path)), Choice(scale=2**exponent / measured))
        return found


SUBJECTS = {
    x.folder.name: x
    for x in (
        Subject(
            "Black-Scholes",
            PAPERS / "benchmarks" / "black_scholes",
            PAPERS / "benchmarks" / "traced.py",
            "black_scholes",
            by_hand=True,
        ),
        Subject(
            "radix sort",
            HERE / "benchmarks" / "split_radix_sort",
            HERE / "radix_sort.py",
            "sort",
            by_hand=True,
        ),
        Subject(
            "American option",
            HERE / "benchmarks" / "american_option",
            EXAMPLES / "american_option.py",
            "put",
            12,
        ),
    )
}


# ---------------------------------------------------------------------- contenders


def arrays(found: Any) -> tuple[Any, ...]:
    """Return results in memory of the host."""
    return tuple(np.asarray(x) for x in (found if isinstance(found, tuple) else (found,)))


def calling(name: str, f: Callable[..., Any], args: Sequence[Any]) -> Contender:
    """Return a contender that calls a function as a user does: the transfer is in its time."""

    def run() -> Run:
        start = perf_counter()
        results = arrays(f(*args))
        seconds = perf_counter() - start
        return Run(seconds, lambda: results)

    return Contender(name, run)


def ahead(subject: Subject, via: str, folder: str) -> Callable[..., Any]:
    """Return the function of a module that was compiled ahead of time."""
    name = f"ahead_{subject.folder.name}_{via}"
    fm.export(subject.traced(), folder, name=name, target=via)
    sys.path.insert(0, folder)
    try:
        found: Callable[..., Any] = getattr(import_module(name), subject.function)
    finally:
        sys.path.remove(folder)
    return found


def forgetting(f: Jitted) -> Callable[..., Any]:
    """Return the function, which forgets its variants before each call."""

    def call(*args: Any) -> Any:
        f.clear()
        return f(*args)

    return call


def cold(subject: Subject, exponent: int, via: str) -> Contender:
    """Return a contender: a process with empty caches, which measures its first call."""
    command = [sys.executable, __file__, subject.folder.name, "--sizes", str(exponent)]

    def run() -> Run:
        with tempfile.TemporaryDirectory(prefix="funmem-nikola-") as folder:
            results = os.path.join(folder, "results.pickle")
            caches = {x: os.path.join(folder, x) for x in ("FUNMEM_CACHE", "POCL_CACHE_DIR")}
            os.mkdir(caches["POCL_CACHE_DIR"])
            root = os.pathsep.join(filter(None, (str(PAPERS.parent), os.environ.get("PYTHONPATH"))))
            environment = {**os.environ, **caches, "PYTHONPATH": root}
            done = subprocess.run(
                [*command, "--via", via, "--first-call", results],
                env=environment,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise SystemExit(f"{' '.join(command)}: {done.stderr}")
            found = pickle.loads(Path(results).read_bytes())
        return Run(float(done.stdout), lambda: found)

    return Contender("cold", run)


def first_call(subject: Subject, exponent: int, via: str, results: Path) -> None:
    """Print the seconds of the first call in this process, and write its results."""
    f, args = subject.traced(), subject.task(exponent).args
    load(via)
    with fm.using(via=via):
        start = perf_counter()
        found = arrays(f(*args))
        print(perf_counter() - start)
    write_file(results, pickle.dumps(found))


def load(via: str) -> None:
    """Compile something else, so that the compiler and the driver are loaded."""
    with fm.using(via=via):
        fm.jit(lambda x: x + 1)(np.ones(2))


def functions(subject: Subject, via: str, folder: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield funmem's contenders: their names, and what they call at every size."""
    yield "traced", subject.traced()
    yield "ahead", ahead(subject, via, folder)
    yield ".fut", fm.compile(subject.task(4).program, target=via)  # type: ignore[arg-type]  # one of two
    if subject.by_hand:
        yield "by hand", getattr(load_module(HERE / "by_hand.py"), subject.function)
    yield "each call", forgetting(subject.traced())


# ---------------------------------------------------------------------- a table


@frozen
class Row:
    """The times of one size, and the peers that did not run, with the reason."""

    exponent: int
    times: tuple[Times, ...]
    absent: dict[str, str]

    def of(self, name: str) -> Times | None:
        """Return the times of a contender that ran."""
        return next((t for t in self.times if t.name == name and not t.lost), None)


def measure(
    subject: Subject, exponents: Sequence[int], via: str, peers: Sequence[str], rounds: int
) -> Iterator[Row]:
    """Yield a row for each size.  Raises SystemExit for a wrong result of funmem's."""
    load(via)
    with tempfile.TemporaryDirectory(prefix="funmem-nikola-") as folder, fm.using(via=via):
        ours = list(functions(subject, via, folder))
        for k in exponents:
            task = subject.task(k)
            expected = task.expected()
            runners = [calling(name, f, task.args) for name, f in ours]
            if k == exponents[0]:  # a first call costs the same at each size
                runners.append(cold(subject, k, via))
            for c in runners:
                wrong = difference(task, expected, c.run().results())
                if wrong is not None:
                    raise SystemExit(f"{subject.folder.name}, {c.name}: {wrong}")
            absent: dict[str, str] = {}
            for found in apart.contenders(task, peers, expected):
                if isinstance(found, Absent):
                    absent[found.name] = found.why
                    continue
                wrong = difference(task, expected, found.run().results())
                if wrong is None:
                    runners.append(found)
                else:
                    absent[found.name] = wrong
                    found.close()
            try:
                times = compete(runners, rounds)
            finally:
                for c in runners:
                    c.close()
            absent |= {t.name: t.lost for t in times if t.lost}
            yield Row(k, tuple(times), absent)


def lines(title: str, via: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of two Markdown tables, times and ratios of ``traced``; then the length from
    which it beats numpy, and the missing peers.
    """
    columns = list(dict.fromkeys(t.name for r in rows for t in r.times))
    head = f"{title}, via {ENGINES[via]}"
    cells = [[_ms(r.of(x)) for x in columns] for r in rows]
    yield from markdown([(f"{head}: ms", *columns), *_with_sizes(rows, cells)])
    yield ""
    others = [x for x in columns if x not in ("traced", "each call", "cold")]
    cells = [[_ratio(r.of("traced"), r.of(x)) for x in others] for r in rows]
    yield from markdown([(f"{head}: traced / the other", *others), *_with_sizes(rows, cells)])
    yield ""
    if "numpy" in columns:
        yield f"- {head}: traced beats numpy {_from(rows)}."
    for peer, why in dict.fromkeys((x, why) for r in rows for x, why in r.absent.items()):
        yield f"- {head}: skipped {peer}: {why}"


def _with_sizes(rows: Sequence[Row], cells: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    return [(f"2^{r.exponent}", *x) for r, x in zip(rows, cells, strict=True)]


def _ms(t: Times | None) -> str:
    """Return the median in milliseconds, with three digits."""
    if t is None:
        return ""
    ms = 1e3 * t.median
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.3g}"


def _ratio(ours: Times | None, theirs: Times | None) -> str:
    return "" if ours is None or theirs is None else f"{ratio(ours, theirs):.2f}"


def _from(rows: Sequence[Row]) -> str:
    """Return from which measured length on the call takes less time than numpy's."""
    found: int | None = None
    for r in reversed(rows):
        ours, theirs = r.of("traced"), r.of("numpy")
        if ours is None or theirs is None or ratio(ours, theirs) >= 1:
            break
        found = r.exponent
    return "at none of these lengths" if found is None else f"from 2^{found} on"


def to_json(name: str, via: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows of seconds: program, engine, exponent, contender, seconds of each round."""
    return [
        {"program": name, "via": via, "size": r.exponent, "who": t.name, "rounds": t.rounds}
        for r in rows
        for t in r.times
    ]


def main(args: Sequence[str] | None = None) -> None:
    """Print a table for each program and engine."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("programs", nargs="*", help=f"default: {', '.join(SUBJECTS)}")
    parser.add_argument("--sizes", default=SIZES, help="exponents of two (default: %(default)s)")
    parser.add_argument("--via", action="append", choices=tuple(ENGINES))
    parser.add_argument("--peers", default=PEERS, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, help="threads of every contender")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the seconds of all rounds")
    parser.add_argument("--first-call", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(args)
    unknown = [x for x in asked.programs if x not in SUBJECTS]
    if unknown:
        parser.error(f"there is no program `{unknown[0]}`; there is {', '.join(SUBJECTS)}")
    if asked.threads is not None:
        limit_threads(asked.threads)
    exponents = sorted({int(x) for x in asked.sizes.split(",")})
    if asked.first_call is not None:
        first_call(SUBJECTS[asked.programs[0]], exponents[0], asked.via[0], asked.first_call)
        return
    written: list[dict[str, Any]] = []
    for name in asked.programs or SUBJECTS:
        subject = SUBJECTS[name]
        fitting = [k for k in exponents if k <= subject.most]
        for via in asked.via or ENGINES:
            run = partial(measure, subject, fitting, via, named(asked.peers), asked.rounds)
            rows = list(run())
            written += to_json(name, via, rows)
            print("\n".join(lines(subject.title, via, rows)), end="\n\n", flush=True)
    if asked.json is not None:
        write_file(asked.json, json.dumps({"format": 1, "rows": written}, indent=1) + "\n")


if __name__ == "__main__":
    main()
