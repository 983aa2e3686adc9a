"""Reduction: find the smallest program, pipeline and input that still fail in the same way.

Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002)
on syntax trees.  A candidate is a smaller program.  It is kept if it is well typed, fails in the
same way (the same engine notices the same kind of failure), and keeps the assumptions that passes
make without a type rule (``trusted``): otherwise the remaining failure would not be a bug of a
pass.  Each kept candidate is smaller by a well-founded measure, so that the reduction terminates,
also without a time limit.

    smaller = reduce(case, Pipeline.parse("allocate,merge"))
    print(reproducer(smaller))

These candidates are tried until none is kept:

    passes        fewer passes, default options
    statements    without half of them, then a quarter, …; constants replace the bound names
    bodies        a branch for the conditional, an iteration for the loop or kernel, the function's
                  body for the call
    results       fewer results of conditionals, loops, kernels and the entry point
    names         an earlier name in place of a statement; simpler expressions
    functions     fewer parameters and results
    inputs        fewer parameters, smaller sizes, simpler values
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from attrs import field

from funmem.ir.fun import MemProgram
from funmem.ir.record import define, evolve, frozen
from funmem.ir.signature import signature
from funmem.ir.values import bind
from funmem.passes.fun.inline import pruned
from funmem.passes.runner import Pipeline, Step, check_types
from funmem.testing.judge.devices import AnyDevice
from funmem.testing.judge.program import Case
from funmem.testing.reduce.edit import Edit, edited, statements, weight
from funmem.testing.reduce.inputs import amount, entry_of, smaller_cases
from funmem.testing.reduce.moves import MOVES, Move, without
from funmem.testing.reduce.oracle import Failure, fails_alike, failure, trusted

__all__ = ["Failure", "Reduced", "failure", "reduce"]


@frozen(eq=False)
class Reduced:
    """A failing case, its pipeline, and the failure.

    ``tried`` candidates in ``seconds``.  ``done``: no smaller case was found; otherwise time ran
    out.
    """

    case: Case
    pipeline: Pipeline
    failure: Failure
    tried: int = 0
    seconds: float = 0.0
    done: bool = True

    @property
    def statements(self) -> int:
        """The number of statements of the program."""
        return len(statements(self.case.program))


def reduce(
    case: Case,
    pipeline: Pipeline,
    *,
    seconds: float = 60.0,
    devices: Collection[AnyDevice] = (),
) -> Reduced | None:
    """Return the smallest case found that fails in the same way; None if the case does not fail.

    ``devices`` run it as well if all interpreters agree.  Raises SourceError if the program itself
    is ill typed, InputError if the arguments do not fit the entry point.
    """
    check_types(case.program)
    _, values = bind(signature(entry_of(case)), case.args)
    case = evolve(case, args=values)
    start, used = time.monotonic(), time.process_time()
    found = failure(case, pipeline, devices)
    if found is None:
        return None
    patience = min(MOST, max(LEAST, 2 * (time.process_time() - used)))
    tried, end, promised = 0, start + seconds, trusted(case)
    for careful in (False, True):  # the second time, if another failure came first
        search = _Search(case, _upto(pipeline, found), found, patience, end, promised)
        search.devices = tuple(devices) if careful else None
        done = search.run()
        tried += search.tried
        last = failure(search.case, search.pipeline, devices)
        if last is not None and last.kind == found.kind:
            break
    last = last or found  # e.g. a race, which does not always show
    took = time.monotonic() - start
    return Reduced(search.case, _upto(search.pipeline, last), last, tried, took, done)


LEAST, MOST = 0.5, 10.0
"""Bounds of the processor time for a candidate, in seconds; it is twice that of the first case."""


def _upto(pipeline: Pipeline, f: Failure) -> Pipeline:
    """Return the passes up to the guilty one."""
    return Pipeline(pipeline.steps[: f.steps])


class _TimeIsUp(Exception):
    """The deadline has passed."""


@define
class _Search:
    """A failing case, and the state of the search for a smaller one."""

    case: Case
    pipeline: Pipeline
    failure: Failure
    patience: float
    deadline: float
    trusted: frozenset[str]
    """The assumptions of the first case; kept candidates must satisfy them as well."""
    devices: tuple[AnyDevice, ...] | None = None
    """If given, candidates are checked with all engines and these devices, instead
    of one engine.
    """
    tried: int = 0
    _seen: set[tuple[MemProgram, Pipeline, str]] = field(factory=set)

    def run(self) -> bool:
        """Reduce the case until no candidate is kept; False if time ran out."""
        try:
            before = None
            while before != (before := self.measure()):
                self.fewer_passes()
                self.fewer_statements()
                for move in MOVES:
                    self.each_statement(move)
                self.repeat(lambda: ((c, self.pipeline) for c in smaller_cases(self.case)))
        except _TimeIsUp:
            return False
        return True

    def measure(self) -> tuple[int, ...]:
        """Return the size of the case; kept candidates are smaller."""
        return _measure(self.case, self.pipeline)

    def keep(self, case: Case, pipeline: Pipeline) -> bool:
        """Continue with a candidate if it is smaller and fails in the same way;
        True if it is kept.
        """
        if time.monotonic() > self.deadline:
            raise _TimeIsUp
        key = (case.program, pipeline, repr(case.args))
        if key in self._seen or _measure(case, pipeline) >= self.measure():
            return False
        self._seen.add(key)
        self.tried += 1
        if not fails_alike(self.failure, case, pipeline, self.patience):
            return False
        if not self.trusted <= trusted(case) or not self.confirmed(case, pipeline):
            return False
        self.case, self.pipeline = case, pipeline
        return True

    def confirmed(self, case: Case, pipeline: Pipeline) -> bool:
        """True if no other failure comes first; checked only if ``devices`` are given."""
        if self.devices is None:
            return True
        found = failure(case, pipeline, self.devices)
        return found is not None and found.kind == self.failure.kind

    def keep_edited(self, edits: Mapping[int, Edit]) -> bool:
        """Continue with the edited program if the edits apply and it fails in the same way."""
        try:
            program = pruned(edited(self.case.program, edits))
        except TypeError:  # a name cannot be replaced by a constant there
            return False
        return self.keep(evolve(self.case, program=program), self.pipeline)

    # -- what is tried

    def repeat(self, candidates: Callable[[], Iterable[tuple[Case, Pipeline]]]) -> None:
        """Try all candidates, again after each kept one."""
        while any(self.keep(c, p) for c, p in candidates()):
            pass

    def fewer_passes(self) -> None:
        """Try without some of the passes, and with default options."""
        size = len(self.pipeline.steps)
        while size:
            k = 0
            while k < len(self.pipeline.steps):
                steps = self.pipeline.steps
                if not self.keep(self.case, Pipeline(steps[:k] + steps[k + size :])):
                    k += size
            size //= 2
        self.repeat(lambda: ((self.case, p) for p in _plainer(self.pipeline)))

    def fewer_statements(self) -> None:
        """Try without half of the statements, a quarter of them, …, one."""
        size = max(1, len(statements(self.case.program)) // 2)
        while size:
            k = len(statements(self.case.program))
            while k > 0:  # from the end: the last names have the fewest uses
                k = min(k, len(statements(self.case.program)))
                which = range(max(0, k - size), k)
                for number in (1, 0):
                    if self.keep_edited(without(self.case.program, which, number)):
                        break
                k -= size
            size //= 2

    def each_statement(self, move: Move) -> None:
        """Try one move at each statement, from the end."""
        k = len(statements(self.case.program)) - 1
        while k >= 0:
            if not any(self.keep_edited({k: edit}) for edit in move(self.case.program, k)):
                k -= 1
            k = min(k, len(statements(self.case.program)) - 1)


def _measure(case: Case, pipeline: Pipeline) -> tuple[int, ...]:
    """Return the size of a case: statements, passes, length of the text, inputs, options."""
    options = sum(len(s.options) for s in pipeline.steps)
    p = case.program
    return (len(statements(p)), len(pipeline.steps), weight(p), *amount(case), options)


def _plainer(pipeline: Pipeline) -> Iterator[Pipeline]:
    """Yield pipelines with one option less."""
    for k, s in enumerate(pipeline.steps):
        for name, _ in s.options:
            rest = tuple(o for o in s.options if o[0] != name)
            yield Pipeline((*pipeline.steps[:k], Step(s.what, rest), *pipeline.steps[k + 1 :]))
