"""Python processes that answer questions: with this one's path, over standard input and output."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import IO, BinaryIO

_BOOT = """\
import importlib, json, sys
sys.path[:] = json.loads(sys.argv[1])
importlib.import_module(sys.argv[2]).serve()
"""


def serving(
    module: str, environment: Mapping[str, str], errors: IO[bytes] | None = None
) -> "subprocess.Popen[bytes]":
    """A process that calls ``serve()`` of a module; it complains to ``errors``, or where we do."""
    path = [os.path.abspath(p) for p in sys.path]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _BOOT, json.dumps(path), module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
    )


def only_answers() -> BinaryIO:
    """In such a process: where answers go; what anybody else prints becomes standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers
