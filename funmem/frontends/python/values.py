"""The values that a traced function sees: scalars and arrays with numpy's operators and methods.

Each operation appends to the tape.  What needs a number now (``if``, ``range``, ``float``) is an
error with a hint.  Values are immutable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from funmem.frontends.python import indexing, making, reductions
from funmem.frontends.python.elementwise import astype, ufunc
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.tape import Symbol, Tape, describe
from funmem.frontends.python.types import kind_of, scalar_type
from funmem.ir import core as c
from funmem.ir.diagnostics import SourceError
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, product
from funmem.ir.values import dtype as numpy_type


def _op(f: np.ufunc) -> Callable[[Traced, Any], Any]:
    def operate(self: Traced, other: Any) -> Any:
        if other.__class__ is not Traced:
            other = _operand(other)
        return ufunc(f, (self, other), self.tape)

    return operate


def _reflected(f: np.ufunc) -> Callable[[Traced, Any], Any]:
    def operate(self: Traced, other: Any) -> Any:
        return ufunc(f, (_operand(other), self), self.tape)

    return operate


def _compared(f: np.ufunc) -> Callable[[Traced, Any], Any]:
    """Return a comparison; of sizes whose difference is a constant it is known in the trace."""
    operate = _op(f)

    def compare(self: Traced, other: Any) -> Any:
        if self.poly is not None and isinstance(other, int | Traced):
            size = other.poly if isinstance(other, Traced) else Size.of(int(other))
            gap = None if size is None else (self.poly - size).as_const
            if gap is not None:
                return (gap == 0) == (f is np.equal)
        return operate(self, other)

    return compare


def _operand(x: Any) -> Any:
    """Return an operand.  Raises SourceError for text, None and containers without an order."""
    if x is None or isinstance(x, str | bytes | dict | set):
        hint = "x is None tests a Python value" if x is None else ""
        raise wrong(Code.TYPE, f"an operand is {_a(x)}, not a number or array", hint)
    return x


def _a(x: Any) -> str:
    """Return the name of a value's type with an article; None is called by its name."""
    if x is None:
        return "None"
    name = type(x).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _one(f: np.ufunc) -> Callable[[Traced], Any]:
    return lambda self: ufunc(f, (self,), self.tape)


def _refused(op: str) -> Callable[[Traced, Any], Any]:
    def operate(self: Traced, _other: Any) -> Any:
        if self.dims:
            hint = f"write `x = x {op} …`: numpy's `{op}=` would change every alias of x"
            raise wrong(Code.MUTATION, f"`{op}=` on an array: values are immutable", hint)
        return NotImplemented

    return operate


class UnknownAttribute(SourceError, AttributeError):
    """A traced value lacks an attribute; ``hasattr`` sees this as it sees an AttributeError."""


class Traced(Symbol):
    """A symbolic scalar or array."""

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = object.__hash__

    # ------------------------------------------------------------------ operators

    __add__, __radd__ = _op(np.add), _reflected(np.add)
    __sub__, __rsub__ = _op(np.subtract), _reflected(np.subtract)
    __mul__, __rmul__ = _op(np.multiply), _reflected(np.multiply)
    __truediv__, __rtruediv__ = _op(np.true_divide), _reflected(np.true_divide)
    __floordiv__, __rfloordiv__ = _op(np.floor_divide), _reflected(np.floor_divide)
    __mod__, __rmod__ = _op(np.remainder), _reflected(np.remainder)
    __rpow__ = _reflected(np.power)
    __and__, __rand__ = _op(np.bitwise_and), _reflected(np.bitwise_and)
    __or__, __ror__ = _op(np.bitwise_or), _reflected(np.bitwise_or)
    __xor__, __rxor__ = _op(np.bitwise_xor), _reflected(np.bitwise_xor)
    __lshift__, __rlshift__ = _op(np.left_shift), _reflected(np.left_shift)
    __rshift__, __rrshift__ = _op(np.right_shift), _reflected(np.right_shift)
    __lt__, __le__ = _op(np.less), _op(np.less_equal)
    __gt__, __ge__ = _op(np.greater), _op(np.greater_equal)
    __eq__ = _compared(np.equal)
    __ne__ = _compared(np.not_equal)
    __neg__, __pos__ = _one(np.negative), _one(np.positive)
    __abs__, __invert__ = _one(np.absolute), _one(np.invert)

    __iadd__, __isub__, __imul__ = _refused("+"), _refused("-"), _refused("*")
    __itruediv__, __ifloordiv__, __imod__ = _refused("/"), _refused("//"), _refused("%")
    __ipow__, __iand__, __ior__ = _refused("**"), _refused("&"), _refused("|")
    __ixor__, __ilshift__, __irshift__ = _refused("^"), _refused("<<"), _refused(">>")
    __imatmul__ = _refused("@")

    def __pow__(self, other: Any) -> Any:
        """Return a power; numpy's array operator computes some constant ones differently."""
        if type(other) in (int, float) and self.type.is_float:
            simple = _POWERS.get(float(other))
            if simple is not None:
                return ufunc(simple, (self,), self.tape)
        return ufunc(np.power, (self, other), self.tape)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __matmul__(self, other: Any) -> Any:
        return reductions.dot(self, self.tape.lift(other))

    def __rmatmul__(self, other: Any) -> Any:
        return reductions.dot(self.tape.lift(other), self)

    def __round__(self, digits: int | None = None) -> Any:
        if digits:
            raise wrong(Code.UNSUPPORTED, "round to decimal digits", "scale, round, and scale back")
        return ufunc(np.rint, (self,), self.tape)

    # ------------------------------------------------------------------ numpy's protocols

    def __array_ufunc__(self, f: np.ufunc, method: str, *args: Any, **options: Any) -> Any:
        if options.pop("out", None) is not None:
            raise wrong(Code.MUTATION, "`out=`: values are immutable", "use the result of the call")
        if method == "__call__" and f is np.matmul:
            return reductions.dot(self.tape.lift(args[0]), self.tape.lift(args[1]))
        if method == "__call__" and f is np.divmod:
            a, b = map(self.tape.lift, args)
            return ufunc(np.floor_divide, (a, b), self.tape), ufunc(np.remainder, (a, b), self.tape)
        if method == "__call__":
            wanted = options.pop("dtype", None)
            _no_options(f.__name__, options)
            if wanted is not None:
                t = scalar_type(wanted)
                args = tuple(astype(self.tape.lift(x), t) for x in args)
            return ufunc(f, args, self.tape)
        if method == "reduce" and f in _REDUCTIONS:
            axis = options.pop("axis", 0)
            keepdims = options.pop("keepdims", False)
            _no_options(f"{f.__name__}.reduce", options)
            return _REDUCTIONS[f](self.tape.lift(args[0]), axis, keepdims)
        if method == "accumulate" and f in (np.add, np.multiply):
            x = self.tape.lift(args[0])
            return reductions.cumulative(x, f, options.pop("axis", 0), reductions.summed(x.type))
        if method == "outer":
            a, b = map(self.tape.lift, args)
            for _ in b.dims:
                a = indexing.with_dimension(a, len(a.dims))
            return ufunc(f, (a, b), self.tape)
        raise wrong(Code.UNSUPPORTED, f"np.{f.__name__}.{method} is not supported in traced code")

    def __array_function__(self, f: Any, types: Any, args: Any, options: Any) -> Any:
        from funmem.frontends.python.numpy_functions import FUNCTIONS

        found = FUNCTIONS.get(f)
        if found is None:
            name = f"{f.__module__.replace('numpy', 'np', 1)}.{f.__name__}"
            hint = _FUNCTIONS_INSTEAD.get(
                f.__name__, "papers/frontends/python.md lists numpy's functions"
            )
            raise wrong(Code.UNSUPPORTED, f"{name} is not supported in traced code", hint)
        if options.pop("out", None) is not None:
            raise wrong(Code.MUTATION, "`out=`: values are immutable", "use the result of the call")
        return found(*args, **options)

    def __array__(self, *args: Any, **options: Any) -> NoReturn:
        what = "numpy needs the elements of a traced value, which are not known yet"
        raise wrong(
            Code.UNSUPPORTED, what, "an array that a traced value indexes: fm.array(table)[i]"
        )

    # ------------------------------------------------------------------ what needs a number now

    def __bool__(self) -> bool:
        hint = "use fm.where, fm.cond or fm.while_loop; & | ~ instead of and, or, not"
        raise wrong(Code.BOOL, f"the truth of a traced {describe(self)} is not known yet", hint)

    def __int__(self) -> int:
        raise wrong(
            Code.INT, f"the value of a traced {describe(self)} is not known yet", "fm.i64(x)"
        )

    def __index__(self) -> int:
        found = None if self.poly is None else self.poly.as_const
        if found is not None:
            return found
        hint = "use fm.loop instead of range; fm.array(table)[i] for an array of numpy's"
        raise wrong(Code.INT, f"the value of a traced {describe(self)} is not known yet", hint)

    def __float__(self) -> float:
        raise wrong(
            Code.FLOAT, f"the value of a traced {describe(self)} is not known yet", "fm.f64(x)"
        )

    def __complex__(self) -> complex:
        raise wrong(Code.FLOAT, "complex numbers are not supported in traced code")

    def __len__(self) -> int:
        if not self.dims:
            raise wrong(Code.SHAPE, f"a traced {describe(self)} has no length")
        n = self.dims[0].as_const
        if n is None:
            raise wrong(Code.INT, f"the length of {describe(self)} is not known yet", "x.shape[0]")
        return n

    def __iter__(self) -> Iterator[Any]:
        if not self.dims:
            raise wrong(Code.ITER, f"a traced {describe(self)} has no elements to iterate over")
        n = self.dims[0].as_const
        if n is None:
            hint = "use fm.map or fm.loop"
            raise wrong(Code.ITER, f"the length of {describe(self)} is not known yet", hint)
        return iter([self[k] for k in range(n)])

    def __contains__(self, x: Any) -> bool:
        raise wrong(Code.BOOL, "`in` on a traced value is not known yet", "use (xs == x).any()")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise wrong(Code.MUTATION, "values are immutable", "write x = x.at[i].set(v)")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        of_numpy = hasattr(np.ndarray, name)
        what = f"`{name}` of a traced {describe(self)} is not supported"
        if not of_numpy:
            what = f"a traced {describe(self)} has no attribute `{name}`"
        hint = _INSTEAD.get(name, "")
        raise UnknownAttribute(wrong(Code.UNSUPPORTED, what, hint).diagnostic)

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"<traced {describe(self)}>"

    def __deepcopy__(self, memo: Any) -> Traced:
        return self

    def __copy__(self) -> Traced:
        return self

    def __reduce__(self) -> NoReturn:
        raise wrong(Code.ESCAPED, "a traced value cannot be pickled")

    # ------------------------------------------------------------------ shape

    def __getitem__(self, key: Any) -> Any:
        if not self.dims and key not in ((), Ellipsis, None):
            raise wrong(Code.SHAPE, f"a traced {describe(self)} has no elements")
        return indexing.getitem(self, key)

    @property
    def at(self) -> indexing.At:
        """``x.at[i].set(v)``: x with some elements replaced."""
        return indexing.At(self)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes: integers where they are constant."""
        x = self.tape.local(self)
        return tuple(_number(x.tape, d) for d in x.dims)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    @property
    def size(self) -> Any:
        """The number of elements."""
        x = self.tape.local(self)
        return _number(x.tape, product(x.dims))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements, as numpy's."""
        return numpy_type(self.type)

    @property
    def T(self) -> Any:
        """The array with its dimensions reversed."""
        return self.transpose()

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its dimensions reversed or permuted."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
            axes = tuple(axes[0] or ())
        x = self.tape.local(self)
        rank = len(x.dims)
        perm = [a % rank for a in axes] if axes else list(range(rank))[::-1]
        if sorted(perm) != list(range(rank)):
            raise wrong(Code.SHAPE, f"{axes} is no permutation of the dimensions of {describe(x)}")
        return indexing.rearranged(x, perm)

    def reshape(self, *shape: Any) -> Any:
        """Return the elements in another shape; one size may be -1."""
        from funmem.frontends.python.numpy_functions import reshape

        return reshape(self, shape[0] if len(shape) == 1 else shape)

    def ravel(self) -> Any:
        """Return the elements as a vector."""
        return self.reshape(-1)

    flatten = ravel

    def copy(self) -> Any:
        """Return the value."""
        return self

    def astype(self, dtype: Any, **_: Any) -> Any:
        """Return the value converted to another type."""
        return astype(self, scalar_type(dtype))

    def item(self) -> Any:
        """Return a scalar: the value itself."""
        if self.dims:
            raise wrong(Code.SHAPE, f"{describe(self)} is no scalar")
        return self

    # ------------------------------------------------------------------ reductions

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """Return the sum of the elements; of integers as i64 or u64."""
        return reductions.sum_(self, axis, dtype, keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """Return the product of the elements; of integers as i64 or u64."""
        return reductions.prod(self, axis, dtype, keepdims)

    def mean(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        """Return the mean of the elements; of integers as f64."""
        return reductions.mean(self, axis, dtype, keepdims)

    def var(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """Return the variance of the elements."""
        return reductions.variance(self, axis, ddof, keepdims)

    def std(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """Return the standard deviation of the elements."""
        return ufunc(np.sqrt, (self.var(axis, ddof, keepdims),), self.tape)

    def min(self, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        """Return the least element; NaN if there is one."""
        return reductions.extremum(self, np.minimum, axis, keepdims, initial)

    def max(self, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        """Return the greatest element; NaN if there is one."""
        return reductions.extremum(self, np.maximum, axis, keepdims, initial)

    def any(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return whether some element is true."""
        return reductions.any_(self, np.logical_or, axis, keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return whether all elements are true."""
        return reductions.any_(self, np.logical_and, axis, keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the index of the first least element."""
        return reductions.arg_extremum(self, np.minimum, axis, keepdims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the index of the first greatest element."""
        return reductions.arg_extremum(self, np.maximum, axis, keepdims)

    def cumsum(self, axis: Any = None, dtype: Any = None) -> Any:
        """Return the sums of all prefixes."""
        t = reductions.summed(self.type) if dtype is None else scalar_type(dtype)
        return reductions.cumulative(self, np.add, axis, t)

    def cumprod(self, axis: Any = None, dtype: Any = None) -> Any:
        """Return the products of all prefixes."""
        t = reductions.summed(self.type) if dtype is None else scalar_type(dtype)
        return reductions.cumulative(self, np.multiply, axis, t)

    def dot(self, other: Any) -> Any:
        """Return ``x @ y``."""
        return self @ other

    def clip(self, least: Any = None, most: Any = None) -> Any:
        """Return the elements, no less than ``least`` and no more than ``most``."""
        found: Any = self
        if least is not None:
            found = ufunc(np.maximum, (found, least), self.tape)
        if most is not None:
            found = ufunc(np.minimum, (found, most), self.tape)
        return found

    def sign(self) -> Any:
        """Return -1, 0 or 1."""
        return ufunc(np.sign, (self,), self.tape)

    # ------------------------------------------------------------------ from outside

    @classmethod
    def lifted(cls, tape: Tape, x: Any) -> Traced:
        """Return a number as a constant, an array found outside as a hidden argument."""
        kind = kind_of(x)
        if kind is not None:
            t, weak = kind
            value = x.item() if isinstance(x, np.generic) else x
            if t is I64 and not -(2**63) <= value < 2**63:
                raise wrong(Code.TYPE, f"the number {value} is out of range for i64")
            size = Size.of(value) if t is I64 else None
            return cls(tape, c.Const(value, t), t, (), weak, size, t is I64 and value >= 0)
        hidden = tape.captures.found(x)
        if hidden is not None:
            return tape.local(hidden)  # type: ignore[return-value]
        if isinstance(x, list | tuple):
            return making.stacked(tape, x)  # type: ignore[return-value]
        if isinstance(x, complex):
            raise wrong(Code.TYPE, "complex numbers are not supported")
        hint = "mark a parameter that is no number or array as static" if callable(x) else ""
        raise wrong(Code.TYPE, f"{_a(x)} is no number or array", hint)


def _number(tape: Tape, d: Size) -> Any:
    k = d.as_const
    return tape.size_symbol(d) if k is None else k


def _no_options(name: str, options: dict[str, Any]) -> None:
    for option in options:
        raise wrong(Code.UNSUPPORTED, f"np.{name} with `{option}=` is not supported in traced code")


_FUNCTIONS_INSTEAD = {
    "bincount": "fm.hist(np.add, 0, n, x, fm.ones_like(x)) has n bins",
    "histogram": "fm.hist(np.add, 0, n, bins, counts) adds the counts to n bins",
    "unique": "x = np.sort(x), then a mask: x[1:] != x[:-1]",
    "nonzero": "fm.arange(n)[mask] are the indices where a mask is true",
    "argwhere": "fm.arange(n)[mask] are the indices where a mask is true",
    "polyval": "Python's loop over the coefficients: y = y * x + c",
}
"""What to use instead of a function of numpy's that is not supported."""

_INSTEAD = {
    "sort": "np.sort(x) returns a sorted copy; values are immutable",
    "fill": "x = fm.full(x.shape, v); values are immutable",
    "tolist": "use it outside of the traced function",
}
"""Hints for attributes of numpy's arrays that traced ones lack."""

_POWERS = {2.0: np.square, 1.0: np.positive, 0.5: np.sqrt, -1.0: np.reciprocal}

_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: lambda x, axis, keep: reductions.sum_(x, axis, None, keep),
    np.multiply: lambda x, axis, keep: reductions.prod(x, axis, None, keep),
    np.minimum: lambda x, axis, keep: reductions.extremum(x, np.minimum, axis, keep),
    np.maximum: lambda x, axis, keep: reductions.extremum(x, np.maximum, axis, keep),
    np.logical_or: lambda x, axis, keep: reductions.any_(x, np.logical_or, axis, keep),
    np.logical_and: lambda x, axis, keep: reductions.any_(x, np.logical_and, axis, keep),
}
