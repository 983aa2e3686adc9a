"""A process that checks one program after the other, and loads the compiler once.

It is told what to do on standard input, and answers on standard output, one JSON object a line:

    -> {"vias": ["value"], "exclude": [], "structure": false, "device": null, …}   once
    <- {"ready": true}                                                             once
    -> {"file": "a.fun"}
    <- {"doing": "compiling"}                                                      any number
    <- {"verdict": {…}}

Whatever else writes to standard output (a driver, say) writes to standard error instead.
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
    """Works until standard input ends."""
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
    """A plan as data."""
    return {
        "vias": list(plan.vias),
        "exclude": list(plan.exclude),
        "structure": plan.structure,
        "device": plan.device,
        "verify": plan.verify and f"{plan.verify.__module__}:{plan.verify.__qualname__}",
        "verify_out": plan.verify_out,
    }


def plan_from_json(data: dict[str, Any]) -> Plan:
    """What ``plan_to_json`` made."""
    tuples = {key: tuple(data[key]) for key in ("vias", "exclude")}
    verify = data["verify"] and resolve_name(data["verify"])
    return Plan(**{**data, **tuples, "verify": verify})


def _lines() -> Iterator[dict[str, Any]]:
    """What comes in.  If the other side is gone, this process ends, whatever it is doing."""
    queue: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            queue.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield json.loads(queue.get())
