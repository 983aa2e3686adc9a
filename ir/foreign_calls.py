"""Calls of foreign functions: a table of implementations, which the interpreters share.

    foreign clamp (f32, f32) : f32                table["clamp"](3.0, 4.0) = 5.0
    effect print_i32 (token, i32) : token         table["print_i32"](7)    = None

A program has only the signatures of its foreign functions.  Whoever runs it supplies the functions:
Python references, or C through ctypes (``codegen/foreign_library.py``).  Both are called as
``ir/foreign.py`` says of a reference.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from funmem.ir.diagnostics import Diagnostic, InputError, Span, UsageError
from funmem.ir.foreign import IN_PYTHON, ON_LINE, Reference
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.sizes import var
from funmem.ir.values import ArgValue, ArrayValue, Value, bind

Table: TypeAlias = Mapping[str, Reference]
"""The implementations of foreign functions, by name."""

NO_FUNCTIONS: Table = {}


class Result(NamedTuple):
    """What a foreign function returns: a scalar, or an array of a rank; known sizes are checked."""

    type: ScalarType
    shape: tuple[int | None, ...] | None = None


def call(
    table: Table, name: str, args: Sequence[Value], results: Sequence[Result], at: Span
) -> tuple[Value, ...]:
    """Return the results of a foreign function.

    Raises UsageError, its code ``foreign``, if the table has no such function or if it returns
    something else than its signature says.  Exceptions of the function pass unchanged.
    """
    fn = table.get(name)
    if fn is None:
        raise _wrong(at, f"the foreign function `{name}` has no implementation", IN_PYTHON, ON_LINE)
    found = fn(*(_readable(v) for v in args))
    given = () if found is None else found if isinstance(found, tuple) else (found,)
    if len(given) != len(results):
        raise _wrong(at, f"`{name}` returned {len(given)} values, its signature has {len(results)}")
    return tuple(_checked(name, x, r, at) for x, r in zip(given, results, strict=True))


def _readable(v: Value) -> object:
    if not isinstance(v, ArrayValue):
        return v
    data = v.data.view()
    data.flags.writeable = False
    return data


def _checked(name: str, x: object, r: Result, at: Span) -> Value:
    """Return a result as a value of its type."""
    sizes: tuple[Name, ...] = ()
    if r.shape is None and hasattr(x, "item"):
        x = x.item()  # a scalar of numpy, which a reference may compute in another precision
    if r.shape is None:
        param = Parameter(Name(name), r.type)
    else:
        sizes = tuple(Name(f"{name} has {k}") for k in range(len(r.shape)))
        param = Parameter(Name(name), ArrayType(r.type, tuple(map(var, sizes))))
    try:
        _, (value,) = bind(Signature(Name(name), sizes, (param,), ()), [cast(ArgValue, x)])
    except InputError as e:
        raise _wrong(at, f"`{name}` returned {e.diagnostic.message}") from None
    if isinstance(value, ArrayValue):
        wanted = r.shape or ()
        if any(n not in (None, m) for n, m in zip(wanted, value.shape, strict=True)):
            text = f"`{name}` returned an array of shape {value.shape}, its signature has {wanted}"
            raise _wrong(at, text)
        return ArrayValue(value.data.copy(), value.defined)
    return value


def _wrong(at: Span, message: str, hint: str = "", command: str | None = None) -> UsageError:
    return UsageError(Diagnostic(at, "foreign", message, hint, command=command))
