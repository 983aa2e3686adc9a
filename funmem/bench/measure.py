"""One task: everybody is verified, then everybody is measured in turns."""

from collections.abc import Callable, Mapping, Sequence

from funmem.bench import peers as other
from funmem.bench.contenders import Absent, Contender
from funmem.bench.limits import Limits
from funmem.bench.ours import Ours, contender
from funmem.bench.rounds import compete
from funmem.bench.rows import Row, row_of
from funmem.bench.tasks import Arrays, Task, difference
from funmem.bench.work import count
from funmem.engines import Options
from funmem.ir.frozen import evolve, frozen
from funmem.ir.values import bind

Say = Callable[[str], None]


@frozen
class Plan:
    """What is asked of every task."""

    vias: tuple[str, ...]
    peers: tuple[str, ...]
    rounds: int
    warm_up: int
    options: Options
    limits: Limits | None = None
    futhark: str | None = None
    threads: int | None = None


def measure(task: Task, plan: Plan, say: Say = lambda _: None) -> list[Row]:
    """A row for each engine.  Raises what compiling and running raise."""
    say("what is right")
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
            rows[via] = Row(task.name, via, sizes, False, task.judge, error=wrong)
    others, absent = _verified(task, plan, expected, say)
    try:
        everybody = [*(o.contender for _, o in ours), *others]
        times = compete(everybody, plan.rounds, plan.warm_up, say)
    finally:
        for c in others:
            c.close()
    their_times = times[len(ours) :]
    for (via, made), own in zip(ours, times, strict=False):
        work = count(made.imp, task.signature.name, task.args)
        prepared = made.contender.prepared
        rows[via] = row_of(
            task.name, via, sizes, task.judge, own, prepared, their_times, absent, work, plan.limits
        )
        rows[via] = evolve(rows[via], tuned=made.tuning.changes())
    return [rows[via] for via in plan.vias]


def _verified(
    task: Task, plan: Plan, expected: Arrays, say: Say
) -> tuple[Sequence[Contender], Mapping[str, str]]:
    """The peers whose results are right; of the others, what keeps them out."""
    fine: list[Contender] = []
    absent: dict[str, str] = {}
    for found in other.peers(task, plan.peers, expected, plan.futhark, plan.threads):
        if isinstance(found, Absent):
            absent[found.name] = found.why
            continue
        say(f"{found.name}: verified")
        wrong = difference(task, expected, found.run().results())
        if wrong is None:
            fine.append(found)
        else:
            absent[found.name] = f"its result is wrong: {wrong}"
            found.close()
    return fine, absent
