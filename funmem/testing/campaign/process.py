"""Python processes that answer questions: with this one's path, over standard input and output."""

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


def serving(
    module: str,
    environment: Mapping[str, str],
    errors: IO[bytes] | None = None,
    *,
    apart: bool = False,
) -> "subprocess.Popen[bytes]":
    """A process that calls ``serve()`` of a module; it complains to ``errors``, or where we do.
    ``apart``: it leads a group, so that what it starts can be ended with it.
    """
    path = [os.path.abspath(p) for p in sys.path]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _BOOT, json.dumps(path), module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
        start_new_session=apart,
    )


def only_answers() -> BinaryIO:
    """In such a process: where answers go; what anybody else prints becomes standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def answering(answer: Callable[[Any], object]) -> None:
    """In such a process: answers one question after the other, all in pickles, until standard input
    ends; that is the end also of an answer that is under way.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks is interrupted, and kills this one
    answers = only_answers()
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
