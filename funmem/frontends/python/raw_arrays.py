"""Raw code on whole arrays: kernels over a grid in OpenCL C, and functions in C.

    rev = fm.opencl("__kernel void rev(long n, __global const float *x, __global float *z) {…}",
                    "f32[n] -> f32[n]", grid=("n",), reference=lambda x: x[::-1])

The code receives the sizes in the order in which the signature mentions them, the arguments, and a
pointer for each result.  Arrays are row-major; those of results are allocated from the signature,
and every element must be written.  A kernel is called for each index of its grid, in any order;
``get_global_id`` gives the index.  Work-items are independent: groups, barriers and local memory
are refused.  Without a grid the code is called once.

In Core and below it is ``opaque`` (FUN's text: ``opaque rev (n, xs) grid [n]``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from funmem.frontends.python.elementwise import astype, fitted
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.raw_text import C_HEAD, RawCode, functions_of, plain, renamed
from funmem.frontends.python.tape import Symbol, Tape, core_type, describe
from funmem.frontends.python.types import ArrayAnnotation, size_of
from funmem.ir import core as c
from funmem.ir.diagnostics import SourceError
from funmem.ir.foreign import C_TYPES, ForeignCode, OpaqueFunction, symbol
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, F16, I64, SCALARS, ScalarType
from funmem.ir.sizes import Size

_SCALARS = {str(t): t for t in SCALARS}
_TYPE = re.compile(r"\s*([a-z]+[0-9]*)\s*(?:\[([^\[\]]*)\])?\s*")
_REFUSED = re.compile(
    r"\b(barrier|work_group_barrier|mem_fence|__local|local|get_local_\w+|get_group_id|"
    r"get_num_groups|get_global_size|get_global_offset|get_work_dim|async_work_group_\w+)\b"
)
MOST_DIMS = 3


@frozen
class Shape:
    """A signature: the names of its sizes, its parameters and its results."""

    sizes: tuple[Name, ...]
    params: tuple[ArrayAnnotation, ...]
    results: tuple[ArrayAnnotation, ...]


class RawArrays(RawCode):
    """Raw code on arrays; ``name`` is its name in Core."""

    def __init__(
        self,
        source: str,
        signature: str,
        grid: Sequence[Any],
        reference: Callable[..., Any] | None,
        name: str,
        *,
        device: bool,
    ) -> None:
        self.source, self.signature, self.device = source, signature, device
        self.reference = reference
        self.shape = parsed(signature)
        self.grid = tuple(map(size_of, grid))
        unknown = {x for d in self.grid for x in d.free()}.difference(self.shape.sizes)
        if unknown:
            text = f"the grid has the size `{min(unknown)}`, which no parameter has"
            raise wrong(Code.FOREIGN, text, "sizes are named in the signature: f32[n] -> f32[n]")
        if len(self.grid) > MOST_DIMS:
            raise wrong(Code.FOREIGN, f"a grid has at most {MOST_DIMS} dimensions")
        self.functions = functions_of(source)
        self.__name__ = self.functions[-1][1]
        self._require_header()
        self._require_independent()
        self.name = Name(f"{self.__name__}_{name}")

    def call(self, tape: Tape, args: Sequence[Any]) -> Any:
        given, wanted = [tape.lift(x) for x in args], self.shape.params
        if len(given) != len(wanted):
            what = f"`{self.__name__}` takes {len(wanted)} arguments, not {len(given)}"
            raise wrong(Code.FOREIGN, what)
        pairs = zip(given, wanted, strict=True)
        given = [self._typed(x, a, k) for k, (x, a) in enumerate(pairs, 1)]
        sizes = self._sizes(given)
        given = [
            fitted(x, tuple(d.subst(sizes) for d in a.sizes)) if a.sizes else x
            for x, a in zip(given, wanted, strict=True)
        ]
        tape.foreign[self.name] = self
        shapes = [tuple(d.subst(sizes) for d in a.sizes) for a in self.shape.results]
        types = [
            core_type(a.elem, dims) for a, dims in zip(self.shape.results, shapes, strict=True)
        ]
        exp = c.Foreign(
            self.name,
            (*(tape.size_atom(sizes[x]) for x in self.shape.sizes), *(x.exp for x in given)),
            types[0] if len(types) == 1 else c.tuple_type(*types),
            False,
            here(),
            tuple(tape.size_atom(d.subst(sizes)) for d in self.grid),
        )
        parts = [(a.elem, d, False) for a, d in zip(self.shape.results, shapes, strict=True)]
        found = tape.bind_all(exp, parts)
        return found[0] if len(found) == 1 else tuple(found)

    def _typed(self, x: Symbol, a: ArrayAnnotation, k: int) -> Symbol:
        if x.weak and not a.sizes:
            x = astype(x, a.elem)
        if x.type is not a.elem or len(x.dims) != len(a.sizes):
            what = f"argument {k} of `{self.__name__}` is {describe(x)}, not {a}"
            raise wrong(Code.FOREIGN, what, f"convert it: .astype(fm.{a.elem})")
        return x

    def _sizes(self, given: Sequence[Symbol]) -> dict[Name, Size]:
        """Return what the signature's sizes are in a call: the first dimension that is one."""
        found: dict[Name, Size] = {}
        for x, a in zip(given, self.shape.params, strict=True):
            for d, own in zip(a.sizes, x.dims, strict=True):
                if d.as_name is not None:
                    found.setdefault(d.as_name, own)
        return found

    # ------------------------------------------------------------------ what it is elsewhere

    @property
    def definition(self) -> c.ForeignDef:
        params = [core_type(a.elem, [None] * len(a.sizes)) for a in self.shape.params]
        results = [core_type(a.elem, [None] * len(a.sizes)) for a in self.shape.results]
        result = results[0] if len(results) == 1 else c.tuple_type(*results)
        sizes = (I64,) * len(self.shape.sizes)
        return c.ForeignDef(self.name, (*sizes, *params), result, whole=True)

    @property
    def code(self) -> ForeignCode:
        indices = "".join(f", const long raw_i{k}" for k in range(len(self.grid)))
        head = re.compile(rf"\b{self.__name__}\s*\(([^(){{}};]*)\)(\s*\{{)")
        text = head.sub(rf"{self.__name__}(\1{indices})\2", self.source)
        text = re.sub(r"\b(?:__kernel|kernel)\b", "static inline", text)
        text = re.sub(r"\bglobal\b", "__global", text)
        ids = "raw_i0" if len(self.grid) < 2 else "((d) == 0 ? raw_i0 : (d) == 1 ? raw_i1 : "
        ids += "" if len(self.grid) < 2 else f"raw_i{len(self.grid) - 1})"
        macro = f"raw_{self.name}_index"
        if self.grid:
            text = re.sub(r"\bget_global_id\b", macro, text)
            text = f"#define {macro}(d) {ids}\n{text}"
        unit = f"{renamed(text, self.name, self.functions)}\n{self._adapter}"
        of = OpaqueFunction(
            self.name,
            self.shape.sizes,
            tuple(map(_type, self.shape.params)),
            tuple(ArrayType(a.elem, a.sizes) for a in self.shape.results),
            self.grid,
            c=True,
            cl=self.device,
            reference=self.reference,
        )
        return ForeignCode(c=f"{C_HEAD}{unit}", cl=unit if self.device else "", opaque=(of,))

    @property
    def _adapter(self) -> str:
        """The function that is called for each index of the grid."""
        types = ["long"] * len(self.shape.sizes)
        types += [_pointer(a, "const ") for a in self.shape.params]
        types += [_pointer(a, "") for a in self.shape.results]
        given = [f"{t} x{k}" for k, t in enumerate(types)]
        given += [f"long i{k}" for k in range(len(self.grid))]
        plain_types = ["long"] * len(self.shape.sizes)
        plain_types += [_pointer(a, "") for a in (*self.shape.params, *self.shape.results)]
        args = [f"({t})x{k}" for k, t in enumerate(plain_types)]
        args += [f"i{k}" for k in range(len(self.grid))]
        call = f"raw_{self.name}_{self.__name__}({', '.join(args)});"
        return f"static inline void {symbol(self.name)}({', '.join(given)}) {{ {call} }}\n"

    # ------------------------------------------------------------------ what is refused

    def _require_header(self) -> None:
        result, name, given = self.functions[-1]
        kernel = not {"__kernel", "kernel"}.isdisjoint(result.split())
        own = [plain(p, named=True) for p in given.split(",")] if given.strip() else []
        wanted = [(I64, False)] * len(self.shape.sizes)
        wanted += [(a.elem, bool(a.sizes)) for a in self.shape.params]
        wanted += [(a.elem, True) for a in self.shape.results]
        if own == wanted and "void" in result.split() and kernel == bool(self.grid):
            return
        shown = " ".join(f"{result}{name}({given})".split())
        text = f"the header `{shown}` does not fit the signature"
        types = ["long"] * len(self.shape.sizes)
        types += [_shown(a, "const ", self.device) for a in self.shape.params]
        types += [_shown(a, "", self.device) for a in self.shape.results]
        params = ", ".join(f"{t}{'' if t.endswith('*') else ' '}x{k}" for k, t in enumerate(types))
        head = "__kernel void" if self.grid else "void"
        hint = f"expected {head} {name}({params})"
        if kernel and not self.grid:
            hint = 'a kernel has a grid: grid=("n",)'
        raise wrong(Code.FOREIGN, text, hint)

    def _require_independent(self) -> None:
        found = _REFUSED.search(self.source)
        if found is not None:
            text = f"not supported in raw code on arrays: `{found[0]}`"
            raise wrong(Code.FOREIGN, text, "work-items are independent of each other")
        before = re.split(rf"\b{self.__name__}\s*\([^(){{}};]*\)\s*\{{", self.source)[0]
        if "get_global_id" in before:
            text = "get_global_id is called in a function that is not the kernel"
            raise wrong(Code.FOREIGN, text, "call it in the kernel, and pass on the index")


def _pointer(a: ArrayAnnotation, qualifier: str) -> str:
    return f"__global {qualifier}{C_TYPES[a.elem]} *" if a.sizes else C_TYPES[a.elem]


def _shown(a: ArrayAnnotation, qualifier: str, device: bool) -> str:
    found = _pointer(a, qualifier)
    return found if device else found.removeprefix("__global ")


def _type(a: ArrayAnnotation) -> ScalarType | ArrayType:
    return ArrayType(a.elem, a.sizes) if a.sizes else a.elem


def parsed(text: str) -> Shape:
    """Return the signature that a text spells.  Raises SourceError (``foreign``)."""
    before, arrow, after = text.partition("->")
    if not arrow:
        raise _bad(text)
    params, results = (tuple(_side(side, text)) for side in (before, after))
    sizes: dict[Name, None] = {}
    for a in (*params, *results):
        for d in a.sizes:
            sizes.update(dict.fromkeys(sorted(d.free())))
    given = {d.as_name for a in params for d in a.sizes}
    for x in sizes:
        if x not in given:
            message = f"no parameter of `{text}` has the size `{x}` as a dimension"
            raise wrong(Code.FOREIGN, message, "a raw function learns sizes from its arguments")
    if not results or not all(a.sizes for a in results):
        message = f"`{text}` has a result that is no array"
        raise wrong(Code.FOREIGN, message, "raw code on arrays returns arrays: f32[1]")
    for a in (*params, *results):
        if a.sizes and a.elem in (BOOL, F16):
            raise wrong(Code.FOREIGN, f"not supported: raw code on arrays of {a.elem}")
    return Shape(tuple(sizes), params, results)


def _side(text: str, whole: str) -> Iterable[ArrayAnnotation]:
    rest = text.strip()
    if rest.startswith("(") and rest.endswith(")"):
        rest = rest[1:-1]
    while rest.strip():
        m = _TYPE.match(rest)
        if m is None or m[1] not in _SCALARS:
            raise _bad(whole)
        sizes = m[2].split(",") if m[2] is not None else []
        yield ArrayAnnotation(_SCALARS[m[1]], tuple(map(size_of, sizes)))
        rest = rest[m.end() :]
        if rest and not rest.startswith(","):
            raise _bad(whole)
        rest = rest[1:]


def _bad(text: str) -> SourceError:
    return wrong(Code.FOREIGN, f"`{text}` is not a signature", "write f32[n], i32 -> f32[n]")
