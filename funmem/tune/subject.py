"""A program as the subject of a search: candidates are compiled and built as in ``funmem bench``.

A candidate's results are compared with the default's, and the default's with the expected ones, as
in ``funmem bench``.  The second comparison is omitted if only the value interpreter could compute
the expected results and would take too long.
"""

from collections.abc import Callable
from time import perf_counter

from funmem.bench.contenders import Contender
from funmem.bench.ours import Compiled, compiled
from funmem.bench.tasks import Arrays, Task, difference
from funmem.bench.work import count
from funmem.driver.compilation import for_this_processor
from funmem.driver.options import Options
from funmem.driver.stored_tunings import (
    Place,
    Tunings,
    keep,
    look_up,
    machine_defaults,
    place_of_c,
    place_of_device,
)
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, FunmemError, UsageError
from funmem.ir.fun import Program
from funmem.ir.record import evolve, frozen
from funmem.ir.values import bind
from funmem.passes.tuning import Tuning
from funmem.suite.reference import BY_VALUE
from funmem.tune.search import Found, Search, Verdict
from funmem.tune.values import CPU, GPU, Values

INTERPRETED = 500_000
"""Elements moved plus operations that the value interpreter executes in some seconds."""

UNJUDGED = "nothing: the call is too large for the value interpreter"

Say = Callable[[str], None]


class DefaultWrong(FunmemError):
    """Raised if the default's results are wrong."""

    exit_code = ExitCode.DISAGREEMENT


@frozen
class Answer:
    """The result of tuning an entry point; ``kept``: True if it was stored for later runs."""

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
        """True if a candidate's results were wrong, which is a bug in the compiler."""
        return any(t.verdict is Verdict.WRONG for t in self.found.tried)


@frozen(eq=False)
class ProgramSubject:
    """A task on an engine; ``expected``: the default's results."""

    task: Task
    via: str
    options: Options
    expected: Arrays

    def compile(self, tuning: Tuning) -> Compiled:
        """Compile a candidate.  Raises FunmemError."""
        return compiled(self.task, self.via, self.options, tuning)

    def wrong(self, built: Contender) -> str | None:
        """Return the difference from the default's results, or None.  Raises FunmemError."""
        return difference(self.task, self.expected, built.run().results())


def tune(
    task: Task,
    via: str,
    options: Options,
    budget: float,
    say: Say = lambda _: None,
    clock: Callable[[], float] = perf_counter,
) -> Answer:
    """Tune an entry point with the task's arguments.  With ``options.cache``, the stored tuning is
    the first candidate, and the result is stored.

    Raises UsageError for an IMP program, DefaultWrong, and what compiling raises.
    """
    start = clock()
    whole, entry = task.program, task.signature.name
    if not isinstance(whole, Program):
        message = "an IMP program cannot be tuned: no pass with parameters runs on it"
        raise UsageError(Diagnostic(NOWHERE, "tune", message))
    alone = evolve(whole, entries=tuple(e for e in whole.entries if e.name == entry))
    task = evolve(task, program=alone)
    place, values, plain = where(via, options)
    if options.cache:
        plain = machine_defaults(place) or plain
    say("compiling")
    untuned = compiled(task, via, options, plain)
    default = untuned.build()
    expected = default.run().results()
    judge = _require_right(task, untuned, expected, say)
    earlier: Tunings = {}
    if options.cache:
        earlier = look_up(alone, lambda: place, safe=options.safe, plain=plain)
    subject = ProgramSubject(task, via, options, expected)
    search = Search(subject, values, budget, clock, say, plain)
    found = search.run(default, untuned.code, earlier.get(entry))
    if options.cache:
        keep(alone, entry, place, found.tuning, safe=options.safe, name=task.name)
    sizes = {str(x): n for x, n in bind(task.signature, task.args)[0].items()}
    seconds = clock() - start
    kept = options.cache
    return Answer(task.name, entry, via, place.name, sizes, judge, budget, seconds, found, kept)


def where(via: str, options: Options) -> tuple[Place, Values, Tuning]:
    """Return the place for stored tunings, the values to try, and the defaults of the processor.

    Raises DeviceError without a compiler or device.
    """
    here = for_this_processor(evolve(options, tuned=True))
    if via == "c":
        return place_of_c(), CPU, here.defaults
    from funmem.codegen.device import choose

    info = choose(options.device)
    place = place_of_device(info)
    return place, GPU if info.is_gpu else CPU, here.for_device(gpu=info.is_gpu).defaults


def _require_right(task: Task, untuned: Compiled, results: Arrays, say: Say) -> str:
    """Check the default's results, and return the source of the expected results.

    Raises DefaultWrong.
    """
    work = count(untuned.imp, task.signature.name, task.args)
    if task.judge == BY_VALUE and work.bytes / 4 + work.flops > INTERPRETED:
        return UNJUDGED
    say(f"expected results, from {task.judge}")
    require_right(task, results)
    return task.judge


def require_right(task: Task, results: Arrays) -> None:
    """Raise DefaultWrong unless the default's results are the expected ones."""
    wrong = difference(task, task.expected(), results)
    if wrong is not None:
        message = f"{task.name} is wrong before tuning, according to {task.judge}: {wrong}"
        raise DefaultWrong(Diagnostic(NOWHERE, "disagreement", message))
