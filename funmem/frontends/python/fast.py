"""Generates a variant's call function: it accepts what selects the variant, all else it leaves.

The function tests what is in the key of variants (rule 2) and the guards (rule 3), and calls the
entry point, which tests the rest.  For ``f(a, x)`` with a weak float, an array f32[n] and a global:

    def call(*args):
        try:
            a0, a1, = args
        except ValueError:
            return MISSED
        if type(a0) is not float:
            return MISSED
        t = type(a1)
        if t is not ndarray and t is not device:
            return MISSED
        s = a1.shape
        if a1.dtype is not dtype1 or len(s) != 1 or s[0] == 1:
            return MISSED
        if d0.get(k0, MISSING) is not w0 and not h0():
            return MISSED
        try:
            found = entry(a0, a1, )
        …

The text contains names that are made here and numbers, and nothing of a program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import CellType
from typing import Any, cast

import numpy as np

from funmem.codegen.generated import define
from funmem.frontends.python.guards import MISSING, Guard, Hidden, Spec
from funmem.ir.diagnostics import FunmemError, InputError
from funmem.ir.scalars import BOOL, F64, I64
from funmem.ir.values import dtype


class Missed:
    """Returned by the call function for arguments that it does not accept."""


MISSED = Missed()
_REFUSE = "        return MISSED"
_WEAK = {BOOL: bool, I64: int, F64: float}


class Plain:
    """A parameter that is one value: its type, or None for one whose annotation says it."""

    def __init__(self, spec: Spec | None) -> None:
        self.spec = spec


class Static:
    """A parameter whose value is part of the program."""

    def __init__(self, value: Any) -> None:
        self.value = value


def call_function(
    params: Sequence[Plain | Static],
    guards: Sequence[Guard],
    hidden: Sequence[Hidden],
    names: dict[str, object],
) -> Callable[..., Any]:
    """Return the function.

    ``names``: ``entry``, the entry point; ``finish``, which converts its result; ``told``, which
    makes an error the call's result; ``count``, called for each call that is accepted.
    """
    space: dict[str, object] = {
        **{"MISSED": MISSED, "MISSING": MISSING, "ndarray": np.ndarray, "device": _device()},
        **{"InputError": InputError, "FunmemError": FunmemError, **names},
    }
    every = "".join(f"a{k}, " for k in range(len(params)))
    lines = ["def call(*args):"]
    if params:
        lines += ["    try:", f"        {every}= args", "    except ValueError:", _REFUSE]
    else:
        lines += ["    if args:", _REFUSE]
    given: list[str] = []
    for k, p in enumerate(params):
        if isinstance(p, Static):
            space[f"v{k}"], space[f"t{k}"] = p.value, type(p.value)
            lines += [f"    if type(a{k}) is not t{k} or a{k} != v{k}:", _REFUSE]
            continue
        given.append(f"a{k}")
        if p.spec is not None:
            lines += _accepted(f"a{k}", str(k), p.spec, space)
    for k, g in enumerate(guards):
        lines += _guarded(k, g, space)
    for k, h in enumerate(hidden):
        space[f"f{k}"] = h.fetch
        lines += [f"    x{k} = f{k}()", *_accepted(f"x{k}", f"x{k}", h.spec, space)]
        given.append(f"x{k}")
    lines += [
        "    try:",
        f"        found = entry({', '.join(given)})",
        "    except InputError:",  # the general way converts the argument, or explains
        _REFUSE,
        "    except FunmemError as error:",
        "        return told(error)",
        "    count()",
        "    return finish(found)" if "finish" in names else "    return found",
    ]
    return cast(Callable[..., Any], define("\n".join(lines), space, "call of a variant")["call"])


def _device() -> type:
    """Return the class of arrays on a device; numpy's if no device has been used yet.

    OpenCL is not loaded for this: a program in C does not need it.
    """
    module = sys.modules.get("funmem.codegen.device_array")
    found: type = getattr(module, "DeviceArray", np.ndarray)
    return found


def _accepted(x: str, key: str, spec: Spec, space: dict[str, object]) -> list[str]:
    """Return statements that refuse a value of another type."""
    if not spec.ones:
        space[f"s{key}"] = _WEAK[spec.elem] if spec.weak else dtype(spec.elem).type
        return [f"    if type({x}) is not s{key}:", _REFUSE]
    space[f"dtype{key}"] = dtype(spec.elem)
    ones = "".join(f" or s[{k}] {'!=' if one else '=='} 1" for k, one in enumerate(spec.ones))
    return [
        f"    t = type({x})",
        "    if t is not ndarray and t is not device:",
        _REFUSE,
        f"    s = {x}.shape",
        f"    if {x}.dtype is not dtype{key} or len(s) != {len(spec.ones)}{ones}:",
        _REFUSE,
    ]


def _guarded(k: int, g: Guard, space: dict[str, object]) -> list[str]:
    """Return statements that refuse the call if a name is bound to something else."""
    space[f"w{k}"], space[f"h{k}"] = g.value, g.holds
    if isinstance(g.place, CellType):
        space[f"c{k}"] = g.place
        return [f"    if c{k}.cell_contents is not w{k} and not h{k}():", _REFUSE]
    if isinstance(g.place, dict):
        space[f"d{k}"], space[f"k{k}"] = g.place, g.name
        return [f"    if d{k}.get(k{k}, MISSING) is not w{k} and not h{k}():", _REFUSE]
    return [f"    if not h{k}():", _REFUSE]


__all__ = ["MISSED", "Plain", "Static", "call_function"]
