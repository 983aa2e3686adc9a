"""The implementations of a program's foreign functions: trusted code, supplied beside the program.

    foreign weighted (f32, f32) : f32       void foreign_weighted(float a, float b, float *r)
    effect print_i32 (token, i32) : token   void foreign_print_i32(int x)

The program has the signatures only.  A C function called ``foreign_NAME`` takes the scalars by
value, then a pointer for each result, and no token.  Its types are those of :data:`C_TYPES`.  In
kernels of a device the same function is written in OpenCL C.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.fun import ArrayType
from funmem.ir.names import IDENTIFIER, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, var

Reference: TypeAlias = Callable[..., object]
"""A foreign function in Python: scalars are numbers, arrays are numpy arrays, records are their
fields in order.  It returns None, one result, or a tuple of results.
"""

C_TYPES: Mapping[ScalarType, str] = {
    ScalarType.BOOL: "unsigned char",
    ScalarType.I8: "signed char",
    ScalarType.I16: "short",
    ScalarType.I32: "int",
    ScalarType.I64: "long",
    ScalarType.U8: "unsigned char",
    ScalarType.U16: "unsigned short",
    ScalarType.U32: "unsigned int",
    ScalarType.U64: "unsigned long",
    ScalarType.F16: "float",
    ScalarType.F32: "float",
    ScalarType.F64: "double",
}


@frozen
class ForeignFunction:
    """The signature of a foreign function, without tokens, and what implements it.

    ``c`` and ``cl``: it is defined in the C and in the OpenCL C source.
    """

    name: Name
    params: tuple[ScalarType, ...]
    results: tuple[ScalarType, ...]
    c: bool = False
    cl: bool = False
    reference: Reference | None = field(default=None, eq=False)

    @property
    def symbol(self) -> str:
        """The name of the C function."""
        return symbol(self.name)

    @property
    def prototype(self) -> str:
        """The declaration of the C function."""
        given = [C_TYPES[t] for t in self.params]
        given += [f"{C_TYPES[t]} *" for t in self.results]
        return f"void {self.symbol}({', '.join(given) or 'void'});"


@frozen
class Part:
    """A parameter or result: a scalar, or an array of one dimension."""

    type: ScalarType
    array: bool = False


@frozen
class ArrayFunction:
    """The signature of a foreign function on arrays, and a reference, if there is one."""

    name: Name
    params: tuple[Part, ...]
    results: tuple[Part, ...]
    reference: Reference | None = field(default=None, eq=False)

    def functions(self, *, c: bool) -> tuple[ForeignFunction, ...]:
        """Return the functions on scalars; ``c``: they are defined in C."""
        name, arrays = self.name, [p.type for p in self.params if p.array]
        made = [p.type for p in self.results if p.array]
        given = tuple(p.type for p in self.params if not p.array)
        got = tuple(p.type for p in self.results if not p.array)
        return (
            ForeignFunction(new(name), (), (I64,), c),
            *(ForeignFunction(put(name, k), (I64, t), (), c) for k, t in enumerate(arrays)),
            ForeignFunction(run(name), (I64, *given), got, c),
            *(ForeignFunction(length(name, k), (I64,), (I64,), c) for k in range(len(made))),
            *(ForeignFunction(get(name, k), (I64, I64), (t,), c) for k, t in enumerate(made)),
            ForeignFunction(end(name), (I64,), (), c),
        )

    def in_bulk(self, *, c: bool) -> "tuple[OpaqueFunction, ...]":
        """Return the functions that copy whole arrays, in place of the calls for each element; not
        those of f16, which has two formats.
        """
        n = Name("n")
        arrays = [p.type for p in self.params if p.array]
        made = [p.type for p in self.results if p.array]
        taken = [
            OpaqueFunction(puts(self.name, k), (n,), (I64, ArrayType(t, (var(n),))), (), c=c)
            for k, t in enumerate(arrays)
            if t is not ScalarType.F16
        ]
        given = [
            OpaqueFunction(gets(self.name, k), (n,), (I64,), (ArrayType(t, (var(n),)),), c=c)
            for k, t in enumerate(made)
            if t is not ScalarType.F16
        ]
        return (*taken, *given)


def new(f: Name) -> Name:
    """Return the name of the function that begins a call."""
    return Name(f"{f}__new")


def put(f: Name, k: int) -> Name:
    """Return the name of the function that appends an element to the k-th array argument."""
    return Name(f"{f}__put{k}")


def puts(f: Name, k: int) -> Name:
    """Return the name of the function that takes the k-th array argument as a whole."""
    return Name(f"{f}__puts{k}")


def gets(f: Name, k: int) -> Name:
    """Return the name of the function that gives the k-th array result as a whole."""
    return Name(f"{f}__gets{k}")


def run(f: Name) -> Name:
    """Return the name of the function that takes the scalars, and computes."""
    return Name(f"{f}__run")


def length(f: Name, k: int) -> Name:
    """Return the name of the function that gives the length of the k-th array result."""
    return Name(f"{f}__length{k}")


def get(f: Name, k: int) -> Name:
    """Return the name of the function that gives an element of the k-th array result."""
    return Name(f"{f}__get{k}")


def end(f: Name) -> Name:
    """Return the name of the function that ends a call."""
    return Name(f"{f}__end")


def started(f: Name) -> Name | None:
    """Return the function on arrays whose call :func:`new` begins, or None for another function."""
    return Name(f.removesuffix("__new")) if f.endswith("__new") else None


_CROSSING = re.compile(r"(.+)__(put|get)(\d+)")


def crossing(f: Name) -> tuple[Name, bool, int] | None:
    """Return what a function of :func:`put` or :func:`get` is for, or None for another one: the
    function on arrays, whether it takes the array, and which one it is.
    """
    found = _CROSSING.fullmatch(f)
    return None if found is None else (Name(found[1]), found[2] == "put", int(found[3]))


@frozen
class OpaqueFunction:
    """Foreign code on whole arrays, called as ``opaque f (sizes, params)``.

    ``sizes``: the names of its first parameters, i64; the other parameters and the results are
    stated in terms of them, and so is the ``grid``.  ``c`` and ``cl``: the sources define
    ``foreign_NAME``, which takes the parameters, a pointer for each result, and the indices of the
    grid.
    """

    name: Name
    sizes: tuple[Name, ...]
    params: tuple[ScalarType | ArrayType, ...]
    results: tuple[ArrayType, ...]
    grid: tuple[Size, ...] = ()
    c: bool = False
    cl: bool = False
    reference: Reference | None = field(default=None, eq=False)
    """It takes the parameters without the sizes."""


@frozen
class ForeignCode:
    """Foreign functions, and the C and OpenCL C sources that define some of them."""

    functions: tuple[ForeignFunction, ...] = ()
    c: str = ""
    cl: str = ""
    code: str = "foreign"
    """The code of errors."""
    header: str = ""
    """Types and prototypes for those who write the C; empty: there are none but the prototypes."""
    on_arrays: tuple[ArrayFunction, ...] = ()
    """The functions on arrays, whose functions on scalars are among ``functions``."""
    opaque: tuple[OpaqueFunction, ...] = ()

    def __attrs_post_init__(self) -> None:
        for name in (*(f.name for f in self.functions), *(f.name for f in self.opaque)):
            if not IDENTIFIER.fullmatch(name) or "'" in name:
                raise ValueError(f"`{name}` is not the name of a C function")

    def table(self) -> Mapping[Name, ForeignFunction]:
        """Return the functions by name."""
        return {f.name: f for f in self.functions}


NONE = ForeignCode()


def joined(codes: Iterable[ForeignCode]) -> ForeignCode:
    """Return the functions of several; one that occurs twice is taken once."""
    found = {(code.functions, code.opaque): code for code in codes}.values()
    functions = tuple(f for code in found for f in code.functions)
    c, cl = (
        (
            "\n".join(filter(None, texts))
            for texts in zip(*((x.c, x.cl) for x in found), strict=True)
        )
        if found
        else ("", "")
    )
    on_arrays = tuple(f for code in found for f in code.on_arrays)
    opaque = tuple(f for code in found for f in code.opaque)
    return ForeignCode(functions, c, cl, on_arrays=on_arrays, opaque=opaque)


def require_opaque(
    code: ForeignCode,
    name: Name,
    params: Iterable[tuple[ScalarType, int]],
    results: Iterable[tuple[ScalarType, int]],
    dims: int,
    at: Span,
) -> OpaqueFunction:
    """Return the foreign code that a call is for; types are elements and ranks, of scalars 0;
    ``dims``: the number of the grid's dimensions.

    Raises SourceError, its code that of the functions, if there is none or if its types are others.
    """
    f = next((f for f in code.opaque if f.name == name), None)
    if f is None:
        message = f"the foreign function `{name}` has no implementation"
        raise SourceError(Diagnostic(at, code.code, message, IN_PYTHON))
    own = (((I64, 0),) * len(f.sizes) + tuple(map(_rank, f.params)), tuple(map(_rank, f.results)))
    if own != (tuple(params), tuple(results)) or dims != len(f.grid):
        message = f"`{name}` is called with other types than those of its implementation"
        raise SourceError(Diagnostic(at, code.code, message))
    return f


def _rank(t: ScalarType | ArrayType) -> tuple[ScalarType, int]:
    return (t, 0) if isinstance(t, ScalarType) else (t.elem, t.rank)


IN_PYTHON = "supply it beside the program, as `foreign`"
ON_LINE = "supply it beside the program: --foreign FILE"
"""Hints about a missing implementation."""


def symbol(name: Name) -> str:
    """Return the name of the C function that implements a foreign function."""
    return f"foreign_{name}"


def require_signature(
    code: ForeignCode,
    name: Name,
    params: Iterable[ScalarType],
    results: Iterable[ScalarType],
    at: Span,
) -> ForeignFunction:
    """Return the function that a call is for.

    Raises SourceError, its code that of the functions, if there is none or if its signature is
    another one.
    """
    f = code.table().get(name)
    if f is None:
        message = f"the foreign function `{name}` has no implementation"
        raise SourceError(Diagnostic(at, code.code, message, IN_PYTHON, command=ON_LINE))
    called, own = (tuple(params), tuple(results)), (f.params, f.results)
    if called != own:
        message = f"`{name}` is called as {_shown(*called)}, but is implemented as {_shown(*own)}"
        raise SourceError(Diagnostic(at, code.code, message))
    return f


def _shown(params: tuple[ScalarType, ...], results: tuple[ScalarType, ...]) -> str:
    given, got = (", ".join(str(t) for t in ts) for ts in (params, results))
    return f"({given}) -> ({got})"
