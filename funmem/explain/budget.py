"""``--max-bytes``: find the first pipeline whose peak memory fits, or the smallest peak.

The following passes and options change the peak but not the results: short-circuit, merge, fuse,
double-buffer, and the number of threads of a reduction.  The default pipeline is the fastest one.
It is used if its peak fits; otherwise variants of it are tried in a fixed order.
"""

from collections.abc import Iterator, Mapping, Sequence

from funmem.driver.entry_points import signature_of
from funmem.driver.source import Source
from funmem.driver.stages import pipeline_for
from funmem.explain.report import (
    EntryReport,
    Explanation,
    explain,
    with_arguments,
    with_values,
)
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, FunmemError, UsageError
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType, Value
from funmem.ir.signature import Signature
from funmem.ir.values import ArgValue
from funmem.passes import registry
from funmem.passes.framework import AnyProgram, Level
from funmem.passes.runner import Pipeline, Step, check_types


class OverBudget(FunmemError):
    """Raised if no pipeline keeps the peak within ``--max-bytes``."""

    exit_code = ExitCode.DEVICE


@frozen
class Given:
    """The known part of a call: an entry point (None: all), and arguments or some of the sizes."""

    entry: Name | None = None
    args: tuple[ArgValue, ...] | None = None
    scalars: Mapping[Name, Value] | None = None

    @staticmethod
    def read(
        program: AnyProgram, entry: str | None, inputs: Sequence[str], sizes: str | None
    ) -> "Given":
        """Read them from the command line.  Raises UsageError, InputError."""
        if not inputs and sizes is None:
            return Given(None if entry is None else signature_of(program, entry).name)
        s = signature_of(program, entry)
        if sizes is not None:
            from funmem.values.random_arguments import parse_sizes

            return Given.of_sizes(s, parse_sizes(sizes))
        from funmem.values.arguments import read_arguments

        return Given(s.name, tuple(read_arguments(s, inputs)), None)

    @staticmethod
    def of_sizes(s: Signature, sizes: Mapping[str, int]) -> "Given":
        """Return an entry point with some of its sizes and scalar arguments.  Raises UsageError."""
        return Given(s.name, None, _scalars(s, sizes))


def _scalars(s: Signature, sizes: Mapping[str, int]) -> dict[Name, Value]:
    """Return sizes and scalar arguments as values of their types.  Raises UsageError."""
    types: dict[Name, ScalarType] = dict.fromkeys(s.sizes, ScalarType.I64)
    types |= {p.name: p.type for p in s.params if isinstance(p.type, ScalarType)}
    values: dict[Name, Value] = {}
    for name, n in sizes.items():
        x = Name(name)
        if x not in types:
            known = ", ".join(types) or "none"
            message = f"`{s.name}` has no size or scalar parameter `{x}`"
            raise UsageError(Diagnostic(NOWHERE, "sizes", message, f"there is {known}"))
        if x in s.sizes and n < 0:
            raise UsageError(Diagnostic(NOWHERE, "sizes", f"the size `{x}` is negative"))
        t = types[x]
        values[x] = float(n) if t.is_float else bool(n) if t is ScalarType.BOOL else n
    return values


def within(
    program: AnyProgram,
    source: Source,
    given: Given,
    max_bytes: int | None = None,
    *,
    pipeline: Pipeline | None = None,
    gpu: bool = False,
    safe: bool = True,
) -> Explanation:
    """Return the explanation; with a limit, that of the first pipeline whose peak is within it.

    Raises OverBudget, and Unknown or UsageError if a peak has no number.
    """
    best: Explanation | None = None
    tried = 0
    for passes in (
        variants(program, pipeline, gpu=gpu, safe=safe) if max_bytes is not None else (pipeline,)
    ):
        found = _explained(program, source, given, passes, gpu=gpu, safe=safe)
        if max_bytes is None or peak_of(found) <= max_bytes:
            return found
        tried += 1
        if best is None or peak_of(found) < peak_of(best):
            best = found
    assert best is not None
    assert max_bytes is not None
    raise _over(best, max_bytes, tried)


def pipeline_within(
    program: AnyProgram,
    source: Source,
    sizes: str | None,
    max_bytes: int,
    pipeline: Pipeline | None,
    *,
    gpu: bool,
    safe: bool,
) -> Pipeline:
    """Return the pipeline that :func:`within` finds, for ``funmem compile``."""
    check_types(program)
    entry = signature_of(program, None).name
    given = Given.read(program, entry, (), sizes)
    found = within(program, source, given, max_bytes, pipeline=pipeline, gpu=gpu, safe=safe)
    return found.pipeline


def _explained(
    program: AnyProgram,
    source: Source,
    given: Given,
    pipeline: Pipeline | None,
    *,
    gpu: bool,
    safe: bool,
) -> Explanation:
    found = explain(
        program,
        source.text,
        source.name,
        pipeline=pipeline,
        gpu=gpu,
        safe=safe,
        entry=given.entry,
    )
    return evolve(found, entries=tuple(_numbers(r, given) for r in found.entries))


def _numbers(r: EntryReport, given: Given) -> EntryReport:
    """Return the report with numbers, if they are known.  A formula without quantities is known."""
    if given.args is not None:
        return with_arguments(r, given.args)
    if given.scalars is not None:
        return with_values(r, given.scalars)
    return r if r.peak.quantities else with_values(r, {})


def peak_of(x: Explanation) -> int:
    """Return the largest peak of the entry points.  Raises UsageError if it depends on sizes."""
    for r in x.entries:
        if r.measured is None:
            names = ", ".join(f"{q.name}=…" for q in r.peak.quantities)
            message = f"the peak of `{r.name}` depends on sizes: {r.peak} bytes"
            raise UsageError(Diagnostic(NOWHERE, "sizes", message, f"give --sizes {names}"))
    return max((r.measured.peak for r in x.entries if r.measured is not None), default=0)


def variants(
    program: AnyProgram, given: Pipeline | None, *, gpu: bool, safe: bool
) -> Iterator[Pipeline | None]:
    """Yield pipelines with the same results and different peaks: the default one (None) first.  A
    given pipeline has no variants.
    """
    yield given
    if given is not None:
        return
    whole = pipeline_for(program, Level.IMP, gpu=gpu, safe=safe)
    seen = {str(whole)}
    for start in (whole, _without(whole, _FASTER), _with_memory_passes(whole, gpu=gpu)):
        for kept in (start, *(_without(start, d) for d in _DROPPED), *_with_fewer_threads(start)):
            if str(kept) not in seen:
                seen.add(str(kept))
                yield kept


_FASTER = frozenset({"coalesce"})
"""Passes that use memory for speed, and that no other pass depends on."""

_DROPPED: tuple[frozenset[str], ...] = (
    frozenset({"double-buffer"}),
    frozenset({"fuse"}),
    frozenset({"nest"}),
    frozenset({"schedule"}),
    frozenset({"fuse", "nest", "schedule"}),
)
"""Sets of optional passes that variants omit."""

_ADDED = {"expand": "short-circuit", "sequentialise": "merge"}
"""Pass -> a memory-saving pass that is inserted before it if the pipeline lacks that."""

_THREADS = (16, 1)
"""Numbers of threads to try: fewer threads have fewer partial results."""


def _without(p: Pipeline, names: frozenset[str]) -> Pipeline:
    return Pipeline(tuple(s for s in p.steps if s.what.name not in names))


def _with_memory_passes(p: Pipeline, *, gpu: bool) -> Pipeline:
    there = {s.what.name for s in p.steps}
    steps: list[Step] = []
    for s in p.steps:
        extra = _ADDED.get(s.what.name)
        if extra is not None and extra not in there and extra in registry.names():
            what = registry.find(extra)
            interleaved = gpu and any(o.name == "layout" for o in what.options)
            steps.append(Step(what, (("layout", "interleaved"),) if interleaved else ()))
        steps.append(s)
    return Pipeline(tuple(steps))


def _with_fewer_threads(p: Pipeline) -> Iterator[Pipeline]:
    for n in _THREADS:
        yield Pipeline(tuple(_threads(s, n) for s in p.steps))


def _threads(s: Step, n: int) -> Step:
    fits = any(o.name == "threads" for o in s.what.options)
    return evolve(s, options=(*s.options, ("threads", n))) if fits else s


def _over(best: Explanation, max_bytes: int, tried: int) -> OverBudget:
    peak = peak_of(best)
    worst = max(best.entries, key=lambda r: 0 if r.measured is None else r.measured.peak)
    given = ", ".join(f"{x} = {v}" for x, v in worst.scalars.items())
    where = f" for {given}" if given else ""
    message = (
        f"`{worst.name}` needs at least {peak} bytes{where}: {worst.peak}; the limit is {max_bytes}"
    )
    least = f", the smallest peak of {tried} pipelines" if tried > 1 else ""
    hint = f"with the passes {best.pipeline}{least}"
    return OverBudget(Diagnostic(NOWHERE, "max-bytes", message, hint))
