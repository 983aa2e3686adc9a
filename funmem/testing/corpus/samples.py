"""The samples of a corpus: entry points of program files, each with small inputs.

    read_corpus(["tests/programs", "mine.fun"])

Excluded are programs with errors, IMP programs, and entry points that are long or have no known
small input.  Inputs are the small ones of the test comments (:mod:`funmem.testing.corpus.cost`), or
else the first ones of :mod:`funmem.verify.inputs`.
"""

import hashlib
import pickle
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from funmem.driver.source import Source, read
from funmem.interp.counted import TooMuch
from funmem.ir.check import check_all
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError, SourceError, Trap, UsageError
from funmem.ir.fun import Ann, Entry, MemProgram, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.record import frozen
from funmem.ir.signature import signature
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue, bind
from funmem.suite import values
from funmem.suite.check import NEVER
from funmem.suite.files import find_programs
from funmem.suite.reader import read_spec
from funmem.suite.spec import Script
from funmem.testing.corpus.cost import outcome_within
from funmem.testing.judge.program import Case
from funmem.verify.inputs import small_inputs

LONGEST = 40
"""Largest number of statements of a sample."""

LARGER = (6, 9)
"""Sizes to try if a program traps on all smaller ones."""

INPUTS = 8
"""Largest number of inputs of a sample."""


@frozen(eq=False)
class Sample:
    """An entry point in a program of its own, and its inputs; ``traps``: inputs on
    which it traps.
    """

    file: str
    program: MemProgram
    inputs: tuple[tuple[ArgValue, ...], ...]
    traps: tuple[tuple[ArgValue, ...], ...]

    @property
    def entry(self) -> Entry[Ann]:
        return self.program.entries[0]


@frozen
class Corpus:
    """Samples, packed for other processes; ``digest`` distinguishes corpora."""

    digest: str
    packed: bytes

    def samples(self) -> tuple[Sample, ...]:
        """Return the samples in the order of their files."""
        return _unpacked(self.packed)


@cache
def _unpacked(packed: bytes) -> tuple[Sample, ...]:
    found: tuple[Sample, ...] = pickle.loads(zlib.decompress(packed))
    return found


def corpus_of(samples: Sequence[Sample]) -> Corpus:
    """Return samples as a corpus."""
    packed = zlib.compress(pickle.dumps(tuple(samples)))
    told = "\n".join(f"{s.program!r} {s.inputs!r} {s.traps!r}" for s in samples)
    return Corpus(hashlib.sha256(told.encode()).hexdigest()[:16], packed)


def read_corpus(paths: Sequence[str]) -> Corpus:
    """Return the samples in files and folders.

    Raises UsageError if a path does not exist, or if there is no sample.
    """
    samples: dict[MemProgram, Sample] = {}
    for file in find_programs(paths):
        for s in _samples(file):
            samples.setdefault(s.program, s)
    if not samples:
        what = f"no program in {', '.join(f'`{p}`' for p in paths)} can be mutated"
        hint = f"a sample is an entry point of at most {LONGEST} statements with a small input"
        raise UsageError(Diagnostic(NOWHERE, "input", what, hint))
    return corpus_of(tuple(samples.values()))


def _samples(file: str) -> Iterator[Sample]:
    try:
        source = read(file)
        program = source.parse()
        if isinstance(program, ImpProgram) or check_all(program):
            return
        given = _given(source)
    except SourceError:  # a test of error messages
        return
    for e in program.entries:
        if sum(1 for _ in walk(e.body)) > LONGEST:
            continue
        alone = Program((e,), program.functions)
        runs, traps = _cheap(alone, e, [a for x, a in given if x == e.name])
        if not runs:
            runs, more = _cheap(alone, e, list(small_inputs(e, 10 * INPUTS)))
            traps = (*traps, *more)
        if not runs:
            names = {*(b.name for b in e.implicit), *(p.binder.name for p in e.params)}
            hints = [dict.fromkeys(names, k) for k in LARGER]
            runs, _ = _cheap(alone, e, list(small_inputs(e, INPUTS * len(hints), hints)))
        if runs or traps:
            yield Sample(file, alone, runs, traps)


def _given(source: Source) -> list[tuple[str, tuple[ArgValue, ...]]]:
    """Return the inputs in test comments, with their entry points."""
    found: list[tuple[str, tuple[ArgValue, ...]]] = []
    for block in read_spec(source.text, source.name, source.front_end.comment).blocks:
        for test in block.cases:
            if isinstance(test.input, Script) or test.tags & (NEVER | {"compiled"}):
                continue
            try:
                args = values.load(test.input, Path(source.name).parent)
            except InputError:
                continue
            found += [(x, args) for x in block.entries]
    return found


Inputs = tuple[tuple[ArgValue, ...], ...]


def _cheap(
    p: MemProgram, e: Entry[Ann], candidates: Sequence[tuple[ArgValue, ...]]
) -> tuple[Inputs, Inputs]:
    """Return the inputs that fit and cost little: those without and those with a trap."""
    runs: list[tuple[ArgValue, ...]] = []
    traps: list[tuple[ArgValue, ...]] = []
    for args in candidates:
        try:
            _, bound = bind(signature(e), args)
            outcome, _ = outcome_within(Case(p, e.name, bound))
        except (InputError, TooMuch):
            continue
        into = traps if isinstance(outcome, Trap) else runs
        if len(into) < INPUTS:
            into.append(bound)
        if len(runs) == INPUTS:
            break
    return tuple(runs), tuple(traps)
