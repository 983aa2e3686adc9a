"""Portions on the processors of this machine; and what every place for portions has in common."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeAlias, TypeVar

from funmem.testing.campaign.batch import Done, Task
from funmem.testing.campaign.children import Children
from funmem.testing.judge.devices import Device
from funmem.testing.judge.isolated import require

T = TypeVar("T")

Runner: TypeAlias = Callable[[Task, Sequence[range]], Generator[tuple[range, Done], None, None]]
"""A place for portions: each, and what it gave, once, in the order in which they are done.

Whatever is under way is stopped when the generator is closed.
"""


def on_processes(jobs: int) -> Runner:
    """So many at a time; in this process, if one suffices.

    Raises DeviceError if there is no device to run on.
    """

    def run(task: Task, todo: Sequence[range]) -> Generator[tuple[range, Done], None, None]:
        require(task.settings.asked())
        if jobs == 1 and Device.C not in task.settings.asked():
            for seeds in todo:
                yield seeds, task.do(seeds)
            return
        with ThreadPoolExecutor(jobs) as threads, Children() as children:

            def submit(seeds: range) -> Future[Done]:
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
    """Portions that are done, or failed, each once, with about ``width()`` of them under way.

    ``waiting`` is called whenever nothing was done for so many ``seconds``.  When the generator is
    closed what has not begun is cancelled.
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
