"""Foreign code in generated programs: calls of a fixed library of functions, in C and OpenCL C.

    pick_T (T, T, bool) : T             one of two values
    twin_T (T, i64) : (i64, T)          two results, in the other order
    turned_T ([n]T) : [n]T              the elements in reverse
    spread_T ([n]T, T) : ([n]T, [n]T)   grid [n]; the elements in reverse, and one repeated
    flipped_T ([n][m]T) : [m][n]T       grid [n][m]; the transpose

They move values and compute nothing, so that all engines agree to the bit.  ``turned``, ``spread``
and ``flipped`` take whole arrays (``opaque``), outside kernels.

    before                              after
    let (ys : [n]i32) = …               let (ys0 : [n]i32) = …
                                        let (ys : [n]i32) = opaque turned_i32 (n, ys0)

A program names the functions only; :func:`foreign_code` returns those that it calls.
"""

import random
from collections.abc import Iterator
from functools import cache

import numpy as np

from funmem.ir.arith import size_exp
from funmem.ir.check import check
from funmem.ir.diagnostics import SourceError
from funmem.ir.erase import erase
from funmem.ir.foreign import (
    C_TYPES,
    NONE,
    ForeignCode,
    ForeignFunction,
    OpaqueFunction,
    symbol,
)
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    Body,
    Call,
    Const,
    Entry,
    FunProgram,
    Linkage,
    MemProgram,
    Opaque,
    Permute,
    Program,
    RaggedKernel,
    Scratch,
    Stm,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import var
from funmem.ir.traverse import program_fresh, size_atom, walk
from funmem.testing.generator.functions import Place, places, replaced, types_after
from funmem.testing.generator.program import BOOL, I64, SCALARS, Generated

MOST = 3
"""Largest number of statements with foreign code."""

IN_ARRAYS = tuple(t for t in SCALARS if t is not ScalarType.F16)
"""The element types that foreign code can have: C has no half floats."""

# ---------------------------------------------------------------------- the library

N, M = Name("n"), Name("m")


def foreign_code(p: MemProgram) -> ForeignCode:
    """Return the functions of the library that a program calls."""
    every = [s.exp for e in p.entries for s in walk(e.body)]
    called = {e.fn for e in every if isinstance(e, Call) and e.linkage is not Linkage.OWN}
    return library(frozenset(called.union(e.fn for e in every if isinstance(e, Opaque))))


@cache
def library(names: frozenset[Name]) -> ForeignCode:
    """Return the functions of the library with these names; it has no others."""
    scalars = {f.name: (f, c) for t in SCALARS for f, c in (_pick(t), _twin(t))}
    arrays = {f.name: (f, c) for t in IN_ARRAYS for f, c in (_turned(t), _spread(t), _flipped(t))}
    functions = [scalars[x] for x in sorted(names & scalars.keys())]
    opaque = [arrays[x] for x in sorted(names & arrays.keys())]
    if not functions and not opaque:
        return NONE
    texts = [*(c for _, c in functions), *(c for _, c in opaque)]
    c, cl = ("\n".join(x.replace("GLOBAL ", space) for x in texts) for space in ("", "__global "))
    return ForeignCode(tuple(f for f, _ in functions), c, cl, opaque=tuple(f for f, _ in opaque))


def _c(name: Name, params: str, body: str) -> str:
    return f"static inline void {symbol(name)}({params}) {{ {body} }}"


def _pick(t: ScalarType) -> tuple[ForeignFunction, str]:
    def reference(a: object, b: object, c: object) -> object:
        return a if c else b

    name, c = Name(f"pick_{t}"), C_TYPES[t]
    f = ForeignFunction(name, (t, t, BOOL), (t,), c=True, cl=True, reference=reference)
    return f, _c(name, f"{c} a, {c} b, unsigned char c, {c} *r", "*r = c ? a : b;")


def _twin(t: ScalarType) -> tuple[ForeignFunction, str]:
    name, c = Name(f"twin_{t}"), C_TYPES[t]
    f = ForeignFunction(name, (t, I64), (I64, t), c=True, cl=True, reference=lambda a, b: (b, a))
    return f, _c(name, f"{c} a, long b, long *r, {c} *s", "*r = b; *s = a;")


def _turned(t: ScalarType) -> tuple[OpaqueFunction, str]:
    name, c, whole = Name(f"turned_{t}"), C_TYPES[t], ArrayType(t, (var(N),))
    f = OpaqueFunction(
        name, (N,), (whole,), (whole,), c=True, cl=True, reference=lambda x: x[::-1].copy()
    )
    params = f"long n, GLOBAL const {c} *x, GLOBAL {c} *r"
    return f, _c(name, params, "for (long i = 0; i < n; i++) r[i] = x[n - 1 - i];")


def _spread(t: ScalarType) -> tuple[OpaqueFunction, str]:
    def reference(x: np.ndarray, k: object) -> object:
        return x[::-1].copy(), np.full_like(x, k)

    name, c, whole = Name(f"spread_{t}"), C_TYPES[t], ArrayType(t, (var(N),))
    f = OpaqueFunction(
        name, (N,), (whole, t), (whole, whole), (var(N),), c=True, cl=True, reference=reference
    )
    params = f"long n, GLOBAL const {c} *x, {c} k, GLOBAL {c} *r, GLOBAL {c} *s, long i"
    return f, _c(name, params, "r[i] = x[n - 1 - i]; s[i] = k;")


def _flipped(t: ScalarType) -> tuple[OpaqueFunction, str]:
    name, c = Name(f"flipped_{t}"), C_TYPES[t]
    n, m = var(N), var(M)
    f = OpaqueFunction(
        name,
        (N, M),
        (ArrayType(t, (n, m)),),
        (ArrayType(t, (m, n)),),
        (n, m),
        c=True,
        cl=True,
        reference=lambda x: x.T.copy(),
    )
    params = f"long n, long m, GLOBAL const {c} *x, GLOBAL {c} *r, long i, long j"
    return f, _c(name, params, "r[j * n + i] = x[i * m + j];")


# ---------------------------------------------------------------------- its calls


def with_foreign(g: Generated) -> Generated:
    """Return the program with one to :data:`MOST` statements of foreign code; unchanged if it has
    no place for one.

    The same program and seed give the same result.
    """
    rng = random.Random(f"foreign {g.seed}")
    p = g.program
    for _ in range(rng.randint(1, MOST)):
        grown = _Caller(rng, program_fresh(p), p).one_more(arrays=rng.random() < 0.7)
        try:
            check(grown)  # uniqueness decides where an array may be another one
        except SourceError:
            continue
        p = grown
    return g if p is g.program else evolve(g, program=p)


@define
class _Caller:
    rng: random.Random
    fresh: Fresh
    program: FunProgram

    def one_more(self, *, arrays: bool) -> FunProgram:
        """Return the program with one more statement of foreign code, or the program itself."""
        entry: Entry[Ann] = self.program.entries[0]
        rows = any(isinstance(s.exp, RaggedKernel) for s in walk(entry.body))
        fits = _array if arrays else _scalar
        sites = [
            (at, k, b)
            for at in places(entry)
            if not (arrays and at.kernel)
            for k, s in enumerate(at.body.stms)
            if not isinstance(s.exp, Scratch)  # foreign code would read elements without a value
            for b in s.pat
            if fits(b) and not (rows and isinstance(b.type, ArrayType) and b.type.elem is I64)
        ]
        if not sites:
            return self.program
        at, k, b = self.rng.choice(sites)
        s = at.body.stms[k]
        before = evolve(b, name=self.fresh(b.name))
        renamed = evolve(s, pat=tuple(before if q is b else q for q in s.pat))
        new = self._on_array(before, b) if arrays else self._on_scalar(at, k, before, b)
        stms = (*at.body.stms[:k], renamed, *new, *at.body.stms[k + 1 :])
        body = replaced(entry.body, at.body, Body(stms, at.body.result))
        return erase(Program((evolve(entry, body=body),), self.program.functions))

    def _on_scalar(
        self, at: Place, k: int, before: Binder[Ann], b: Binder[Ann]
    ) -> Iterator[Stm[Ann]]:
        """Yield a call that binds ``b``: to its value, or, where it may differ, to another one."""
        t, types = b.type, types_after(at.scope, at.body.stms[:k])
        assert isinstance(t, ScalarType)

        def operand(u: ScalarType) -> Const | Var:
            alike = [x for x, found in types.items() if found is u]
            if alike and self.rng.random() < 0.8:
                return Var(self.rng.choice(alike))
            return Const(True, u) if u is BOOL else Const(0.5 if u.is_float else 3, u)

        a = Var(before.name)
        if self.rng.random() < 0.5 and t not in (I64, BOOL) and not (at.operator or at.counts):
            args = (a, operand(t), operand(BOOL))
            yield Stm((b,), Call(Name(f"pick_{t}"), args, True, Linkage.FOREIGN))
            return
        other = Binder[Ann](self.fresh("c"), I64, None)
        call = Call(Name(f"twin_{t}"), (a, operand(I64)), True, Linkage.FOREIGN)
        yield Stm((other, b), call)

    def _on_array(self, before: Binder[Ann], b: Binder[Ann]) -> Iterator[Stm[Ann]]:
        """Yield statements that bind ``b`` to the elements of another array, in another order."""
        t = b.type
        assert isinstance(t, ArrayType)
        sizes: list[Const | Var] = []
        for d in t.shape:
            atom = size_atom(d)
            if atom is None:
                x = self.fresh("n")
                yield Stm((Binder(x, I64, None),), size_exp(d))
                atom = Var(x)
            sizes.append(atom)
        args = (*sizes, Var(before.name))
        if t.rank == 2:
            turned = Binder[Ann](self.fresh("x"), ArrayType(t.elem, t.shape[::-1]), None)
            yield Stm((turned,), Opaque(Name(f"flipped_{t.elem}"), args, t.shape))
            yield Stm((b,), Permute((1, 0), turned.name))
        elif self.rng.random() < 0.5:
            yield Stm((b,), Opaque(Name(f"turned_{t.elem}"), args))
        else:
            other = evolve(b, name=self.fresh("x"))
            k = Const(False if t.elem is BOOL else 1.0 if t.elem.is_float else 1, t.elem)
            pat = (b, other)
            yield Stm(pat, Opaque(Name(f"spread_{t.elem}"), (*args, k), t.shape))


def _scalar(b: Binder[Ann]) -> bool:
    return isinstance(b.type, ScalarType)


def _array(b: Binder[Ann]) -> bool:
    return isinstance(b.type, ArrayType) and b.type.rank <= 2 and b.type.elem in IN_ARRAYS
