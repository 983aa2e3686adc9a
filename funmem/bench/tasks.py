"""Tasks: an entry point, its arguments, and the expected results.

They come from a ``reference.py`` beside the program (its interface is described in
``papers/applications/README.md``), else from the cases in its test comments.  With ``--random``,
and for cases without expected results, the program's meaning is expected
(:mod:`funmem.suite.reference`).
"""

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np

from funmem.driver.entry_points import signature_of
from funmem.driver.process import require_entry_points
from funmem.driver.source import Source
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.fun import ArrayType
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Signature
from funmem.ir.values import ArgValue, ArrayValue, Data, Value, dtype
from funmem.passes.framework import AnyProgram
from funmem.suite.reader import read_spec
from funmem.suite.reference import Reference, reference_call
from funmem.suite.script import Scripts
from funmem.suite.spec import Case, Message, Output, Script
from funmem.suite.values import TOLERANCE, load
from funmem.values.random_arguments import random_arguments

Arrays = tuple[Data, ...]

NEVER = frozenset({"disable", "nobench"})
"""Cases with these tags are not measured."""

STEP = 64
"""Scaled sizes of at least STEP are multiples of it, because blocked programs divide them."""


@frozen(eq=False)
class Call:
    """The part of a task that a peer needs.

    ``converted``: the arguments have other types than the reference, and peers, take.
    """

    path: str
    signature: Signature
    args: tuple[ArgValue, ...]
    converted: bool = False

    @property
    def folder(self) -> Path:
        """The program's folder."""
        return Path(self.path).resolve().parent


@frozen(eq=False)
class Task:
    """One call of an entry point, and the expected results.

    ``rtol``: tolerance of floats, relative to the largest magnitude or 1.  ``differ``: fraction of
    the elements that may exceed it.  ``judge``: the source of the expected results, for messages.
    """

    name: str
    path: str
    program: AnyProgram
    signature: Signature
    args: tuple[ArgValue, ...]
    expected: Callable[[], Arrays]
    judge: str
    rtol: float = TOLERANCE
    differ: float = 0.0
    converted: bool = False

    @property
    def folder(self) -> Path:
        return self.call.folder

    @property
    def call(self) -> Call:
        """The part for peers."""
        return Call(self.path, self.signature, self.args, self.converted)


@frozen
class Choice:
    """The calls of a program to measure: with ``sizes`` random arguments, else the reference's
    size times ``scale``.
    """

    entry: str | None = None
    sizes: Mapping[str, int] | None = None
    scale: float = 1.0
    seed: int = 0


def tasks(source: Source, choice: Choice) -> Iterator[Task]:
    """Yield the tasks of a program.  Raises SourceError, InputError, and UsageError if there are
    none.
    """
    require_entry_points(source, "it is not measured")
    program = source.parse()
    path = Path(source.name)
    beside = path.resolve().parent / "reference.py"
    if choice.sizes is not None:
        yield _random(source, program, choice)
    elif beside.is_file():
        yield _measured(source, program, load_module(beside), choice)
    else:
        yield from _cases(source, program, choice)


def load_module(path: Path) -> ModuleType:
    """Load a Python file as a module."""
    spec = importlib.util.spec_from_file_location(f"bench_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_arrays(values: Sequence[Value], s: Signature) -> Arrays:
    """Return results as numpy arrays; a scalar has rank 0."""
    found: list[Data] = []
    for v, p in zip(values, s.results, strict=True):
        if isinstance(v, ArrayValue):
            found.append(v.data)
        else:
            assert isinstance(p.type, ScalarType)
            found.append(np.array(v, dtype(p.type)))
    return tuple(found)


def difference(task: Task, expected: Arrays, got: Sequence[Data]) -> str | None:
    """Return None if the results are correct, else what is wrong with them."""
    if len(expected) != len(got):
        return f"{len(got)} result(s) instead of {len(expected)}"
    for k, (a, b) in enumerate(zip(expected, map(np.asarray, got), strict=True), 1):
        if a.shape != b.shape:
            return f"result {k} has the shape {b.shape} instead of {a.shape}"
        wrong = a.size - int(np.count_nonzero(_close(a, b, task.rtol)))
        if wrong > task.differ * a.size:
            return f"{wrong} of {a.size} elements of result {k} are wrong"
    return None


def _close(a: Data, b: Data, rtol: float) -> Data:
    if a.dtype.kind != "f" and rtol == 0:
        return np.asarray(a == b)
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        finite = np.abs(x[np.isfinite(x)])
        bound = rtol * max(1.0, float(finite.max(initial=0.0)))
        return np.asarray((np.abs(x - y) <= bound) | (x == y) | (np.isnan(x) & np.isnan(y)))


# ---------------------------------------------------------------------- where tasks come from


def _measured(source: Source, program: AnyProgram, r: ModuleType, choice: Choice) -> Task:
    """Return the task of a reference, at the size that it measures, else at its largest; scaled."""
    n = scaled(getattr(r, "MEASURE", max(r.SIZES)), choice.scale)
    given = tuple(r.inputs(n, choice.seed))
    s = signature_of(program, choice.entry or "main")
    args = given
    if len(given) == len(s.params):
        args = tuple(fitted(x, p.type) for x, p in zip(given, s.params, strict=True))
    path = Path(source.name)
    name = path.stem if source.language == "fut" else path.name
    return Task(
        name,
        source.name,
        program,
        s,
        args,
        lambda: tuple(np.asarray(x) for x in r.reference(*given)),
        "reference.py",
        r.RTOL,
        getattr(r, "DIFFER", 0.0),
        any(a is not b for a, b in zip(args, given, strict=True)),
    )


def fitted(x: ArgValue, t: ScalarType | ArrayType) -> ArgValue:
    """Return integers of a reference as the type of a parameter, if all are numbers of that type.

    A reference serves programs of several languages, and not all have 64 or unsigned bits.
    """
    elem = t if isinstance(t, ScalarType) else t.elem
    if not isinstance(x, np.ndarray | np.generic) or x.dtype.kind not in "iu" or not elem.is_int:
        return x
    if x.dtype == dtype(elem):
        return x
    if x.size and not elem.min <= int(x.min()) <= int(x.max()) <= elem.max:
        return x
    return x.astype(dtype(elem))


def scaled(n: int, scale: float) -> int:
    """Return a size times ``scale``: at least 1, and a multiple of STEP if it is at least STEP."""
    some = max(1, round(n * scale))
    return some if some < STEP or some == n else some - some % STEP


def _random(source: Source, program: AnyProgram, choice: Choice) -> Task:
    s = signature_of(program, choice.entry)
    args = tuple(random_arguments(s, choice.sizes or {}, choice.seed))
    return defined(Path(source.name).stem, source, program, s, args)


def defined(
    name: str, source: Source, program: AnyProgram, s: Signature, args: tuple[ArgValue, ...]
) -> Task:
    """Return a task whose expected results are the program's meaning."""
    reference = reference_call(program, s, args)
    return Task(
        name,
        source.name,
        program,
        s,
        args,
        lambda: as_arrays(reference.values(), s),
        reference.by,
    )


def _cases(source: Source, program: AnyProgram, choice: Choice) -> Iterator[Task]:
    """Yield the cases in test comments that expect results; the results need not be given."""
    stem, found = Path(source.name).stem, False
    for block in read_spec(source.text, source.name, source.front_end.comment).blocks:
        for entry in block.entries:
            if choice.entry not in (None, entry):
                continue
            s = signature_of(program, entry)
            for case in block.cases:
                if case.tags & NEVER:
                    continue
                if (
                    task := _case(f"{stem}:{entry}:{case.label}", source, program, s, case)
                ) is None:
                    continue
                found = True
                yield task
    if not found:
        message = f"`{source.name}` has no test case to measure"
        hint = "give sizes with --random, or put a reference.py beside it"
        raise UsageError(Diagnostic(NOWHERE, "bench", message, hint))


def _case(name: str, source: Source, program: AnyProgram, s: Signature, case: Case) -> Task | None:
    """Return a case as a task; None if it expects an error."""
    folder = Path(source.name).parent
    if isinstance(case.expected, Message):
        return None
    if isinstance(case.input, Script):
        entry = partial(signature_of, program)
        args = Scripts(Reference(program), entry, folder).load(case.input, s)
    else:
        args = load(case.input, folder, s.params)
    if isinstance(case.expected, Output):
        results = load(case.expected.source, folder, s.results)
        expected = tuple(np.asarray(x) for x in results)
        return Task(name, source.name, program, s, args, lambda: expected, "the test comment")
    return defined(name, source, program, s, args)
