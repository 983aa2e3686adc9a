"""Judge a `.kfc` program: its oracle, Core's interpreter, and the engines below Core.

All have to print the same and to end with the same status, or with an error after the same output.
Types are checked after each pass.  What a pass refuses by name is counted; it is no failure.
"""

import io
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

from funmem.codegen.device import POCL
from funmem.driver.compilation import foreign_table
from funmem.driver.options import Engine, Options
from funmem.driver.process import run_process
from funmem.driver.source import Source
from funmem.driver.stages import default_pipeline, to_fun
from funmem.frontends.harlan.world import World
from funmem.interp.core import run_core
from funmem.interp.heap import run_heap
from funmem.interp.imp import Order, run_imp
from funmem.interp.value import run
from funmem.ir.check.core import check_core
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import FunmemError, SourceError, Trap
from funmem.ir.foreign_calls import Table
from funmem.ir.fun import MemProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.record import frozen
from funmem.ir.values import Value
from funmem.passes.framework import Level, as_imp, as_tree
from funmem.testing.harlan_generator import oracle
from funmem.testing.harlan_generator.oracle import Outcome, TooLong
from funmem.testing.judge.devices import Device
from funmem.testing.judge.time_limit import OutOfTime, limited

SECONDS = 60
"""Processor time for one program."""

REFUSED_BY_THE_LANGUAGE = ("harlan-region",)
"""Codes of programs that are wrong only as the analysis sees it."""

ENGINES: Mapping[Device, Engine] = {Device.C: Engine.C, Device.OPENCL: Engine.OPENCL}
MAIN = "main"
T = TypeVar("T")


@frozen
class Failure:
    """A failure: the engine, the kind (a code or an exception), and the message."""

    engine: str
    code: str
    message: str

    def like(self, other: "Failure | None") -> bool:
        """True if another failure is of the same engine and kind."""
        return other is not None and (self.engine, self.code) == (other.engine, other.code)


class _Refused(Exception):
    """A program that a part of the compiler does not take."""


class _Wrong(Exception):
    """A failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def judge(
    text: str,
    devices: Collection[Device] = (),
    ran: Counter[str] | None = None,
    *,
    engines: bool = True,
) -> Failure | None:
    """Return the first failure of a program, or None; ``ran`` counts runs and refusals.

    ``engines``: run more than the oracle and Core's interpreter.
    """
    count: Counter[str] = Counter() if ran is None else ran
    try:
        with limited(SECONDS):
            _judge(text, devices, count, engines=engines)
    except _Wrong as wrong:
        return wrong.failure
    except _Refused as refused:
        count[f"refused ({refused})"] += 1
    except OutOfTime as late:
        return Failure("time", "too slow", str(late))
    return None


def _judge(text: str, devices: Collection[Device], count: Counter[str], *, engines: bool) -> None:
    source = Source.of("generated.kfc", text, "kfc")
    core = _attempt("front end", lambda: _checked(source), REFUSED_BY_THE_LANGUAGE)
    want = _attempt("oracle", lambda: _meaning(text, core), REFUSED_BY_THE_LANGUAGE)
    count["trapped"] += want.status is None

    def compare(engine: str, action: Callable[[Table], Sequence[Value]]) -> None:
        _compare(engine, want, _attempt(engine, lambda: _outcome(core, action)), count)

    compare("core", lambda table: run_core(core, MAIN, (), table))
    if not engines:
        return
    fun = _attempt("to-fun", lambda: _fun(core))
    compare("value", lambda table: run(fun, MAIN, (), table))
    first, second = default_pipeline(end=Level.FUNMEM), default_pipeline(Level.FUNMEM)
    mem = _attempt("passes", lambda: as_tree(first.run(fun)))
    compare("heap", lambda table: run_heap(mem, MAIN, (), foreign=table).values)
    imp = _attempt("passes", lambda: as_imp(second.run(mem)))
    for order in Order:
        compare(f"imp {order.value}", partial(_by_imp, imp, order))
    for device in devices:
        found = _attempt(device.value, partial(_compiled, source, device))
        _compare(device.value, want, found, count)


def _meaning(text: str, core: CoreProgram) -> Outcome:
    """Return what a program does: by the oracle, and what it has not, by Core's interpreter."""
    try:
        return oracle.run(text)
    except NotImplementedError:
        return core_outcome(core)


def _by_imp(imp: ImpProgram, order: Order, table: Table) -> Sequence[Value]:
    return run_imp(imp, MAIN, (), order=order, foreign=table)


def _checked(source: Source) -> CoreProgram:
    tree = source.tree()
    assert isinstance(tree, CoreProgram)
    with deep():
        check_core(tree)
    return tree


def _fun(core: CoreProgram) -> MemProgram:
    with deep():
        return as_tree(to_fun(core, typed=True))


def _attempt(engine: str, action: Callable[[], T], allowed: Sequence[str] = ()) -> T:
    """Return the result of an action.  Raises _Refused, and _Wrong for what it should not raise.

    A pass may refuse a program with a SourceError; the front end with the ``allowed`` codes only.
    """
    try:
        return action()
    except _Refused:
        raise
    except SourceError as e:
        code = e.diagnostic.code
        if allowed and code not in allowed:
            raise _Wrong(Failure(engine, code, str(e))) from None
        raise _Refused(code) from None
    except TooLong:
        raise _Refused("too long") from None
    except FunmemError as e:
        raise _Wrong(Failure(engine, e.diagnostic.code, str(e))) from None
    except Exception as e:
        frames = traceback.extract_tb(e.__traceback__)
        message = "".join(traceback.format_exception(e)[-6:])
        raise _Wrong(Failure(engine, f"{type(e).__name__} in {frames[-1].name}", message)) from None


def _outcome(core: CoreProgram, action: Callable[[Table], Sequence[Value]]) -> Outcome:
    """Return the outcome of a run, which has output of its own."""
    out = io.BytesIO()
    world = World(["generated"], out)
    table = foreign_table(Options(foreign=world.code(core)), interpreted=True)
    return _ended(lambda: _status(action(table)), out)


def core_outcome(core: CoreProgram) -> Outcome:
    """Return what Core's interpreter makes of a program."""
    return _outcome(core, lambda table: run_core(core, MAIN, (), table))


def _compiled(source: Source, device: Device) -> Outcome:
    """Return the outcome of machine code."""
    out = io.BytesIO()
    name = POCL if device is Device.OPENCL else None
    return _ended(lambda: run_process(source, (), out, ENGINES[device], name), out)


def _status(results: Sequence[Value]) -> int:
    (status,) = results
    assert isinstance(status, int)
    return status & 255


def _ended(action: Callable[[], int], out: io.BytesIO) -> Outcome:
    try:
        status: int | None = action()
    except Trap as trap:
        if trap.diagnostic.message.startswith("Irregular array"):
            raise _Refused("irregular") from None
        status = None
    return Outcome(out.getvalue(), status)


def _compare(engine: str, want: Outcome, got: Outcome, count: Counter[str]) -> None:
    count[engine] += 1
    if want != got:
        message = f"expected {_shown(want)}, got {_shown(got)}"
        raise _Wrong(Failure(engine, "values", message))


def _shown(o: Outcome) -> str:
    ended = "an error" if o.status is None else f"status {o.status}"
    return f"{ended} after {o.printed.decode(errors='replace')!r}"
