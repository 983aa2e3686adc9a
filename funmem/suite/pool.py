"""Worker processes: check several programs at a time, each with a time limit.

A worker that exceeds the time limit is killed; a crash ends it.  In both cases the program gets a
verdict, and a new worker takes the next program.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from queue import SimpleQueue
from time import perf_counter
from typing import Any

from funmem.suite.check import Plan
from funmem.suite.verdict import Finding, Status, Verdict
from funmem.suite.worker import plan_to_json

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from funmem.suite.worker import main; main()"
)
"""The worker uses this process's ``sys.path``, so that it finds the same packages."""

PER_WORKER = 200
"""Programs per worker.  Drivers keep some memory for every program they have built."""

POSIX = os.name == "posix"


def check_files(
    files: Sequence[str], plan: Plan, *, jobs: int, timeout: float
) -> Generator[tuple[int, Verdict], None, None]:
    """Yield the position and verdict of each file as it is done; ``timeout`` is in seconds per
    file.

    No worker is left when the generator ends or is closed early.
    """
    todo: SimpleQueue[int | None] = SimpleQueue()
    done: SimpleQueue[tuple[int, Verdict] | Exception] = SimpleQueue()
    for k in range(len(files)):
        todo.put(k)
    posts = [_Post(plan, timeout) for _ in range(min(jobs, len(files)))]

    def work(post: _Post) -> None:
        try:
            while not post.closed and (k := todo.get()) is not None:
                done.put((k, post.check(files[k])))
        except Exception as error:
            done.put(error)

    for post in posts:
        todo.put(None)
        threading.Thread(target=work, args=(post,), daemon=True).start()
    try:
        for _ in files:
            found = done.get()
            if isinstance(found, Exception):
                raise found
            yield found
    finally:
        for post in posts:
            post.close()


class _Post:
    """One slot of the pool: a worker, which is replaced after it ends."""

    def __init__(self, plan: Plan, timeout: float) -> None:
        self._plan, self._timeout = plan, timeout
        self._worker: _Worker | None = None
        self._done = 0
        self.closed = False

    def check(self, file: str) -> Verdict:
        """Return the verdict on a file, also if the worker ends."""
        worker = self._worker
        if worker is not None and self._done == PER_WORKER:
            worker.kill()
            worker = None
        if worker is None:
            worker = self._worker = _Worker(self._plan)
            self._done = 0
        if self.closed:  # closed by another thread in the meantime
            worker.kill()
        start = perf_counter()
        answer = worker.check(file, self._timeout)
        self._done += 1
        if isinstance(answer, Verdict):
            return answer
        self._worker = None
        return Verdict(file, 0, (answer,), seconds=perf_counter() - start)

    def close(self) -> None:
        """Kill the worker, also during a check."""
        self.closed = True
        if self._worker is not None:
            self._worker.kill()


class _Worker:
    """A worker process, and the communication with it."""

    def __init__(self, plan: Plan) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the process)
        path = [os.path.abspath(p) for p in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, json.dumps(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            start_new_session=POSIX,  # so that kill() ends its children too
        )
        self._doing = "starting"
        self._send(plan_to_json(plan))
        self._ready = self._answer("ready") is not None

    def check(self, file: str, timeout: float) -> Verdict | Finding:
        """Return the verdict on a file, or, if the process ended first, a finding that says why."""
        lock = threading.Lock()
        answered = late = False

        def give_up() -> None:
            nonlocal late
            with lock:
                late = not answered
                if late:
                    self.kill()

        said = os.fstat(self._errors.fileno()).st_size if self._ready else 0
        timer = threading.Timer(timeout, give_up)
        timer.daemon = True
        timer.start()
        self._send({"file": file})
        data = self._answer("verdict")
        with lock:
            answered = True
        timer.cancel()
        if data is not None and not late:
            return Verdict.from_json(data)
        code = self._process.wait()
        if late:
            reason = f"not done after {timeout:g} s ({self._doing})"
            return Finding(Status.TIMEOUT, "timeout", reason, file)
        how = _signal(-code) if code < 0 else f"exit code {code}"
        reason = f"its process ended with {how} ({self._doing}){self._last_words(said)}"
        return Finding(Status.ERROR, "crash", reason, file)

    def kill(self) -> None:
        """Kill the process and the processes it has started."""
        if self._process.poll() is not None:
            return
        if POSIX:
            os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:  # the process has ended; _answer returns None
            return

    def _answer(self, key: str) -> Any:
        """Return the value of the first message with this key; None if the process ends before."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:  # the process has ended in the middle of a line
                return None
            if key in message:
                return message[key]
            self._doing = message["doing"]
        return None

    def _last_words(self, start: int) -> str:
        """Return the last line on standard error, or the line of a fatal Python error."""
        self._errors.seek(start)
        lines = self._errors.read().decode("utf-8", "replace").strip().split("\n")
        fatal = [x for x in lines if x.startswith("Fatal Python error")]
        words = (fatal or lines)[-1].strip()
        return f": {words}" if words else ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
