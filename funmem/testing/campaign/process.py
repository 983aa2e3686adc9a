"""Python child processes that answer requests over standard input and output."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import IO, Any, BinaryIO

_BOOT = """\
import importlib, json, sys
sys.path[:] = json.loads(sys.argv[1])
importlib.import_module(sys.argv[2]).serve()
"""


def start_process(
    module: str,
    environment: Mapping[str, str],
    errors: IO[bytes] | None = None,
    *,
    new_group: bool = False,
) -> "subprocess.Popen[bytes]":
    """Start a process with this one's ``sys.path`` that calls ``serve()`` of a module.

    Its standard error goes to ``errors``, or to ours.  ``new_group``: it leads a process group, so
    that its children can be killed with it.
    """
    path = [os.path.abspath(p) for p in sys.path]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _BOOT, json.dumps(path), module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
        start_new_session=new_group,
    )


def reserve_stdout() -> BinaryIO:
    """In a child: return the stream for answers; other output is redirected to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def serve_pickles(answer: Callable[[Any], object]) -> None:
    """In a child: answer pickled requests one after another until standard input ends.

    The process then exits, even while it computes an answer.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent kills this process
    answers = reserve_stdout()
    questions: SimpleQueue[object] = SimpleQueue()

    def listen() -> None:
        try:
            while True:
                questions.put(pickle.load(sys.stdin.buffer))
        finally:
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        pickle.dump(answer(questions.get()), answers, protocol=5)
        answers.flush()
