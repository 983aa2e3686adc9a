"""Arguments of jitted functions: their types, which select a variant, and messages about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funmem.frontends.python.guards import Spec, array_spec
from funmem.frontends.python.types import ArrayAnnotation, show
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F64, I64, ScalarType, is_value, normalise
from funmem.ir.sizes import Size
from funmem.ir.values import dtype, elem_type


def refuse(k: int, name: str, what: str, hint: str = "") -> InputError:
    """Return the error for argument k, which counts from 1."""
    message = f"argument {k} (`{name}`): {what}"
    return InputError(Diagnostic(NOWHERE, "argument", message, hint))


def described(x: Any) -> str:
    """Return the type of an argument as messages show it."""
    spec = array_spec(x)
    if spec is not None:
        return show(spec.elem, [Size.of(int(n)) for n in x.shape])
    if isinstance(x, np.generic):
        t = elem_type(x.dtype)
        return str(x.dtype if t is None else t)
    if isinstance(x, bool | int | float):
        return f"the {type(x).__name__} {x}" if abs(x) < 1 << 64 else f"a huge {type(x).__name__}"
    return f"a {type(x).__name__}"


def spec_of(x: Any, k: int, name: str) -> tuple[Spec, Any]:
    """Return the type of an argument without an annotation, and the value to pass."""
    match x:
        case np.generic():
            t = elem_type(x.dtype)
            if t is not None:
                return Spec(t, False, ()), x.item()
        case bool():
            return Spec(BOOL, True, ()), x
        case int():
            if not is_value(int(x), I64):
                raise refuse(k, name, f"{x} is out of range for i64", "pass np.uint64(…)")
            return Spec(I64, True, ()), int(x)
        case float():
            return Spec(F64, True, ()), float(x)
        case np.ma.MaskedArray():
            hint = "pass the result of `filled`"
            raise refuse(k, name, "a masked array may lack elements", hint)
        case _:
            spec = array_spec(x)
            if spec is not None:
                return spec, _native(x) if spec.ones else np.asarray(x).item()
            other = hasattr(x, "__array__") or hasattr(x, "__dlpack__")
            if other and not isinstance(x, np.ndarray):
                return spec_of(_from_elsewhere(x), k, name)
            if isinstance(x, list | tuple):
                return spec_of(np.array(x), k, name)
    if hasattr(x, "dtype"):
        raise refuse(k, name, f"elements of type {x.dtype} are not supported")
    what = f"a {type(x).__name__} is no number, array or tree of them"
    raise refuse(k, name, what, "declare it static: @fm.jit(static=…)")


def _native(x: Any) -> Any:
    """Return an array in the machine's byte order; a subclass as a plain array."""
    if isinstance(x, np.ndarray):
        if not x.dtype.isnative:
            return x.astype(x.dtype.newbyteorder("="))
        return x if type(x) is np.ndarray else np.asarray(x)
    return x


def _from_elsewhere(x: Any) -> Any:
    """Return an array of another library as one of numpy's."""
    if hasattr(x, "__dlpack__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError, ValueError):
            if not hasattr(x, "__array__"):
                raise
    return np.asarray(x)


def annotated(x: Any, a: ArrayAnnotation, k: int, name: str) -> Any:
    """Return an argument as a value of its annotated type; widening without loss is allowed."""
    if not a.sizes:
        return _scalar(x, a, k, name)
    if isinstance(x, list | tuple):
        x = np.array(x, dtype(a.elem))
    elif array_spec(x) is None and (hasattr(x, "__array__") or hasattr(x, "__dlpack__")):
        x = _from_elsewhere(x)
    spec = array_spec(x)
    if spec is None or len(spec.ones) != len(a.sizes) or isinstance(x, np.ma.MaskedArray):
        raise refuse(k, name, f"expected {a}, got {described(x)}")
    x = _native(x)
    if spec.elem is a.elem:
        return x
    if widens(spec.elem, a.elem):
        return np.asarray(x).astype(dtype(a.elem))
    numpy = f"np.{dtype(a.elem).name}"
    raise refuse(
        k, name, f"expected {a}, got {described(x)}", f"{name}.astype({numpy}) converts it"
    )


def widens(source: ScalarType, to: ScalarType) -> bool:
    """True if all values of one type are values of the other, of the same kind."""
    kinds = {source.is_float, to.is_float}
    return (
        len(kinds) == 1
        and BOOL not in (source, to)
        and np.can_cast(dtype(source), dtype(to), "safe")
    )


def _scalar(x: Any, a: ArrayAnnotation, k: int, name: str) -> Any:
    t = a.elem
    if isinstance(x, np.generic) or array_spec(x) is not None:
        found = elem_type(np.asarray(x).dtype)
        if getattr(x, "ndim", 0) or found is None or not (found is t or widens(found, t)):
            raise refuse(
                k, name, f"expected {a}, got {described(x)}", f"fm.{t}({name}) converts it"
            )
        x = np.asarray(x).item()
    if t is BOOL and isinstance(x, bool):
        return x
    if isinstance(x, bool) or not isinstance(x, int | float):
        raise refuse(k, name, f"expected {a}, got {described(x)}")
    if t.is_float:
        return normalise(float(x), t)
    if isinstance(x, int) and is_value(x, t):
        return x
    raise refuse(k, name, f"expected {a}, got {described(x)}")


def explain(names: Sequence[str], types: Sequence[ArrayAnnotation], values: Sequence[Any]) -> None:
    """Raise InputError for the first argument whose sizes disagree with earlier ones."""
    known: dict[Name, int] = {}
    for a, v, name in zip(types, values, names, strict=True):
        if not a.sizes and a.elem is I64 and isinstance(v, int):
            known.setdefault(Name(name), v)
    given = [
        (k, a, v, name)
        for k, (a, v, name) in enumerate(zip(types, values, names, strict=True), 1)
        if a.sizes
    ]
    for k, a, v, name in given:
        before = dict(known)
        for d, n in zip(a.sizes, v.shape, strict=True):
            x = d.as_name
            if x is not None:
                known.setdefault(x, n)
            if d.free() <= known.keys() and d.eval(known.__getitem__) != n:
                raise _disagree(k, name, a, v, before)
    for k, a, v, name in given:
        for d, n in zip(a.sizes, v.shape, strict=True):
            if d.free() <= known.keys() and d.eval(known.__getitem__) != n:
                raise _disagree(k, name, a, v, known)


def _disagree(k: int, name: str, a: ArrayAnnotation, v: Any, known: dict[Name, int]) -> InputError:
    used = sorted({x for d in a.sizes for x in d.free() if x in known})
    where = f" with {', '.join(f'{x} = {known[x]}' for x in used)}" if used else ""
    return refuse(k, name, f"expected {a}{where}, got {described(v)}")
