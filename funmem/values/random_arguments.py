"""Random arguments for an entry point: ``--random n=10,m=20``."""

from collections.abc import Mapping
from math import prod

import numpy as np

from funmem.codegen.memory_limits import ALWAYS_THERE, host_limit
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError, UsageError
from funmem.ir.scalars import I64, ScalarType, Value, is_value
from funmem.ir.signature import Parameter, Signature
from funmem.ir.values import ArgValue, Data, dtype

BELOW = 100
"""Random integers lie in [0, BELOW), random floats in [0, 1)."""


def parse_sizes(text: str) -> dict[str, int]:
    """Return the numbers in ``n=4,m=5`` by name.  Raises UsageError."""
    sizes: dict[str, int] = {}
    for part in filter(None, text.replace(" ", "").split(",")):
        name, _, value = part.partition("=")
        digits = value.removeprefix("-")
        if not (name and digits.isdecimal() and digits.isascii() and len(digits) < 30):
            raise _usage(f"`{part}` is not of the form name=integer", "example: --random n=10,m=20")
        sizes[name] = int(value)
    return sizes


def random_arguments(s: Signature, given: Mapping[str, int], seed: int) -> list[ArgValue]:
    """Return arguments with the ``given`` sizes and scalars; all else is random.

    Raises UsageError if a size is missing, InputError if the arrays cannot be allocated.
    """
    _require_all(s, given)
    rng = np.random.default_rng(seed)
    env = dict(given)
    args: list[ArgValue] = []
    for p in s.params:  # scalars first, since sizes may depend on them
        if isinstance(p.type, ScalarType):
            value = _given(given[p.name], p.type) if p.name in given else _scalar(rng, p.type)
            if p.type is I64:
                env[p.name] = int(value)
            args.append(value)
        else:
            args.append(0)
    return [
        a if isinstance(p.type, ScalarType) else _array(rng, p, env)
        for a, p in zip(args, s.params, strict=True)
    ]


def _require_all(s: Signature, given: Mapping[str, int]) -> None:
    scalars = [p.name for p in s.params if isinstance(p.type, ScalarType)]
    example = ",".join(f"{x}=10" for x in (*s.sizes, *scalars))
    hint = f"entry point `{s.name}`: --random {example}" if example else ""
    for x in s.sizes:
        if x not in given:
            raise _usage(f"the size `{x}` is not given", hint)
    for unknown in given.keys() - {*s.sizes, *scalars}:
        raise _usage(f"`{s.name}` has no size or scalar parameter `{unknown}`", hint)


def _given(n: int, t: ScalarType) -> Value:
    value: Value = float(n) if t.is_float else bool(n) if t is ScalarType.BOOL else n
    if not t.is_float and not is_value(value, t):
        raise _usage(f"{n} is out of range for {t}")
    return value


def _scalar(rng: np.random.Generator, t: ScalarType) -> Value:
    value: Value = _fill(rng, t, ()).item()
    return value


def _array(rng: np.random.Generator, p: Parameter, env: Mapping[str, int]) -> Data:
    assert not isinstance(p.type, ScalarType)
    shape = tuple(d.eval(lambda x: env[x]) for d in p.type.shape)
    try:
        _require_room(prod(shape) * p.type.elem.bytes)
        return _fill(rng, p.type.elem, shape)
    except (ValueError, OverflowError, MemoryError):
        array = "".join(f"[{n}]" for n in shape) + str(p.type.elem)
        what = "has a negative size" if min(shape) < 0 else "does not fit into memory"
        message = f"argument `{p.name}`: {array} {what}"
        raise InputError(Diagnostic(NOWHERE, "random", message)) from None


def _require_room(size: int) -> None:
    """Raise MemoryError for more bytes than available.  Some systems allocate them nevertheless."""
    if size > ALWAYS_THERE and size > host_limit().bytes:
        raise MemoryError


def _fill(rng: np.random.Generator, t: ScalarType, shape: tuple[int, ...]) -> Data:
    if t.is_float:
        return rng.random(shape, np.float64 if t is ScalarType.F64 else np.float32).astype(dtype(t))
    return rng.integers(0, 2 if t is ScalarType.BOOL else BELOW, shape).astype(dtype(t))


def _usage(message: str, hint: str = "") -> UsageError:
    return UsageError(Diagnostic(NOWHERE, "random", message, hint))
