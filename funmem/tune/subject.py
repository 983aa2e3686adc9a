"""A program as the subject of a search: candidates are compiled and built as ``bench`` does it.

A candidate's results are compared with the default's, and these with what is right, as for
``funmem bench``; where only the value interpreter could tell and would take too long, with nothing.
"""

from collections.abc import Callable
from time import perf_counter

from funmem.bench.contenders import Contender
from funmem.bench.ours import Compiled, compiled
from funmem.bench.tasks import Arrays, Task, difference
from funmem.bench.work import count
from funmem.driver.engines import Options
from funmem.driver.stored_tunings import Place, keep, look_up, place_of_c, place_of_device
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, FunmemError, UsageError
from funmem.ir.fun import Program
from funmem.ir.record import evolve, frozen
from funmem.ir.values import bind
from funmem.passes.tuning import DEFAULT, Tuning
from funmem.suite.reference import BY_VALUE
from funmem.tune.search import Found, Search, Verdict
from funmem.tune.values import CPU, GPU, C, Values

INTERPRETED = 500_000
"""The value interpreter takes some seconds for so many elements moved and operations."""

UNJUDGED = "nobody: it is too much for the value interpreter"

Say = Callable[[str], None]


class DefaultWrong(FunmemError):
    """A program's results are wrong before anything is tuned."""

    exit_code = ExitCode.DISAGREEMENT


@frozen
class Answer:
    """What was found for an entry point, and whether it is kept for later runs there."""

    name: str
    entry: str
    via: str
    place: str
    sizes: dict[str, int]
    judge: str
    budget: float
    seconds: float
    found: Found
    kept: bool

    @property
    def wrong(self) -> bool:
        """Whether a candidate's results were wrong: a bug of the compiler."""
        return any(t.verdict is Verdict.WRONG for t in self.found.tried)


@frozen(eq=False)
class ProgramSubject:
    """A task by an engine; ``expected``: the default's results."""

    task: Task
    via: str
    options: Options
    expected: Arrays

    def compile(self, tuning: Tuning) -> Compiled:
        """A candidate.  Raises FunmemError."""
        return compiled(self.task, self.via, self.options, tuning)

    def wrong(self, built: Contender) -> str | None:
        """What differs from the default's results.  Raises FunmemError."""
        return difference(self.task, self.expected, built.run().results())


def tune(
    task: Task,
    via: str,
    options: Options,
    budget: float,
    say: Say = lambda _: None,
    clock: Callable[[], float] = perf_counter,
) -> Answer:
    """Tunes an entry point with the task's arguments; with ``options.cache``, begins with what was
    found before, and keeps what is found.

    Raises UsageError for a program without passes, DefaultWrong, and what compiling raises.
    """
    start = clock()
    whole, entry = task.program, task.signature.name
    if not isinstance(whole, Program):
        message = "an IMP program is what it is: no pass runs that could be tuned"
        raise UsageError(Diagnostic(NOWHERE, "tune", message))
    alone = evolve(whole, entries=tuple(e for e in whole.entries if e.name == entry))
    task = evolve(task, program=alone)
    place, values = _where(via, options)
    say("compiling")
    made = compiled(task, via, options, DEFAULT)
    default = made.build()
    expected = default.run().results()
    judge = _require_right(task, made, expected, say)
    earlier = look_up(alone, lambda: place, safe=options.safe) if options.cache else {}
    subject = ProgramSubject(task, via, options, expected)
    search = Search(subject, values, budget, clock, say)
    found = search.run(default, made.code, earlier.get(entry, DEFAULT))
    if options.cache:
        keep(alone, entry, place, found.tuning, safe=options.safe, name=task.name)
    sizes = {str(x): n for x, n in bind(task.signature, task.args)[0].items()}
    seconds = clock() - start
    kept = options.cache
    return Answer(task.name, entry, via, place.name, sizes, judge, budget, seconds, found, kept)


def _where(via: str, options: Options) -> tuple[Place, Values]:
    """The place, and what is tried there."""
    if via == "c":
        return place_of_c(), C
    from funmem.codegen.device import choose

    info = choose(options.device)
    return place_of_device(info), GPU if info.is_gpu else CPU


def _require_right(task: Task, made: Compiled, results: Arrays, say: Say) -> str:
    """Who says that the default's results are right.  Raises DefaultWrong."""
    work = count(made.imp, task.signature.name, task.args)
    if task.judge == BY_VALUE and work.bytes / 4 + work.flops > INTERPRETED:
        return UNJUDGED
    say(f"what is right: {task.judge}")
    wrong = difference(task, task.expected(), results)
    if wrong is not None:
        message = f"before anything is tuned, {task.name} is wrong, as {task.judge} says: {wrong}"
        raise DefaultWrong(Diagnostic(NOWHERE, "disagreement", message))
    return task.judge
