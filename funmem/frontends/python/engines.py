"""A traced program on the engines: interpreters, C, a device.

Without a choice the program runs on the default OpenCL device, as for ``funmem.compile``; on a
machine without one, as C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from funmem.driver.options import Engine, Options
from funmem.ir.diagnostics import DeviceError
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.fun import FunProgram
from funmem.ir.values import ArrayValue

Run = Callable[..., Any]
"""A program on an engine: arguments -> a result, or a tuple of several."""

_CHOSEN: ContextVar[Engine | None] = ContextVar("engine", default=None)


@contextmanager
def using(via: str) -> Iterator[None]:
    """Run jitted functions on an engine while the block runs: value, heap, imp, c or opencl.

    Raises UsageError for an unknown engine.
    """
    token = _CHOSEN.set(Engine.named(via))
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def chosen() -> Engine | None:
    """Return the engine that ``using`` chose, or None."""
    return _CHOSEN.get()


def load(
    program: FunProgram, entry: str, engine: Engine | None, foreign: ForeignCode = NONE
) -> tuple[Engine, Run, Any]:
    """Return the engine, the callable entry point, and the object that has ``stats``.

    Raises DeviceError.
    """
    if engine is None:
        try:
            return load(program, entry, Engine.OPENCL, foreign)
        except DeviceError as error:
            if not _no_device(error):
                raise
            return load(program, entry, Engine.C, foreign)
    options = Options(safe=True, tuned=True, foreign=foreign)
    if engine is Engine.OPENCL:
        from funmem.driver.compilation import build

        executable, _, _ = build(program, options)
        point = executable.entry(entry)
        return engine, point, point
    if engine is Engine.C:
        from funmem.codegen.c_library import CLibrary
        from funmem.codegen.cache import Cache
        from funmem.driver.compilation import c_program

        compiled, _, _ = c_program(program, options)
        library = CLibrary.load(compiled, cache=Cache.default())
        c_point = library.entry(entry)
        return engine, c_point, c_point
    from funmem.driver.engines import prepare

    runner = prepare(program, engine, options)

    def run(*args: Any) -> Any:
        return unwrapped(runner.run(entry, args).values)

    return engine, run, runner


def unwrapped(values: Sequence[Any]) -> Any:
    """Return results of an interpreter as numpy arrays and Python scalars."""
    found = tuple(np.array(v.data, order="C") if isinstance(v, ArrayValue) else v for v in values)
    return found[0] if len(found) == 1 else found


def _no_device(error: DeviceError) -> bool:
    """True if there is no OpenCL device at all; other failures of a device are reported."""
    from funmem.codegen.device import list_devices

    return error.diagnostic.code == "device" and not list_devices()
