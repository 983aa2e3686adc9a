"""Judge a generated program: numpy, the interpreter of Core, FUN, and all engines.

The results of numpy are the reference.  The FUN program then goes through the pipeline, as those of
``funmem fuzz`` do: types after each pass, races on the heap, IMP in three orders.
"""

from __future__ import annotations

import dataclasses
import linecache
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from funmem.ir.diagnostics import FunmemError, Trap
from funmem.ir.record import evolve, frozen
from funmem.ir.text import parse_fun, show
from funmem.ir.values import Tolerance
from funmem.passes.pipeline import DEFAULT
from funmem.passes.runner import Pipeline
from funmem.testing.campaign.trial import run_trial
from funmem.testing.jit_generator.program import JitProgram, run_eagerly, values_of
from funmem.testing.judge.devices import Device
from funmem.testing.judge.program import Case


@frozen
class Failure:
    """A failure: the engine, the kind (a code or an exception), and the message."""

    engine: str
    code: str
    message: str

    def like(self, other: Failure | None) -> bool:
        """True if another failure is of the same engine and kind."""
        return other is not None and (self.engine, self.code) == (other.engine, other.code)


def traced(p: JitProgram) -> Any:
    """Return the jitted function of a program, whose source tracebacks and errors can show."""
    import funmem

    name = f"<jit program {p.seed}>"
    linecache.cache[name] = (len(p.source), None, p.source.splitlines(keepends=True), name)
    names = {"np": np, "fm": funmem, "dataclass": dataclasses.dataclass, "__name__": "__main__"}
    exec(compile(p.source, name, "exec"), names)
    return names["f"]


def judge(
    p: JitProgram,
    devices: Collection[Device] = (),
    ran: Counter[str] | None = None,
    *,
    engines: bool = True,
) -> Failure | None:
    """Return the first failure of a program, or None; ``ran`` counts the runs of each engine."""
    count: Counter[str] = Counter() if ran is None else ran
    f = traced(p)
    for args in (p.args, p.more):
        try:
            want = run_eagerly(p, args)
        except IndexError as refused:
            wrong = _not_trapped(f, args)
            if wrong is not None:
                return Failure("numpy", "traps", f"numpy raises `{refused}`; {wrong}")
            count["traps"] += 1
            continue
        except (ArithmeticError, ValueError):
            continue  # numpy refuses these lengths
        count["numpy"] += 1
        found = _attempt("trace", lambda args=args: f.interpret(*args))  # type: ignore[misc]
        if isinstance(found, Failure):
            return found
        wrong = difference(want, found)
        if wrong is not None:
            return Failure("numpy", "values", wrong)
        count["core"] += 1
    if f.cache_info().traces != 1:
        return Failure("trace", "traces", f"{f.cache_info().traces} traces for two lengths")
    return _on_engines(p, f, devices, count) if engines else None


def _not_trapped(f: Any, args: tuple[Any, ...]) -> str | None:
    """Return what a function does instead of trapping; None if it traps."""
    try:
        return f"the program returns {f.interpret(*args)}"
    except Trap:
        return None
    except FunmemError as e:
        return f"the program: {e}"


def _on_engines(
    p: JitProgram, f: Any, devices: Collection[Device], count: Counter[str]
) -> Failure | None:
    found = _attempt("to-fun", lambda: f.fun_and_arguments(*p.args))
    if isinstance(found, Failure):
        return found
    program, args = found
    wrong = _as_fut(f, p, args)
    if wrong is not None:
        return wrong
    count["fut"] += 1
    if parse_fun(show(program)) != program:
        return Failure("text", "text", "the printed program parses as a different program")
    case = Case(program, program.entries[0].name, args, p.seed, Tolerance())
    t = run_trial(case, Pipeline.parse(DEFAULT), devices=devices)
    count.update(t.engines)
    for d in t.disagreements:
        return Failure(d.engine, d.code, f"after {d.passes}: {d.message}")
    return None


def _as_fut(f: Any, p: JitProgram, args: tuple[Any, ...]) -> Failure | None:
    """Print a program in ``.fut``, read it back, and compare its results; None if they agree."""
    import funmem
    from funmem.frontends.python import trees

    found = _attempt(
        "fut", lambda: funmem.run(f.lower(*p.args).fut, *args, language="fut", via="core")
    )
    want = _attempt("trace", lambda: f.interpret(*p.args))
    if isinstance(found, Failure):
        return None if isinstance(want, Failure) and want.code == found.code else found
    if isinstance(want, Failure):
        return Failure("fut", "values", f"the program: {want.message}; its text: {found}")
    leaves = tuple(trees.flat(want)[0])
    given = found if len(leaves) != 1 else (found,)
    typed = [
        y if isinstance(y, np.ndarray) else np.asarray(x).dtype.type(y)  # Python's numbers
        for x, y in zip(leaves, given, strict=True)
    ]
    wrong = difference(leaves, tuple(typed))
    return None if wrong is None else Failure("fut", "values", wrong)


def _attempt(engine: str, action: Callable[[], Any]) -> Any:
    """Return the result of an action, or the failure that it ends with."""
    try:
        return action()
    except FunmemError as e:
        return Failure(engine, e.diagnostic.code, str(e))
    except Exception as e:
        import traceback

        where = traceback.extract_tb(e.__traceback__)[-1]
        return Failure(engine, type(e).__name__, f"{e} (in {where.name}, line {where.lineno})")


def difference(want: Any, got: Any) -> str | None:
    """Return how two results differ in structure, type, shape or value; floats have a tolerance."""
    if isinstance(want, dict) != isinstance(got, dict) or isinstance(want, tuple) != isinstance(
        got, tuple
    ):
        return f"numpy returns a {type(want).__name__}, the program a {type(got).__name__}"
    for a, b in zip(values_of(want), values_of(got), strict=True):
        x, y = np.asarray(a), np.asarray(b)
        if x.dtype != y.dtype or x.shape != y.shape:
            return f"numpy returns {x.dtype}{[*x.shape]}, the program {y.dtype}{[*y.shape]}"
        exact = x.dtype.kind != "f"
        rough = 1e-4 if x.dtype.itemsize <= 4 else 1e-9
        same = (x == y).all() if exact else np.allclose(x, y, rough, rough, equal_nan=True)
        if not same:
            return f"numpy returns {x.tolist()}, the program {y.tolist()}"
    return None


# ---------------------------------------------------------------------- a shorter program


def shortened(p: JitProgram, failure: Failure, devices: Collection[Device] = ()) -> JitProgram:
    """Return a program with fewer lines and results that fails in the same way."""

    def fails(q: JitProgram) -> bool:
        try:
            for args in (q.args, q.more)[:1]:
                run_eagerly(q, args)
        except Exception:
            return False
        return failure.like(judge(q, devices))

    again = True
    while again:
        again = False
        last = [x.split(" = ")[0] for x in p.lines]
        for q in (
            *(evolve(p, result=x) for x in last if x != p.result),
            *(
                evolve(p, lines=(*p.lines[:k], *p.lines[k + 1 :]))
                for k in range(len(p.lines) - 1, -1, -1)
            ),
            *(evolve(p, defs=(*p.defs[:k], *p.defs[k + 1 :])) for k in range(len(p.defs))),
        ):
            smaller = len(q.source) < len(p.source)
            if smaller and fails(q):
                p, again = q, True
                break
    return p


def reproducer(p: JitProgram, failure: Failure) -> str:
    """Return the text of a program that fails, with its arguments, as a script."""
    args = ", ".join(map(_literal, p.args))
    said = "\n".join(f"# {x}" for x in f"{failure.engine}: {failure.message}".splitlines()[:12])
    head = "from dataclasses import dataclass\n\nimport numpy as np\n\nimport funmem as fm\n\n"
    return f"# seed {p.seed}\n{said}\n{head}{p.source}\n\nprint(f.interpret({args}))\n"


def _literal(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"np.array({x.tolist()}, np.{x.dtype})"
    if isinstance(x, np.generic):
        return f"np.{x.dtype}({x.item()})"
    return repr(x)
