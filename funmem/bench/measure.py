"""Measure one task: verify all contenders, then measure them in turns."""

from collections.abc import Callable

from funmem.bench import apart
from funmem.bench.contenders import Absent, Contender, Lost
from funmem.bench.limits import Limits
from funmem.bench.ours import Ours, contender
from funmem.bench.rounds import compete
from funmem.bench.rows import Row, row_of
from funmem.bench.tasks import Arrays, Task, difference
from funmem.bench.work import count
from funmem.driver.options import Options
from funmem.ir.record import evolve, frozen
from funmem.ir.values import bind

Say = Callable[[str], None]


@frozen
class Plan:
    """The settings of a benchmark, the same for every task."""

    vias: tuple[str, ...]
    peers: tuple[str, ...]
    rounds: int
    warm_up: int
    options: Options
    limits: Limits | None = None
    futhark: str | None = None
    threads: int | None = None
    limit: float = apart.LIMIT
    """Seconds that building a peer, or one run of it, may take."""


def measure(task: Task, plan: Plan, say: Say = lambda _: None) -> list[Row]:
    """Return a row for each engine.  Raises what compiling and running raise."""
    say(f"expected results, from {task.judge}")
    expected = task.expected()
    sizes = {str(x): n for x, n in bind(task.signature, task.args)[0].items()}
    rows: dict[str, Row] = {}
    ours: list[tuple[str, Ours]] = []
    for via in plan.vias:
        say(f"compiling via {via}")
        made = contender(task, via, plan.options)
        wrong = difference(task, expected, made.contender.run().results())
        if wrong is None:
            ours.append((via, made))
        else:
            rows[via] = Row(
                task.name, via, sizes, False, task.judge, safe=plan.options.safe, error=wrong
            )
    others, absent = _verified(task, plan, expected, say)
    try:
        all_contenders = [*(o.contender for _, o in ours), *others]
        times = compete(all_contenders, plan.rounds, plan.warm_up, say)
    finally:
        for c in others:
            c.close()
    absent |= {t.name: t.lost for t in times if t.lost}
    their_times = [t for t in times[len(ours) :] if not t.lost]
    for (via, made), own in zip(ours, times, strict=False):
        work = count(made.imp, task.signature.name, task.args)
        prepared = made.contender.prepared
        rows[via] = row_of(
            task.name, via, sizes, task.judge, own, prepared, their_times, absent, work, plan.limits
        )
        rows[via] = evolve(rows[via], tuned=made.tuning.changes(), safe=plan.options.safe)
    return [rows[via] for via in plan.vias]


def _verified(
    task: Task, plan: Plan, expected: Arrays, say: Say
) -> tuple[list[Contender], dict[str, str]]:
    """Return the peers whose results are correct, and for each other peer why it is skipped."""
    verified: list[Contender] = []
    absent: dict[str, str] = {}
    settings = (plan.futhark, plan.threads, plan.limit)
    try:
        for found in apart.contenders(task, plan.peers, expected, *settings):
            if isinstance(found, Absent):
                absent[found.name] = found.why
                continue
            say(f"verifying {found.name}")
            wrong = _wrong(task, expected, found)
            if wrong is None:
                verified.append(found)
            else:
                absent[found.name] = wrong
                found.close()
    except BaseException:
        for c in verified:
            c.close()
        raise
    return verified, absent


def _wrong(task: Task, expected: Arrays, found: Contender) -> str | None:
    """Run a peer once, and return what is wrong with its result, or None."""
    try:
        wrong = difference(task, expected, found.run().results())
    except Lost as lost:
        return lost.why
    return None if wrong is None else f"its result is wrong: {wrong}"
