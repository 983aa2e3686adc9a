"""Hypothesis strategies for trees that the grammar of the languages can spell.

Nothing else about them is right: names are unbound, types do not fit.  For the printers and the
parsers that is all the same.
"""

from typing import TypeVar

from hypothesis import strategies as st

from funmem.ir import core, fun, imp
from funmem.ir.diagnostics import NOWHERE, TrapKind
from funmem.ir.fun import Ann, Binder, Body, Exp, Program, ScalarExp
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, ScalarType, UnOp, normalise
from funmem.ir.sizes import ONE, ZERO, Size, const, var

T = TypeVar("T")
Draw = st.DrawFn


def tuples_of(
    items: st.SearchStrategy[T], *, least: int = 0, most: int = 3
) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


# ---------------------------------------------------------------------- leaves

# Sampled where possible: drawing character by character would take most of the tests' time.
_NAMES = (
    "x y i n m xs b_1 _ _x' Z9 x'' e e5 f i6 u8x nan inf mem comm local min sqrt mulhi "
    "var done fi return check inside"
)
names = st.sampled_from(_NAMES.split()).map(Name)
scalar_types = st.sampled_from(ScalarType)
spaces = st.sampled_from(fun.Space)
strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
naturals = st.integers(0, 7)


_N, _M, _K = (var(Name(x)) for x in ("n", "m", "done"))
_FIXED = [ZERO, ONE, _N, -_N, const(-7), const(10**30), _N * _M - 1, _N * _N * 4 - _M * 3 + 2]
_FIXED += [(_N + _M) * (_N - _K), (_N * -2 + 1) * _M * _K, _N - _M * 9223372036854775808]


def _affine(k: int, x: Name, c: int) -> Size:
    return var(x) * k + c


sizes = st.sampled_from(_FIXED) | st.builds(_affine, st.integers(-3, 3), names, st.integers())


@st.composite
def constants(draw: Draw) -> fun.Const:
    t = draw(scalar_types)
    if t is ScalarType.BOOL:
        return fun.Const(draw(st.booleans()), t)
    if t.is_int:
        return fun.Const(draw(st.integers(t.min, t.max)), t)
    return fun.Const(normalise(draw(st.floats()), t), t)


shapes = tuples_of(sizes)
some_shapes = tuples_of(sizes, least=1)
atoms = st.builds(fun.Var, names) | constants()
some_atoms = tuples_of(atoms, least=1)
mem_types = st.builds(fun.MemType, spaces)
types = scalar_types | mem_types | st.builds(fun.ArrayType, scalar_types, some_shapes)
dims = tuples_of(st.builds(Dim, sizes, sizes))
slice_dims = st.builds(DimFix, sizes) | st.builds(DimRange, sizes, sizes, sizes)
some_slice_dims = tuples_of(slice_dims, least=1)
ranges = some_slice_dims.filter(lambda ds: any(isinstance(d, DimRange) for d in ds))


def _larger(inner: st.SearchStrategy[ScalarExp]) -> st.SearchStrategy[ScalarExp]:
    return (
        st.builds(fun.Bin, st.sampled_from(BinOp), inner, inner)
        | st.builds(fun.Un, st.sampled_from(UnOp), inner)
        | st.builds(fun.Convert, scalar_types, inner)
    )


scalar_exps: st.SearchStrategy[ScalarExp] = st.recursive(atoms, _larger, max_leaves=8)

# ---------------------------------------------------------------------- FUN and FUNMEM

lmads = st.builds(Lmad, sizes, dims)
homes: st.SearchStrategy[Ann] = st.none() | st.builds(fun.Home, names, lmads)
binders: st.SearchStrategy[Binder[Ann]] = st.builds(Binder, names, types, homes)
some_binders = tuples_of(binders, least=1)
implicits: st.SearchStrategy[Binder[Ann]] = st.builds(
    Binder, names, st.just(ScalarType.I64) | mem_types, st.none()
)
flat_exps: st.SearchStrategy[Exp[Ann]] = st.one_of(
    scalar_exps,
    st.builds(fun.Call, names, tuples_of(atoms, most=30), st.booleans()),
    st.builds(fun.Call, names, tuples_of(atoms), st.just(True), st.sampled_from(fun.Linkage)),
    st.builds(fun.Opaque, names, tuples_of(atoms), shapes),
    st.builds(fun.Index, names, some_shapes),
    st.builds(fun.Slice, names, ranges),
    st.builds(fun.Permute, tuples_of(naturals, least=1), names),
    st.builds(fun.Reshape, some_shapes, names),
    st.builds(fun.Reverse, naturals, names),
    st.builds(fun.FlatSlice, names, sizes, dims),
    st.builds(fun.Iota, sizes, atoms, atoms),
    st.builds(fun.Replicate, some_shapes, atoms),
    st.builds(fun.ArrayLit, tuples_of(atoms, most=30), scalar_types, shapes),
    st.builds(fun.Copy, names),
    st.builds(fun.Concat, naturals, tuples_of(names, least=1)),
    st.builds(fun.Scratch, some_shapes, scalar_types),
    st.builds(fun.Update, names, some_slice_dims | st.builds(Lmad, sizes, dims), atoms),
    st.builds(fun.Scatter, names, names, names),
    st.builds(fun.Alloc, sizes, spaces),
)
asserts: st.SearchStrategy[fun.Stm[Ann]] = st.builds(
    fun.Stm, st.just(()), st.builds(fun.Assert, atoms, strings, tuples_of(atoms, most=30))
)


def _bodies_with(exps: st.SearchStrategy[Exp[Ann]]) -> st.SearchStrategy[Body[Ann]]:
    stms = st.builds(fun.Stm, tuples_of(binders), exps) | asserts
    return st.builds(Body, tuples_of(stms), tuples_of(atoms))


def _nested(bodies: st.SearchStrategy[Body[Ann]]) -> st.SearchStrategy[Body[Ann]]:
    lambdas = st.builds(fun.Lambda, some_binders, bodies)
    folds = st.one_of(
        st.builds(fun.Map),
        st.builds(fun.Reduce, lambdas, some_atoms, st.booleans()),
        st.builds(fun.Scan, lambdas, some_atoms),
    )
    collectives = st.one_of(
        folds,
        st.builds(fun.Hist, tuples_of(names, least=1), lambdas, some_atoms),
    )
    kernel_dims = tuples_of(st.builds(fun.KernelDim, names, sizes), least=1)
    params = tuples_of(st.builds(fun.LoopParam, binders, atoms, st.booleans()))
    forms = st.builds(fun.For, names, sizes) | st.builds(fun.While, names)
    return _bodies_with(
        st.one_of(
            flat_exps,
            st.builds(fun.Kernel, kernel_dims, collectives, bodies),
            st.builds(
                fun.RaggedKernel,
                st.builds(fun.KernelDim, names, sizes),
                names,
                names,
                sizes,
                folds,
                bodies,
            ),
            st.builds(fun.If, atoms, bodies, bodies),
            st.builds(fun.Loop, params, forms, bodies),
        )
    )


def programs() -> st.SearchStrategy[Program[Ann]]:
    """FUN and FUNMEM."""
    bodies = st.recursive(_bodies_with(flat_exps), _nested, max_leaves=6)
    entries = st.builds(
        fun.Entry,
        names,
        tuples_of(implicits),
        tuples_of(st.builds(fun.Param, binders, st.booleans())),
        tuples_of(implicits),
        tuples_of(binders),
        bodies,
    )
    functions = st.builds(fun.Function, names, tuples_of(binders), tuples_of(binders), bodies)
    return st.builds(Program, tuples_of(entries, least=1, most=2), tuples_of(functions, most=2))


# ---------------------------------------------------------------------- IMP

conditions: st.SearchStrategy[imp.Condition] = st.one_of(
    st.builds(imp.InRange, sizes, sizes),
    st.builds(imp.RangeInside, sizes, sizes, sizes, sizes),
    st.builds(imp.Injective, dims),
    st.builds(imp.NonNegative, sizes),
    st.builds(imp.SizesEqual, sizes, sizes),
    st.builds(imp.Holds, scalar_exps),
)
shown = sizes | st.builds(imp.Shown, names, scalar_types)
array_ports = st.builds(imp.ArrayPort, names, scalar_types, some_shapes)
flat_stms: st.SearchStrategy[imp.ImpStm] = st.one_of(
    st.builds(imp.Declare, names, scalar_types | mem_types),
    st.builds(imp.Assign, names, scalar_exps),
    st.builds(imp.Allocate, names, sizes, spaces),
    st.builds(imp.Read, names, names, sizes, scalar_types),
    st.builds(imp.Write, names, sizes, scalar_exps, scalar_types),
    st.builds(imp.CopyElement, names, sizes, names, sizes, scalar_types),
    st.builds(
        imp.OpaqueStm,
        tuples_of(array_ports),
        names,
        tuples_of(atoms | array_ports),
        shapes,
    ),
    st.builds(imp.Check, conditions, st.sampled_from(TrapKind), strings, tuples_of(shown)),
)


def _blocks(stms: st.SearchStrategy[imp.ImpStm]) -> st.SearchStrategy[imp.ImpStm]:
    blocks = tuples_of(stms)
    imp_dims = tuples_of(st.builds(imp.ImpDim, names, sizes), least=1)
    return st.one_of(
        st.builds(imp.IfStm, atoms, blocks, blocks),
        st.builds(imp.ForStm, names, sizes, blocks),
        st.builds(imp.WhileStm, names, blocks),
        st.builds(imp.KernelStm, imp_dims, blocks),
    )


def imp_programs() -> st.SearchStrategy[imp.ImpProgram]:
    ports = st.builds(imp.ScalarPort, names, scalar_types) | array_ports
    entries = st.builds(
        imp.ImpEntry,
        names,
        tuples_of(names),
        tuples_of(ports),
        tuples_of(st.recursive(flat_stms, _blocks, max_leaves=6), most=5),
        tuples_of(ports),
    )
    return tuples_of(entries, least=1, most=2).map(imp.ImpProgram)


# ---------------------------------------------------------------------- Core

_CORE_NAMES = "map size 2 in f32.sqrt + `q` x.y entry λ data '' f32 "
core_names = names | st.sampled_from([*map(Name, _CORE_NAMES.split()), Name("a\nb\\ c")])
labels = st.sampled_from(["x", "y", "0", "1", "2", "00", "1e5", "f32", "map", "a'"])
core_sizes = sizes | st.builds(_affine, st.integers(-3, 3), core_names, st.integers())


def _labelled(items: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[tuple[str, T], ...]]:
    """Records, and tuples."""
    named = tuples_of(st.tuples(labels, items))
    return named | tuples_of(items).map(lambda xs: tuple((str(k), x) for k, x in enumerate(xs)))


def _larger_type(inner: st.SearchStrategy[core.Type]) -> st.SearchStrategy[core.Type]:
    return st.one_of(
        st.builds(core.Array, inner, st.none() | core_sizes),
        st.builds(core.Record, _labelled(inner)),
        _sums(inner),
        st.builds(core.Data, core_names, tuples_of(inner)),
        st.builds(core.Arrow, inner, inner),
    )


def _sums(inner: st.SearchStrategy[core.Type]) -> st.SearchStrategy[core.Sum]:
    return st.builds(core.Sum, tuples_of(st.tuples(core_names, tuples_of(inner))))


_core_leaves: st.SearchStrategy[core.Type] = st.one_of(
    scalar_types, st.builds(core.TypeVar, core_names), st.just(core.TOKEN)
)
core_types: st.SearchStrategy[core.Type] = st.recursive(_core_leaves, _larger_type, max_leaves=4)
array_types = st.builds(core.Array, core_types, st.none() | core_sizes)
sums = _sums(core_types)
core_binders = st.builds(core.Binder, core_names, core_types)
core_constants = constants().map(lambda k: core.Const(k.value, k.type))
_core_atoms: st.SearchStrategy[core.Exp] = st.one_of(
    st.builds(core.Var, core_names),
    st.builds(core.Global, core_names, tuples_of(core_types)),
    core_constants,
)


def _larger_core(e: st.SearchStrategy[core.Exp]) -> st.SearchStrategy[core.Exp]:
    some = tuples_of(e, least=1)
    lambdas = st.builds(core.Lambda, tuples_of(core_binders, least=1), e)
    arms = tuples_of(st.builds(core.Arm, core_names, tuples_of(core_binders), e))
    forms = st.builds(core.For, core_names, e) | st.builds(core.While, e)
    bound = st.none() | e
    core_dims = tuples_of(
        st.builds(core.Fix, e) | st.builds(core.Range, bound, bound, bound), least=1
    )
    typed = sums | st.builds(core.Data, core_names, tuples_of(core_types))
    return st.one_of(
        lambdas,
        st.builds(core.Mu, core_binders, lambdas),
        st.builds(core.App, e, some),
        st.builds(core.Foreign, core_names, tuples_of(e), core_types, st.booleans()),
        st.builds(
            core.Foreign,
            core_names,
            tuples_of(e),
            core_types,
            st.just(False),
            st.just(NOWHERE),
            tuples_of(e),
        ),
        st.builds(core.Let, tuples_of(core_binders), e, e),
        st.builds(core.If, e, e, e),
        st.builds(core.Match, e, arms, st.none() | e),
        tuples_of(st.tuples(core_binders, e)).flatmap(
            lambda ps: st.builds(
                core.Loop,
                st.just(tuple(b for b, _ in ps)),
                st.just(tuple(x for _, x in ps)),
                forms,
                e,
            )
        ),
        st.builds(core.Assert, e, strings, tuples_of(e), e),
        st.builds(core.Fields, _labelled(e)),
        st.builds(core.Project, e, labels),
        st.builds(core.Construct, core_names, tuples_of(e), typed),
        st.builds(core.Bin, st.sampled_from(BinOp), e, e),
        st.builds(core.Un, st.sampled_from(UnOp), e),
        st.builds(core.Convert, scalar_types, e),
        st.builds(core.Equal, e, e),
        _core_arrays(e, core_dims),
    )


def _core_arrays(
    e: st.SearchStrategy[core.Exp], core_dims: st.SearchStrategy[tuple[core.Dim, ...]]
) -> st.SearchStrategy[core.Exp]:
    some = tuples_of(e, least=1)
    return st.one_of(
        st.builds(core.Length, e, naturals),
        st.builds(core.Index, e, core_dims),
        st.builds(core.FlatSlice, e, e, tuples_of(st.tuples(e, e))),
        st.builds(core.Coerce, e, array_types, strings),
        st.builds(core.ArrayLit, tuples_of(e), core_types),
        st.builds(core.Iota, e, e, e),
        st.builds(core.Replicate, e, e),
        st.builds(core.Scratch, e, core_types),
        st.builds(core.Copy, e),
        st.builds(core.Concat, some),
        st.builds(core.Rearrange, tuples_of(naturals), e),
        st.builds(core.Reverse, e),
        st.builds(core.Flatten, naturals, e),
        st.builds(core.Unflatten, some, e),
        st.builds(core.Zip, _labelled(e)),
        st.builds(core.Unzip, e),
        st.builds(core.Update, e, core_dims, e),
        st.builds(core.FlatUpdate, e, e, tuples_of(e), e),
        st.builds(core.Scatter, e, e, e),
        st.builds(core.Map, e, some),
        st.builds(core.Reduce, e, some, some, st.booleans()),
        st.builds(core.Scan, e, some, some),
        st.builds(core.Segmented, e, e, e),
        st.builds(core.Segmented, e, e, e, e, some, st.just(True)),
        st.builds(core.Segmented, e, e, e, e, some, st.just(False), st.booleans()),
        st.builds(core.Hist, e, some, some, e, some),
        st.builds(core.Filter, e, e),
    )


core_exps: st.SearchStrategy[core.Exp] = st.recursive(_core_atoms, _larger_core, max_leaves=12)


def core_programs() -> st.SearchStrategy[core.CoreProgram]:
    some_names = tuples_of(core_names, most=2)
    params = st.builds(core.EntryParam, core_binders, st.sampled_from(core.Unique))
    return st.builds(
        core.CoreProgram,
        tuples_of(
            st.builds(core.Entry, core_names, some_names, tuples_of(params), core_types, core_exps),
            most=2,
        ),
        tuples_of(st.builds(core.Def, core_names, some_names, core_types, core_exps), most=2),
        tuples_of(st.builds(core.DataDef, core_names, some_names, sums), most=1),
        tuples_of(
            st.builds(
                core.ForeignDef, core_names, tuples_of(core_types), core_types, st.booleans()
            ),
            most=1,
        ),
    )
