"""Measure what short-circuiting and merging save: neither, one, the other, both.

    python papers/funmem/benchmarks/measure.py                        all programs: some minutes
    python papers/funmem/benchmarks/measure.py lud hotspot --size 256 --rounds 9
    python papers/funmem/benchmarks/measure.py --plot ablation.svg --json ablation.json

Each program is compiled by four variants of the default pipeline of the device, which differ in two
passes.  The columns for each variant are

    time         median of the rounds, in milliseconds.  A round runs the variants one after the
                 other, so that all see the same load of the machine; every second round runs them
                 in reverse order.  Arguments and results are transferred in each run
    copies       copies of arrays in one run, counting those of each thread, and the number of
                 places in loops and kernels that make them (`copies.py` counts in the IMP program)
    copied       bytes that these copies move
    peak         largest number of bytes of blocks held at once, with arguments and results
    bound        with --bound: largest number of bytes of array elements needed at once, a lower
                 bound for the statements of the variant in their order (some minutes for nested
                 loops)

The programs run on the default CPU, and on a GPU if there is one.  Before the timed runs, the
results of each variant are compared with the numpy reference at a small size, and with the results
of the first variant at the measured size.
"""

import argparse
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Protocol, cast

import numpy as np
from attrs import asdict, evolve, frozen
from numpy.typing import NDArray

import funmem
from funmem.codegen.cache import Cache
from funmem.codegen.device import Device, list_devices, open_device
from funmem.codegen.files import write_file, written
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import EntryPoint, Executable
from funmem.ir.diagnostics import UsageError
from funmem.ir.fun import MemProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.scalars import I64
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue, ArrayValue, Value, bind
from funmem.passes.framework import AnyProgram, as_imp, as_tree
from funmem.passes.pipeline import ALLOCATE, CPU, FUN, LOWER, MEMORY
from funmem.passes.registry import names as pass_names
from funmem.passes.runner import Pipeline

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from copies import Copies, NotCountable, count  # noqa: E402

# ---------------------------------------------------------------------- pipelines

SHORT_CIRCUIT, MERGE = "short-circuit", "merge"

VARIANTS: Mapping[str, frozenset[str]] = {
    "none": frozenset(),
    SHORT_CIRCUIT: frozenset({SHORT_CIRCUIT}),
    MERGE: frozenset({MERGE}),
    "both": frozenset({SHORT_CIRCUIT, MERGE}),
}
"""The variants: name, and which of the two passes run."""

STEPS = tuple(f"{ALLOCATE},{MEMORY}".split(","))
"""The steps of the default pipeline from ``allocate`` to the last pass on memory."""


def pipeline(optional: frozenset[str], *, gpu: bool = False) -> Pipeline:
    """Return the pipeline up to the last pass on memory; of the two passes only ``optional`` run.

    Raises UsageError if a pass does not exist.
    """
    steps = [s for s in STEPS if s not in {SHORT_CIRCUIT, MERGE} - optional]
    if gpu:  # neighbouring threads access neighbouring elements
        steps[steps.index("expand")] = "expand{layout=interleaved}"
    return Pipeline.parse(",".join((FUN, *steps)))


def missing(optional: frozenset[str]) -> list[str]:
    """Return the passes of a variant that this version of the compiler does not have."""
    return sorted(optional - set(pass_names()))


# ---------------------------------------------------------------------- programs


class Reference(Protocol):
    """The interface of ``NAME/reference.py``; optionally ``ENTRIES``, besides ``main``."""

    SIZES: tuple[int, ...]
    MEASURE: int
    RTOL: float

    def inputs(self, n: int, seed: int) -> tuple[ArgValue, ...]: ...
    def reference(self, *args: ArgValue) -> tuple[NDArray[np.generic], ...]: ...


def benchmarks() -> list[str]:
    """Return the names of the folders of benchmarks beside this file."""
    return sorted(p.parent.name for p in HERE.glob("*/reference.py"))


def reference(name: str) -> Reference:
    """Return ``NAME/reference.py`` as a module."""
    path = HERE / name / "reference.py"
    spec = importlib.util.spec_from_file_location(f"reference_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast(Reference, module)


def program(name: str) -> AnyProgram:
    """Return ``NAME/NAME.fut`` in FUN."""
    return funmem.load(HERE / name / f"{name}.fut")


def entries(r: Reference) -> tuple[str, ...]:
    """Return the entry points that compute the result of the reference."""
    return ("main", *getattr(r, "ENTRIES", ()))


# ---------------------------------------------------------------------- measuring


@frozen
class Measured:
    """One variant of one entry point on one device; times in seconds, one for each round."""

    benchmark: str
    entry: str
    variant: str
    device: str
    size: int
    times: tuple[float, ...]
    copies: int | None
    places: int | None
    copied_bytes: int | None
    at_most: bool
    peak_bytes: int
    bound_bytes: int | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.times)


@frozen
class Variant:
    """A program compiled by the pipeline of one variant."""

    name: str
    memory: MemProgram
    imp: ImpProgram
    """The lowered program, in which copies are counted."""
    executable: Executable


def compiled(p: AnyProgram, device: Device, names: Sequence[str], safe: bool) -> list[Variant]:
    """Return the program compiled by the pipeline of each variant."""
    found = []
    for name in names:
        memory = as_tree(pipeline(VARIANTS[name], gpu=device.info.is_gpu).run(p))
        imp = as_imp(Pipeline.parse(LOWER).run(memory))
        side_by_side = imp if device.info.is_gpu else as_imp(Pipeline.parse(CPU).run(imp))
        kernels = compile_imp(side_by_side, safe=safe, gpu=device.info.is_gpu)
        executable = Executable.load(kernels, device, Cache.default())
        found.append(Variant(name, memory, imp, executable))
    return found


def peak_bytes(entry: EntryPoint) -> int:
    """Return the largest number of bytes of blocks that the last run held at once."""
    return entry.stats.peak_bytes


def bound_bytes(v: Variant, entry: str, args: Sequence[ArgValue]) -> int | None:
    """Return the largest number of bytes needed at once.

    Returns None and prints a message if a size depends on the data.
    """
    from funmem.passes.mem.merge.peak import lower_bound

    chosen = next(e for e in v.memory.entries if e.name == entry)
    own = signature(chosen)
    sizes, values = bind(own, args)
    for p, value in zip(own.params, values, strict=True):
        if p.type is I64 and isinstance(value, int):
            sizes[p.name] = value
    try:
        return lower_bound(chosen, sizes)
    except UsageError as why:
        print(f"  {v.name}: no lower bound: {why}", file=sys.stderr)
        return None


def measure(
    name: str, entry: str, variants: Sequence[Variant], r: Reference, n: int, rounds: int
) -> list[Measured]:
    """Measure all variants in turns.  Raises SystemExit if results differ."""
    small = r.inputs(r.SIZES[-1], seed=1)
    args = r.inputs(n, seed=2)
    expected = r.reference(*small)
    points = {v.name: v.executable.entry(entry) for v in variants}
    first: tuple[Value, ...] | None = None
    for v in variants:
        label = f"{name}, {entry}, {v.name}"
        agree(
            label,
            points[v.name].run(small),
            tuple(map(ArrayValue, map(np.asarray, expected))),
            r.RTOL,
        )
        results = points[v.name].run(args)
        if first is None:
            first = results
        agree(label, results, first, r.RTOL)
    times: dict[str, list[float]] = {v.name: [] for v in variants}
    for k in range(rounds):
        for v in variants if k % 2 == 0 else reversed(variants):
            before = perf_counter()
            points[v.name].run(args)
            times[v.name].append(perf_counter() - before)
    return [row(name, entry, v, n, times[v.name], args) for v in variants]


def row(
    name: str, entry: str, v: Variant, n: int, times: Sequence[float], args: Sequence[ArgValue]
) -> Measured:
    """Return a row of the table, after the last run of the entry point with these arguments."""
    found = counted(v, entry, args)
    return Measured(
        benchmark=name,
        entry=entry,
        variant=v.name,
        device=v.executable.device.info.name,
        size=n,
        times=tuple(times),
        copies=found.times if found else None,
        places=found.inside if found else None,
        copied_bytes=found.bytes if found else None,
        at_most=found is not None and found.at_most,
        peak_bytes=peak_bytes(v.executable.entry(entry)),
    )


def counted(v: Variant, entry: str, args: Sequence[ArgValue]) -> Copies | None:
    """Return the copies of one run; None, with a message, if they depend on the data."""
    try:
        return count(v.imp, entry, args)
    except NotCountable as why:
        print(f"  {v.name}: copies are not counted: {why}", file=sys.stderr)
        return None


def agree(label: str, got: Sequence[Value], want: Sequence[Value], rtol: float) -> None:
    """Raise SystemExit unless the results are equal up to ``rtol`` of the largest element."""
    for a, b in zip(map(array, got), map(array, want), strict=True):
        limit = rtol * max(1.0, float(np.abs(b).max(initial=0)))
        if a.shape != b.shape or not float(np.abs(a - b).max(initial=0)) <= limit:
            raise SystemExit(f"{label}: a wrong result")


def array(v: Value) -> NDArray[np.float64]:
    return np.asarray(v.data if isinstance(v, ArrayValue) else v, np.float64)


# ---------------------------------------------------------------------- output

HEAD = (
    "entry",
    "variant",
    "time ms",
    "ratio",
    "copies",
    "places",
    "copied MiB",
    "peak MiB",
    "bound MiB",
)


def table(rows: Sequence[Measured]) -> str:
    """Return the table of one benchmark on one device; times are also relative to the first row."""
    lines: list[tuple[str, ...]] = [HEAD]
    first: dict[str, float] = {}
    for m in rows:
        base = first.setdefault(m.entry, m.median)
        sign = "<= " if m.at_most else ""
        bound = "-" if m.bound_bytes is None else mebibytes(m.bound_bytes)
        copied = f"{sign}{mebibytes(m.copied_bytes)}"
        copies = (f"{sign}{number(m.copies)}", number(m.places), copied)
        times = (f"{1e3 * m.median:.2f}", f"{m.median / base:.2f}")
        lines.append((m.entry, m.variant, *times, *copies, mebibytes(m.peak_bytes), bound))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  " + aligned(line, widths) for line in lines)


def aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of the table: two columns of words to the left, numbers to the right."""
    cells = zip(line, widths, strict=True)
    return "  ".join(x.ljust(w) if k < 2 else x.rjust(w) for k, (x, w) in enumerate(cells))


def number(n: int | None) -> str:
    return "?" if n is None else str(n)


def mebibytes(n: int | None) -> str:
    return "?" if n is None else f"{n / 2**20:.3f}"


PANELS: tuple[tuple[str, Callable[[Measured], float | None]], ...] = (
    ("time", lambda m: m.median),
    ("copies", lambda m: m.copies),
    ("bytes copied", lambda m: m.copied_bytes),
    ("peak bytes", lambda m: m.peak_bytes),
)


def plot(rows: Sequence[Measured], path: Path) -> None:
    """Draw bars for each entry point, relative to its first variant, as SVG or PNG."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("--plot needs matplotlib: pip install matplotlib") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    keys = list(dict.fromkeys((m.device, m.benchmark, m.entry) for m in rows))
    variants = list(dict.fromkeys(m.variant for m in rows))
    by = {(m.device, m.benchmark, m.entry, m.variant): m for m in rows}
    figure, axes = plt.subplots(len(PANELS), 1, figsize=(2 + 1.1 * len(keys), 9), sharex=True)
    for axis, (title, value) in zip(axes, PANELS, strict=True):
        for k, variant in enumerate(variants):
            heights = []
            for key in keys:
                base, own = value(by[*key, variants[0]]), value(by[*key, variant])
                heights.append(float("nan") if base is None or own is None else own / (base or 1))
            at = np.arange(len(keys)) + (k - (len(variants) - 1) / 2) * 0.8 / len(variants)
            axis.bar(at, heights, 0.8 / len(variants), label=variant)
        axis.set_ylabel(f"{title},\nrelative to {variants[0]}")
        axis.axhline(1, color="black", linewidth=0.5)
    devices = {d: f" ({d[:20]})" if len({k[0] for k in keys}) > 1 else "" for d, _, _ in keys}
    labels = [f"{b}{'' if e == 'main' else ', ' + e}{devices[d]}" for d, b, e in keys]
    axes[-1].set_xticks(np.arange(len(keys)), labels, rotation=30, ha="right")
    axes[0].legend(ncols=len(variants), loc="lower center", bbox_to_anchor=(0.5, 1))
    figure.tight_layout()
    with written(path) as f:
        figure.savefig(f, format=path.suffix[1:])
    print(f"plotted to {path}")


# ---------------------------------------------------------------------- command line


def devices(spec: str | None) -> list[Device]:
    """Return the named device, or the best CPU and the best GPU."""
    if spec is not None:
        return [open_device(spec)]
    real = [d for d in list_devices() if not d.is_simulator]
    chosen = [next((d for d in real if d.is_gpu is gpu), None) for gpu in (False, True)]
    found = [open_device(str(d.index)) for d in chosen if d is not None]
    return found or [open_device()]


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument(
        "names", nargs="*", metavar="NAME", help=f"benchmarks: {', '.join(benchmarks())} (all)"
    )
    p.add_argument("--size", type=int, help="problem size (each program has its own default)")
    p.add_argument("--rounds", type=int, default=5, help="runs of each variant (5)")
    p.add_argument("--device", help="a number or name that `funmem doctor` lists")
    p.add_argument("--fast", action="store_true", help="compile kernels without bounds checks")
    p.add_argument("--bound", action="store_true", help="also compute a lower bound of the memory")
    p.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    p.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the numbers to FILE, .svg or .png"
    )
    return p


def main(words: Sequence[str] | None = None) -> None:
    options = parser().parse_args(words)
    unknown = sorted(set(options.names) - set(benchmarks()))
    if unknown:
        raise SystemExit(
            f"unknown benchmark {', '.join(unknown)}; known: {', '.join(benchmarks())}"
        )
    variants = []
    for name, optional in VARIANTS.items():
        if lacking := missing(optional):
            print(f"{name} is not measured: unknown pass {', '.join(lacking)}")
        else:
            variants.append(name)
    rows: list[Measured] = []
    for device in devices(options.device):
        kernels = "fast kernels" if options.fast else "safe kernels"
        print(f"\non {device.info.name}, {kernels}, medians of {options.rounds} rounds")
        for name in options.names or benchmarks():
            rows += benchmark(name, device, variants, options)
    if options.json:
        write_file(options.json, json.dumps([asdict(m) for m in rows], indent=1) + "\n")
    if options.plot:
        plot(rows, options.plot)


def benchmark(
    name: str, device: Device, variants: Sequence[str], options: argparse.Namespace
) -> list[Measured]:
    """Measure all entry points of one program and print their table."""
    r = reference(name)
    n = r.MEASURE if options.size is None else options.size
    ready = compiled(program(name), device, variants, not options.fast)
    rows = [m for e in entries(r) for m in measure(name, e, ready, r, n, options.rounds)]
    if options.bound:
        of = {v.name: v for v in ready}
        args = r.inputs(n, seed=2)
        rows = [evolve(m, bound_bytes=bound_bytes(of[m.variant], m.entry, args)) for m in rows]
    print(f"\n{name}, n = {n}\n{table(rows)}", flush=True)
    return rows


if __name__ == "__main__":
    main()
