"""A process that loads the compiler once and checks one program after another.

It reads requests from standard input and writes answers to standard output, one JSON object per
line:

    -> {"vias": ["value"], "exclude": [], "structure": false, "device": null, …}   once
    <- {"ready": true}                                                             once
    -> {"file": "a.fun"}
    <- {"doing": "compiling"}                                                      any number
    <- {"verdict": {…}}

All other output to standard output, for example of a driver, is redirected to standard error.
"""

import faulthandler
import json
import os
import sys
import threading
from collections.abc import Iterator
from pkgutil import resolve_name
from queue import SimpleQueue
from typing import Any

from funmem.suite.check import Plan, check_file


def main() -> None:
    """Answer requests until standard input ends."""
    faulthandler.enable()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    tasks = _lines()
    plan = plan_from_json(next(tasks))

    def answer(key: str, value: object) -> None:
        out.write(json.dumps({key: value}) + "\n")
        out.flush()

    answer("ready", True)
    for task in tasks:
        verdict = check_file(task["file"], plan, lambda what: answer("doing", what))
        answer("verdict", verdict.to_json())


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON data; the verifier becomes ``module:name``."""
    return {
        "vias": list(plan.vias),
        "exclude": list(plan.exclude),
        "structure": plan.structure,
        "device": plan.device,
        "verify": plan.verify and f"{plan.verify.__module__}:{plan.verify.__qualname__}",
        "verify_out": plan.verify_out,
    }


def plan_from_json(data: dict[str, Any]) -> Plan:
    """Return the plan that ``plan_to_json`` has encoded."""
    tuples = {key: tuple(data[key]) for key in ("vias", "exclude")}
    verify = data["verify"] and resolve_name(data["verify"])
    return Plan(**{**data, **tuples, "verify": verify})


def _lines() -> Iterator[dict[str, Any]]:
    """Yield the requests.  The process exits when standard input is closed, even during a check."""
    queue: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            queue.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield json.loads(queue.get())
