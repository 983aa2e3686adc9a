"""Raw functions, written in OpenCL C or C inside a Python program; here those on scalars.

    clamp = fm.opencl("float clamp01(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }",
                      "f32 -> f32", reference=lambda x: np.clip(x, 0, 1))

The source is trusted code, and the one text of a Python program that reaches a C compiler.  So it
is parsed for the header of its last function, which must have the types of the signature; its
functions get a prefix; and a line that begins with ``#`` is refused.  A function of one result
returns it; one of several is void and has a pointer for each result behind its parameters.
``fm.opencl`` is for all engines: the scalar part of OpenCL C is C.  ``fm.c`` is for the host and
the target C.

Interpreters call the reference, if there is one, so that a comparison of engines compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from funmem.frontends.python.elementwise import astype
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.raw_arrays import RawArrays
from funmem.frontends.python.raw_text import (
    C_HEAD,
    Header,
    RawCode,
    functions_of,
    plain,
    renamed,
)
from funmem.frontends.python.tape import Symbol, Tape, describe
from funmem.ir import core as c
from funmem.ir.foreign import C_TYPES, ForeignCode, ForeignFunction, symbol
from funmem.ir.names import Name
from funmem.ir.scalars import SCALARS, ScalarType

_SCALARS = {str(t): t for t in SCALARS}


def opencl(
    source: str,
    signature: str,
    *,
    grid: Sequence[Any] | None = None,
    reference: Callable[..., Any] | None = None,
) -> RawCode:
    """Return code in OpenCL C, callable in traced functions and outside.

    ``signature``: ``"f32, i32 -> f32"`` for a scalar function, ``"f32[n] -> f32[n]"`` for code on
    whole arrays; several results stand in parentheses.  ``grid``: the source ends with a kernel,
    which runs for each index below these sizes.  ``reference`` computes the same in Python.  Raises
    SourceError, its code ``foreign``, for a source or signature that is malformed.
    """
    return _raw(source, signature, grid, reference, device=True)


def c_function(
    source: str, signature: str, *, reference: Callable[..., Any] | None = None
) -> RawCode:
    """Return code in C; like :func:`opencl`, but not for devices."""
    return _raw(source, signature, None, reference, device=False)


def _raw(
    source: str,
    signature: str,
    grid: Sequence[Any] | None,
    reference: Callable[..., Any] | None,
    *,
    device: bool,
) -> RawCode:
    if reference is not None and not callable(reference):
        raise wrong(Code.FOREIGN, f"the reference is a {type(reference).__name__}, no function")
    digest = sha256(f"{source}\0{signature}\0{grid}\0{device}".encode()).hexdigest()[:8]
    if grid is None and "[" not in signature:
        return Raw(source, signature, reference, digest, device=device)
    return RawArrays(source, signature, grid or (), reference, digest, device=device)


class Raw(RawCode):
    """A scalar function in C; ``name`` is its name in Core."""

    def __init__(
        self,
        source: str,
        signature: str,
        reference: Callable[..., Any] | None,
        digest: str,
        *,
        device: bool,
    ) -> None:
        self.source, self.signature = source, signature
        self.reference, self.device = reference, device
        self.params, self.results = _signature(signature)
        self.functions = functions_of(source)
        self.__name__ = _matched(self.functions[-1], self.params, self.results)
        self.name = Name(f"{self.__name__}_{digest}")

    def call(self, tape: Tape, args: Sequence[Any]) -> Any:
        if len(args) != len(self.params):
            what = f"`{self.__name__}` takes {len(self.params)} arguments, not {len(args)}"
            raise wrong(Code.FOREIGN, what)
        values = [
            self._argument(tape.lift(x), t, k)
            for k, (x, t) in enumerate(zip(args, self.params, strict=True), 1)
        ]
        return self._call(tape, values)

    def _argument(self, x: Symbol, t: ScalarType, k: int) -> Symbol:
        if x.dims:
            what = f"argument {k} of `{self.__name__}` is {describe(x)}, not a scalar"
            raise wrong(Code.FOREIGN, what, "map the function over the elements: fm.map")
        if x.weak:
            x = astype(x, t)
        if x.type is not t:
            what = f"argument {k} of `{self.__name__}` is {describe(x)}, not {t}"
            raise wrong(Code.FOREIGN, what, f"convert it: fm.{t}(…)")
        return x

    def _call(self, tape: Tape, values: Sequence[Symbol]) -> Any:
        tape.foreign[self.name] = self
        result = self.results[0] if len(self.results) == 1 else c.tuple_type(*self.results)
        exp = c.Foreign(self.name, tuple(v.exp for v in values), result, False, here())
        found = tape.bind_all(exp, [(t, (), False) for t in self.results])
        return found[0] if len(found) == 1 else tuple(found)

    @property
    def definition(self) -> c.ForeignDef:
        result = self.results[0] if len(self.results) == 1 else c.tuple_type(*self.results)
        return c.ForeignDef(self.name, self.params, result)

    @property
    def code(self) -> ForeignCode:
        text = renamed(self.source, self.name, self.functions)
        unit = f"{text}\n{self._adapter}"
        of = ForeignFunction(
            self.name, self.params, self.results, c=True, cl=self.device, reference=self.reference
        )
        return ForeignCode(
            (of,),
            f"{C_HEAD}{unit}",
            unit if self.device else "",
        )

    @property
    def _adapter(self) -> str:
        """The function of Core's convention that calls the raw one."""
        given = [f"{C_TYPES[t]} x{k}" for k, t in enumerate(self.params)]
        outs = [f"{C_TYPES[t]} *r{k}" for k, t in enumerate(self.results)]
        args = [f"x{k}" for k in range(len(given))]
        own = f"raw_{self.name}_{self.__name__}"
        head = f"static inline void {symbol(self.name)}({', '.join((*given, *outs))})"
        if len(outs) == 1:
            return f"{head} {{ *r0 = {own}({', '.join(args)}); }}\n"
        args += [f"r{k}" for k in range(len(outs))]
        return f"{head} {{ {own}({', '.join(args)}); }}\n"


# ---------------------------------------------------------------------- signatures, headers


def _signature(text: str) -> tuple[tuple[ScalarType, ...], tuple[ScalarType, ...]]:
    """Return the types of parameters and results."""
    before, arrow, after = text.partition("->")
    sides: list[tuple[ScalarType, ...]] = []
    for side in (before, after):
        names = [x.strip() for x in side.strip().removeprefix("(").removesuffix(")").split(",")]
        sides.append(tuple(_SCALARS[x] for x in names if x in _SCALARS))
        if not arrow or len(sides[-1]) != len(names):
            hint = "a signature looks like f32, i32 -> f32"
            raise wrong(Code.FOREIGN, f"`{text}` is not a signature", hint)
    return sides[0], sides[1]


def _matched(header: Header, params: Sequence[ScalarType], results: Sequence[ScalarType]) -> str:
    """Return the name of a function whose header has the types of a signature."""
    result, name, given = header
    given_ = [] if given.strip() in ("", "void") else given.split(",")
    own = [plain(p, named=True) for p in given_]
    returned = plain(result, named=False)
    wanted = [(t, False) for t in params]
    one = len(results) == 1
    if not one:
        wanted += [(t, True) for t in results]
    if own != wanted or returned != ((results[0], False) if one else None):
        shown = " ".join(f"{result}{name}({given})".split())
        text = f"the header `{shown}` has other types than the signature"
        shape = _expected(name, params, results)
        raise wrong(Code.FOREIGN, text, f"expected {shape}")
    return name


def _expected(name: str, params: Sequence[ScalarType], results: Sequence[ScalarType]) -> str:
    given = [f"{C_TYPES[t]} x{k}" for k, t in enumerate(params)]
    if len(results) == 1:
        return f"{C_TYPES[results[0]]} {name}({', '.join(given)})"
    given += [f"{C_TYPES[t]} *r{k}" for k, t in enumerate(results)]
    return f"void {name}({', '.join(given)})"
