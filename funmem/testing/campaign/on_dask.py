"""Run batches on the workers of a Dask scheduler (``pip install 'funmem[dask]'``).

A worker needs the same version of funmem as the client; the scheduler needs none.  The client sends
a function that imports funmem on the worker, and bytes.  The worker passes the bytes to a child
process (:mod:`funmem.testing.campaign.children`), as a campaign on one machine does.

If a worker dies, Dask runs its batch again on another one, so that each batch has exactly one
result.  A batch that kills several workers in a row (``distributed.scheduler.allowed-failures``, 3
more after the first) is an error.  A faulty program kills only the child process, never the worker.
"""

import hashlib
import pickle
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import funmem
from funmem.driver.own_files import own_files
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, UsageError
from funmem.testing.campaign.batch import BatchResult, Task
from funmem.testing.campaign.children import BatchProcesses, Failed
from funmem.testing.campaign.on_processes import Runner, as_completed
from funmem.testing.judge.isolated import require

RETRIES = 10
"""Number of times that a batch is repeated if a worker lacked memory or processes."""

LEAST = 16
"""Least number of batches in progress: an adaptive cluster grows only if it sees work."""

PATIENCE = 15.0
"""Seconds to wait for the scheduler, and to wait for a result before ``note`` explains why."""

Reply: TypeAlias = tuple[str, str, bytes]
"""The worker's machine; its version of funmem; and, if that is the client's version, a pickle of a
BatchResult, of a Diagnostic if it lacks a device, or of a traceback.
"""


def on_dask(address: str, note: Callable[[str], None] = lambda _: None) -> Runner:
    """Return a runner on the workers of a scheduler (``tcp://host:8786``), one batch per thread.

    It raises UsageError if the package `distributed` is missing, the scheduler does not answer, or
    a worker has a different funmem; DeviceError if a worker lacks a device, or if the scheduler or
    many workers died; and Failed.  ``note`` receives a sentence while there are no workers.
    """

    def run(task: Task, todo: Sequence[range]) -> Generator[tuple[range, BatchResult], None, None]:
        there, what = _shipped(), identity()
        with _connected(address) as client:
            executor = client.get_executor(pure=False, retries=RETRIES)

            def submit(seeds: range) -> Future[Reply]:
                question = pickle.dumps((task, seeds))
                f: Future[Reply] = executor.submit(there, what, question)
                return f

            def width() -> int:
                threads: int = sum(client.nthreads().values())
                return max(LEAST, 2 * threads)

            def waiting() -> None:
                if not client.nthreads():
                    note(f"{address} has no workers; waiting for one: dask worker {address}")

            found = as_completed(submit, todo, width, seconds=PATIENCE, waiting=waiting)
            try:
                for seeds, reply in found:
                    yield seeds, _done(_received(reply, seeds, address), what)
            except OSError:  # raised by `nthreads` and `submit`
                raise _lost(f"the Dask scheduler at `{address}` was lost") from None

    return run


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to the scheduler."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        hint = "pip install 'funmem[dask]'"
        raise _refused("--scheduler needs the package `distributed`", hint) from None
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as e:
        hint = f"start one with `dask scheduler`, and on each machine `dask worker {address}`"
        raise _refused(f"no Dask scheduler answers at `{address}`: {e}", hint) from None
    with client:
        yield client


def _received(reply: "Future[Reply]", seeds: range, address: str) -> Reply:
    """Return a worker's answer.  Raises DeviceError if no worker answered."""
    seen = f"the seeds {seeds.start} to {seeds.stop - 1}"
    try:
        return reply.result()
    except CancelledError:
        raise _lost(f"the Dask scheduler at `{address}` was lost") from None
    except (OSError, MemoryError) as e:
        raise _lost(f"no worker could do {seen}: {e}") from None
    except Exception as e:
        if type(e).__name__ != "KilledWorker":  # this class's package may be missing
            raise
        raise _lost(f"workers died while they did {seen}: {e}") from None


def _done(reply: Reply, what: str) -> BatchResult:
    machine, known, content = reply
    if known != what:
        message = f"a worker on {machine} has {known}, and this is {what}"
        hint = "install the same version on both, and restart the workers"
        raise _refused(message, hint)
    match pickle.loads(content):
        case BatchResult() as done:
            return done
        case Diagnostic(_, code, message, hint):
            raise DeviceError(Diagnostic(NOWHERE, code, f"a worker on {machine}: {message}", hint))
        case text:
            raise Failed(text)


def _lost(message: str) -> DeviceError:
    hint = "see the output of the workers; with --state the same command continues from here"
    return DeviceError(Diagnostic(NOWHERE, "scheduler", message, hint))


def _refused(message: str, hint: str) -> UsageError:
    return UsageError(Diagnostic(NOWHERE, "scheduler", message, hint))


# ---------------------------------------------------------------------- the same funmem


SUFFIXES = (".py", ".fut", ".c", ".h", ".cl", ".json")


@cache
def identity() -> str:
    """Return the version and a digest of the installed files: equal if batches
    give equal results.
    """
    digest = hashlib.sha256()
    for name, file in sorted(own_files(), key=lambda each: each[0]):
        if name.endswith(SUFFIXES):
            content = Path(file.path).read_bytes()
            digest.update(f"{name}:{len(content)}:".encode() + content)
    return f"funmem {funmem.__version__} (sources {digest.hexdigest()[:12]})"


# ---------------------------------------------------------------------- on a worker


def _shipped() -> Callable[[str, bytes], Reply]:
    """Return the function that runs on a worker.

    It is an inner function without references to its surroundings: Dask sends its code instead of
    its name, so that it can report a missing or different funmem.
    """

    def there(what: str, question: bytes) -> Reply:
        import platform

        try:
            from funmem.testing.campaign import on_dask

            known = on_dask.identity()
        except (ImportError, AttributeError) as e:
            return platform.node(), f"no usable funmem ({e})", b""
        return platform.node(), known, on_dask.answer(question) if known == what else b""

    return there


def answer(question: bytes) -> bytes:
    """Run a batch in a child process of this worker."""
    task, seeds = pickle.loads(question)
    try:
        require(task.settings.requested())
        return pickle.dumps(_children().do(task, seeds))
    except DeviceError as e:
        return pickle.dumps(e.diagnostic)
    except Failed as e:  # a repetition would fail too
        return pickle.dumps(str(e))


@cache
def _children() -> BatchProcesses:
    """Return this worker's child processes, which later batches reuse."""
    return BatchProcesses()
