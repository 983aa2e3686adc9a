"""Run batches on processes of this machine; the interface of all runners."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeAlias, TypeVar

from funmem.testing.campaign.batch import BatchResult, Task
from funmem.testing.campaign.children import BatchProcesses
from funmem.testing.judge.devices import Device
from funmem.testing.judge.isolated import require

T = TypeVar("T")

Batches: TypeAlias = Generator[tuple[range, BatchResult], None, None]

Runner: TypeAlias = Callable[[Task, Sequence[range]], Batches]
"""Runs batches: yields each one once with its result, in the order of completion.

Work in progress is stopped when the generator is closed.
"""


def on_processes(jobs: int) -> Runner:
    """Return a runner with ``jobs`` processes; with one job, it may run in this process.

    The runner raises DeviceError if a requested device is missing.
    """

    def run(task: Task, todo: Sequence[range]) -> Batches:
        require(task.settings.requested())
        if jobs == 1 and Device.C not in task.settings.requested():
            for seeds in todo:
                yield seeds, task.do(seeds)
            return
        with ThreadPoolExecutor(jobs) as threads, BatchProcesses() as children:

            def submit(seeds: range) -> Future[BatchResult]:
                return threads.submit(children.do, task, seeds)

            for seeds, done in as_completed(submit, todo, lambda: 2 * jobs):
                yield seeds, done.result()

    return run


def as_completed(
    submit: Callable[[range], Future[T]],
    todo: Sequence[range],
    width: Callable[[], int],
    *,
    seconds: float | None = None,
    waiting: Callable[[], None] = lambda: None,
) -> Generator[tuple[range, Future[T]], None, None]:
    """Yield each finished or failed batch once, with about ``width()`` batches in progress.

    ``waiting`` is called when no batch finishes for ``seconds``.  Closing the generator cancels the
    batches that have not begun.
    """
    left = list(reversed(todo))
    running: dict[Future[T], range] = {}
    try:
        while left or running:
            while left and len(running) < width():
                seeds = left.pop()
                running[submit(seeds)] = seeds
            done = wait(running, seconds, FIRST_COMPLETED).done
            if not done:
                waiting()
            for f in done:
                yield running.pop(f), f
    finally:
        for f in running:
            f.cancel()
