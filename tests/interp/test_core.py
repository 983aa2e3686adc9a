"""The interpreter of Core: every form's value, and every trap's kind and words."""

import numpy as np
import pytest

from funmem.interp import run
from funmem.interp.core import differ, run_core, run_nested, run_parts
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.diagnostics import DeviceError, InputError, SourceError, Trap, UsageError
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F32, F64, I8, I32, I64, ScalarType, UnOp
from funmem.ir.values import ArgValue, ArrayValue
from funmem.passes.core import to_fun_by
from tests.support.core_programs import (
    FALSE,
    TRUE,
    add,
    arr,
    at,
    dims,
    fields,
    fmap,
    fn,
    iota,
    k,
    let,
    lets,
    loop_for,
    loop_while,
    mul,
    op,
    plus,
    program,
    rec,
    span,
    sum_type,
    tup,
    v,
)
from tests.support.core_samples import app, arm, mu, poly

OPTION = sum_type(none=(), some=(I32,))
NONE = c.Construct("none", (), OPTION)


def some(e: Exp) -> c.Construct:
    return c.Construct("some", (e,), OPTION)


def compute(e: Exp, result: Type, *args: ArgValue, given: str = "") -> object:
    """An expression; ``given`` names its i64 parameters."""
    p = program([(x, I64) for x in given.split()], e, result=result)
    found = [x.data.tolist() if isinstance(x, ArrayValue) else x for x in run_core(p, "main", args)]
    return found[0] if len(found) == 1 else tuple(found)


def trap(e: Exp, result: Type = I64) -> str:
    """``kind: message`` of the trap."""
    with pytest.raises(Trap) as caught:
        compute(e, result)
    return f"{caught.value.kind.value}: {caught.value.diagnostic.message}"


def lit(*xs: int, t: ScalarType = I64) -> c.ArrayLit:
    return c.ArrayLit(tuple(k(x, t) for x in xs), t)


GRID = c.ArrayLit((lit(0, 1, 2), lit(3, 4, 5)), arr(I64, 3))
JAGGED = c.ArrayLit((lit(1), lit(), lit(2, 3)), arr(I64, None))

VALUES: list[tuple[str, Exp, Type, object]] = [
    ("let", let("x", I64, k(3), add(v("x"), v("x"))), I64, 6),
    (
        "let apart",
        c.Let((c.Binder(Name("a"), I64), c.Binder(Name("b"), BOOL)), tup(k(3), TRUE), v("b")),
        BOOL,
        True,
    ),
    ("let shadows", lets(("x", I64, k(1)), ("x", I64, add(v("x"), k(1))), body=v("x")), I64, 2),
    ("if", c.If(FALSE, op("/", k(1), k(0)), k(2)), I64, 2),
    ("and", op("&&", FALSE, op("==", op("/", k(1), k(0)), k(1))), BOOL, False),
    ("or", op("||", TRUE, op("==", op("/", k(1), k(0)), k(1))), BOOL, True),
    ("match", c.Match(some(k(4, I32)), (arm("some", ("x", I32), body=v("x")),), k(0, I32)), I32, 4),
    ("match default", c.Match(NONE, (arm("some", ("x", I32), body=v("x")),), k(7, I32)), I32, 7),
    ("sum as result", tup(some(k(4, I32)), NONE), c.tuple_type(OPTION, OPTION), (1, 4, 0, 0)),
    ("for", loop_for([("a", I64, k(1))], "i", k(5), add(v("a"), v("i"))), I64, 11),
    ("for never", loop_for([("a", I64, k(1))], "i", k(-5), k(0)), I64, 1),
    (
        "for two",
        loop_for([("a", I64, k(0)), ("b", I64, k(1))], "i", k(6), tup(v("b"), add(v("a"), v("b")))),
        c.tuple_type(I64, I64),
        (8, 13),
    ),
    ("while", loop_while([("a", I64, k(1))], op("<", v("a"), k(50)), mul(v("a"), k(3))), I64, 81),
    ("assert", c.Assert(TRUE, "no", (), k(1)), I64, 1),
    ("record", c.Project(fields(x=k(1), y=k(2)), "y"), I64, 2),
    ("unit", tup(), c.UNIT, ()),
    ("unary", c.Un(UnOp("-"), k(-128, I8)), I8, -128),
    ("convert", c.Convert(I8, k(300)), I8, 44),
    ("equal", c.Equal(tup(k(1), JAGGED), tup(k(1), JAGGED)), BOOL, True),
    ("equal shapes", c.Equal(lit(1), lit(1, 1)), BOOL, False),
    ("equal nan", c.Equal(k(float("nan"), F64), k(float("nan"), F64)), BOOL, False),
    ("equal zeros", c.Equal(k(0.0, F32), k(-0.0, F32)), BOOL, True),
    ("equal sums", c.Equal(some(k(1, I32)), NONE), BOOL, False),
    ("lambda", app(fn(("x", I64), ("y", I64), body=op("-", v("x"), v("y"))), k(5), k(3)), I64, 2),
    (
        "partial",
        app(app(fn(("x", I64), ("y", I64), body=op("-", v("x"), v("y"))), k(5)), k(3)),
        I64,
        2,
    ),
    (
        "more",
        app(fn(("x", I64), body=fn(("y", I64), body=op("-", v("x"), v("y")))), k(5), k(3)),
        I64,
        2,
    ),
    (
        "mu",
        app(
            mu(
                "f",
                c.Arrow(I64, I64),
                fn(
                    ("n", I64),
                    body=c.If(
                        op("<", v("n"), k(2)), k(1), mul(v("n"), app(v("f"), op("-", v("n"), k(1))))
                    ),
                ),
            ),
            k(10),
        ),
        I64,
        3628800,
    ),
    ("mu shadowed", app(mu("f", c.Arrow(I64, I64), fn(("f", I64), body=v("f"))), k(9)), I64, 9),
    (
        "functions in arrays",
        app(
            at(
                c.ArrayLit(
                    (fn(("x", I64), body=v("x")), fn(("x", I64), body=mul(v("x"), v("x")))),
                    c.Arrow(I64, I64),
                ),
                1,
            ),
            k(7),
        ),
        I64,
        49,
    ),
    (
        "map of a partial",
        fmap(
            fn(("f", c.Arrow(I64, I64)), body=app(v("f"), k(3))),
            fmap(fn(("a", I64), ("b", I64), body=op("-", v("a"), v("b"))), lit(10, 20)),
        ),
        arr(I64, 2),
        [7, 17],
    ),
    ("length", tup(c.Length(GRID), c.Length(GRID, 1)), c.tuple_type(I64, I64), (2, 3)),
    ("length of none", c.Length(c.Scratch(k(0), arr(I64, 7)), 1), I64, 7),
    ("index row", at(GRID, 1), arr(I64, 3), [3, 4, 5]),
    ("index jagged", at(JAGGED, 2, 1), I64, 3),
    ("slice", at(GRID, span(None, None, -1), span(0, 2)), arr(I64, 2, 2), [[3, 4], [0, 1]]),
    ("slice empty outside", at(lit(1, 2), span(7, 7)), arr(I64, None), []),
    ("slice backwards", at(lit(1, 2, 3), span(2, 0, -1)), arr(I64, None), [3, 2]),
    ("slice to the start", at(lit(1, 2, 3), span(2, -1, -2)), arr(I64, None), [3, 1]),
    (
        "flat slice",
        c.FlatSlice(lit(0, 1, 2, 3), k(3), ((k(2), k(-2)), (k(2), k(-1)))),
        arr(I64, 2, 2),
        [[3, 2], [1, 0]],
    ),
    ("coerce", c.Coerce(GRID, arr(I64, None, 3), "{} {}"), arr(I64, 2, 3), [[0, 1, 2], [3, 4, 5]]),
    (
        "coerce empty",
        c.Length(c.Coerce(c.Scratch(k(0), arr(I64, 2)), arr(I64, 0, 9), "{} {}"), 1),
        I64,
        9,
    ),
    ("iota wraps", c.Iota(k(3), k(126, I8), k(1, I8)), arr(I8, 3), [126, 127, -128]),
    ("replicate", c.Replicate(k(2), lit(1)), arr(I64, 2, 1), [[1], [1]]),
    ("scratch written", at(c.Update(c.Scratch(k(2), I64), dims(1), k(5)), 1), I64, 5),
    ("copy", c.Copy(lit(1)), arr(I64, 1), [1]),
    ("concat", c.Concat((lit(1), lit(), lit(2, 3))), arr(I64, None), [1, 2, 3]),
    ("rearrange", c.Rearrange((1, 0), GRID), arr(I64, 3, 2), [[0, 3], [1, 4], [2, 5]]),
    ("reverse", c.Reverse(GRID), arr(I64, 2, 3), [[3, 4, 5], [0, 1, 2]]),
    ("flatten", c.Flatten(2, GRID), arr(I64, 6), [0, 1, 2, 3, 4, 5]),
    ("unflatten", c.Unflatten((k(3), k(2)), iota(k(6))), arr(I64, 3, 2), [[0, 1], [2, 3], [4, 5]]),
    (
        "zip",
        c.Unzip(c.Zip((("a", lit(1)), ("b", lit(2))))),
        rec(a=arr(I64, 1), b=arr(I64, 1)),
        ([1], [2]),
    ),
    (
        "update slice",
        c.Update(iota(k(4)), (span(1, None, 2),), lit(8, 9)),
        arr(I64, 4),
        [0, 8, 2, 9],
    ),
    ("update with another row", at(c.Update(JAGGED, dims(0), lit(7, 8)), 0, 1), I64, 8),
    ("flat update", c.FlatUpdate(iota(k(4)), k(3), (k(-2),), lit(8, 9)), arr(I64, 4), [0, 9, 2, 8]),
    ("scatter", c.Scatter(iota(k(3)), lit(1, -1, 3), lit(7, 8, 9)), arr(I64, 3), [0, 7, 2]),
    (
        "scatter in two",
        c.Scatter(GRID, c.Zip((("0", lit(1, 0)), ("1", lit(2, 3)))), lit(7, 8)),
        arr(I64, 2, 3),
        [[0, 1, 2], [3, 4, 7]],
    ),
    ("map two", fmap(plus(I64), lit(1, 2), lit(10, 20)), arr(I64, 2), [11, 22]),
    ("map none", fmap(fn(("x", I64), body=c.Replicate(k(4), v("x"))), lit()), arr(I64, 0, 4), []),
    (
        "reduce from the left",
        c.Reduce(
            fn(("a", I64), ("b", I64), body=op("-", v("a"), v("b"))), (k(100),), (lit(1, 2, 3),)
        ),
        I64,
        94,
    ),
    (
        "reduce two",
        c.Reduce(
            fn(
                ("a", I64),
                ("p", BOOL),
                ("b", I64),
                ("q", BOOL),
                body=tup(add(v("a"), v("b")), op("||", v("p"), v("q"))),
            ),
            (k(0), FALSE),
            (lit(1, 2), c.ArrayLit((FALSE, TRUE), BOOL)),
        ),
        c.tuple_type(I64, BOOL),
        (3, True),
    ),
    ("scan", c.Scan(plus(I64), (k(0),), (lit(1, 2, 3),)), arr(I64, 3), [1, 3, 6]),
    (
        "hist",
        c.Hist(plus(I64), (k(0),), (lit(1, 1),), lit(0, 5, 0), (lit(2, 3, 4),)),
        arr(I64, 2),
        [7, 1],
    ),
    (
        "filter",
        c.Filter(fn(("x", I64), body=op(">", v("x"), k(1))), lit(1, 2, 3)),
        arr(I64, None),
        [2, 3],
    ),
]


@pytest.mark.parametrize(("e", "t", "want"), [x[1:] for x in VALUES], ids=[x[0] for x in VALUES])
def test_value(e: Exp, t: Type, want: object) -> None:
    assert compute(e, t) == want


TRAPS: list[tuple[str, Exp, str]] = [
    ("division", op("/", k(1), k(0)), "division by zero: division by zero"),
    ("exponent", op("**", k(2), k(-1)), "negative exponent: negative exponent"),
    (
        "assert",
        c.Assert(FALSE, "{} is {{bad}}, {}", (k(3), k(1.5, F64)), k(0)),
        "assertion failed: 3 is {bad}, 1.5f64",
    ),
    (
        "assert that holds",
        c.Assert(TRUE, "{}", (op("/", k(1), k(0)),), k(0)),
        "division by zero: division by zero",
    ),
    (
        "index",
        at(GRID, 1, 3),
        "index out of bounds: Index [1, 3] out of bounds for array of shape [2][3].",
    ),
    (
        "index of none",
        at(c.Scratch(k(0), arr(I64, 2)), 0, 1),
        "index out of bounds: Index [0, 1] out of bounds for array of shape [0][2].",
    ),
    (
        "index jagged",
        at(JAGGED, 1, 0),
        "index out of bounds: Index [1, 0] out of bounds for array of shape [3][0].",
    ),
    (
        "slice",
        at(lit(1, 2), span(1, 4)),
        "slice out of bounds: Index [1:4] out of bounds for array of shape [2].",
    ),
    (
        "slice too far",
        at(lit(1, 2), span(3, None)),
        "slice out of bounds: Index [3:] out of bounds for array of shape [2].",
    ),
    (
        "slice of step 0",
        at(lit(1, 2), span(0, 0, 0)),
        "slice out of bounds: Index [0:0:0] out of bounds for array of shape [2].",
    ),
    (
        "slice below",
        at(lit(1, 2), span(1, -3, -2)),
        "slice out of bounds: Index [1:-3:-2] out of bounds for array of shape [2].",
    ),
    (
        "flat",
        c.FlatSlice(lit(1, 2), k(0), ((k(2), k(2)),)),
        "slice out of bounds: Slice [0 + {(2 : 2)}] out of bounds for array of shape [2].",
    ),
    (
        "coerce",
        c.Coerce(GRID, arr(I64, 2, 4), "{} is not {}"),
        "shape mismatch: [2][3] is not [2][4]",
    ),
    ("iota", iota(k(-1)), "negative size: Size -1 is negative."),
    ("replicate", c.Replicate(k(-2), k(0)), "negative size: Size -2 is negative."),
    (
        "scratch compared",
        c.Equal(c.Scratch(k(1), OPTION), c.ArrayLit((some(k(1, I32)),), OPTION)),
        "uninitialised element: The element was never given a value.",
    ),
    (
        "scratch compared with",
        c.Equal(c.ArrayLit((NONE,), OPTION), c.Scratch(k(1), OPTION)),
        "uninitialised element: The element was never given a value.",
    ),
    (
        "scratch read",
        at(c.Scratch(k(2), I64), 1),
        "uninitialised element: The element was never given a value.",
    ),
    (
        "unflatten",
        c.Unflatten((k(2), k(2)), iota(k(3))),
        "shape mismatch: Cannot unflatten array of shape [3] to array of shape [2][2]",
    ),
    (
        "unflatten below",
        c.Unflatten((k(-1), k(-3)), iota(k(3))),
        "negative size: Cannot unflatten array of shape [3] to array of shape [-1][-3]",
    ),
    (
        "irregular",
        c.Length(JAGGED, 1),
        "shape mismatch: Irregular array: a row of shape [0] where the first has shape [1].",
    ),
    (
        "zip",
        c.Zip((("0", lit(1)), ("1", lit()))),
        "shape mismatch: Cannot zip arrays of shapes [1] and [0].",
    ),
    (
        "map",
        fmap(plus(I64), lit(1), lit()),
        "shape mismatch: Arrays of lengths 1 and 0 where the lengths must be equal.",
    ),
    (
        "update",
        c.Update(lit(1, 2), dims(2), k(0)),
        "index out of bounds: Index [2] out of bounds for array of shape [2].",
    ),
    (
        "update shape",
        c.Update(lit(1, 2), (span(0, 2),), lit(1)),
        "shape mismatch: Array of shape [1] where shape [2] is needed.",
    ),
    (
        "flat update twice",
        c.FlatUpdate(lit(1, 2), k(0), (k(0),), lit(1, 2)),
        "overlapping update: Update writes an element twice.",
    ),
]


@pytest.mark.parametrize(("e", "want"), [x[1:] for x in TRAPS], ids=[x[0] for x in TRAPS])
def test_trap(e: Exp, want: str) -> None:
    assert trap(e) == want


# ---------------------------------------------------------------------- order of evaluation


@pytest.mark.parametrize(
    "e",
    [
        add(op("/", k(1), k(0)), op("**", k(2), k(-1))),
        app(fn(("a", I64), ("b", I64), body=k(0)), op("/", k(1), k(0)), op("**", k(2), k(-1))),
        let("x", I64, op("/", k(1), k(0)), op("**", k(2), k(-1))),
        tup(op("/", k(1), k(0)), op("**", k(2), k(-1))),
        at(c.Replicate(op("/", k(1), k(0)), k(0)), op("**", k(2), k(-1))),
        fmap(fn(("x", I64), body=op("/", k(1), v("x"))), lit(0, 1)),
    ],
)
def test_from_left_to_right(e: Exp) -> None:
    assert trap(e) == "division by zero: division by zero"


def test_a_closure_keeps_what_it_captured() -> None:
    e = lets(
        ("x", I64, k(1)),
        ("f", c.Arrow(I64, I64), fn(("y", I64), body=add(v("x"), v("y")))),
        ("x", I64, k(100)),
        body=app(v("f"), v("x")),
    )
    assert compute(e, I64) == 101


# ---------------------------------------------------------------------- the border


def test_arguments_and_results_are_laid_out_flat() -> None:
    t = rec(a=arr(rec(x=I32, s=OPTION), "n"), b=arr(I64, "n", "m"))
    p = program([("r", t)], v("r"), sizes="n m", result=t)
    args = (np.array([1, 2], np.int32), np.array([0, 1], np.int8), np.array([5, 6], np.int32))
    grid = np.arange(6).reshape(2, 3)
    found = run_core(p, "main", (*args, grid))
    want = [x.tolist() for x in (args[0], args[1], np.array([0, 6]), grid)]
    assert [x.data.tolist() for x in found if isinstance(x, ArrayValue)] == want


def test_rows_of_different_lengths_are_nested_or_offsets_and_elements() -> None:
    t = arr(I64, "n", None, None)
    p = program(
        [("xs", t), ("k", arr(I64, "n"))],
        tup(v("xs"), v("k")),
        sizes="n",
        result=c.tuple_type(t, arr(I64, "n")),
    )
    rows = [[[1, 2], []], [], [[3]]]
    (whole, same) = run_nested(p, "main", (rows, [7, 8, 9]))
    assert [[x.tolist() for x in row] for row in whole] == rows
    assert same.data.tolist() == [7, 8, 9]
    (part, k) = run_parts(p, "main", (rows, [7, 8, 9]))
    assert [x.tolist() for x in part.offsets] == [[0, 2, 2, 3], [0, 2, 2, 3]]
    assert part.value.data.tolist() == [1, 2, 3]
    assert differ(run_parts(p, "main", (*part.offsets, part.value, [7, 8, 9])), (part, k)) is None
    with pytest.raises(InputError, match="do not rise from 0 to 3"):
        run_core(p, "main", ([0, 2, 1, 3], part.offsets[1], part.value, [7, 8, 9]))
    other = run_parts(p, "main", ([[[1], [2]], [], [[3]]], [7, 8, 9]))
    assert "result 2" in (differ(run_parts(p, "main", (rows, [7, 8, 9])), other) or "")
    with pytest.raises(Trap, match="Irregular array: a row of shape"):
        run_core(p, "main", (rows, [7, 8, 9]))
    with pytest.raises(InputError, match=r"expected \[n\]i64 with n = 3, got \[2\]i64"):
        run_core(p, "main", (rows, [7, 8]))
    with pytest.raises(InputError, match="got the float 1"):
        run_core(p, "main", ([[[1.5]]], [7]))


def test_rows_of_records_have_one_length_in_all_columns() -> None:
    t = arr(rec(x=I64, y=I64), "n", None)
    p = program([("xs", t)], v("xs"), sizes="n", result=t)
    assert [len(x) for x in run_nested(p, "main", ([[1], [2, 3]], [[4], [5, 6]]))] == [2, 2]
    with pytest.raises(InputError, match="arrays of one record have different lengths"):
        run_core(p, "main", ([[1], [2, 3]], [[4, 5], [6]]))


def test_arguments_must_fit() -> None:
    p = program([("xs", arr(I64, "n")), ("ys", arr(I64, "n"))], k(0), sizes="n", result=I64)
    with pytest.raises(InputError, match=r"expected \[n\]i64 with n = 1, got \[2\]i64"):
        run_core(p, "main", ([1], [1, 2]))


def test_there_must_be_an_entry_point() -> None:
    with pytest.raises(UsageError, match="no entry point `other`; there is `main`"):
        run_core(program([], k(0), result=I64), "other", ())


def test_a_function_does_not_leave() -> None:
    p = program([("n", I64)], fn(("x", I64), body=v("x")), result=c.Arrow(I64, I64))
    with pytest.raises(SourceError, match="not supported: a function"):
        run_core(p, "main", (1,))


def test_an_irregular_result_traps() -> None:
    assert trap(JAGGED, arr(I64, None, None)).startswith("shape mismatch: Irregular array")


def unknown(rows: Exp) -> CoreProgram:
    """A map over ``rows`` of what has a size that nobody knows."""
    f = fn(("x", I64), body=c.Filter(fn(("y", I64), body=TRUE), iota(v("x"))))
    return program([], fmap(f, rows), result=arr(I64, None, None))


def test_a_size_that_nobody_knows_agrees_with_any() -> None:
    (part,) = run_parts(unknown(lit()), "main", ())
    assert part.dims == (0, None)
    assert differ((part,), (ArrayValue(np.zeros((0, 7), np.int64)),)) is None
    assert differ((part,), (ArrayValue(np.zeros((1, 0), np.int64)),)) is not None
    assert differ((part,), (ArrayValue(np.zeros((0, 7), np.int32)),)) is not None
    (part,) = run_parts(unknown(lit(2)), "main", ())
    assert part.dims == (1, 2)


# ---------------------------------------------------------------------- depth


def sum_to(tail: bool) -> Exp:
    """The sum of 1 … n by recursion."""
    n, again = v("n"), op("-", v("n"), k(1))
    params = [("n", I64), ("acc", I64)]
    step = app(v("f"), again, add(v("acc"), n)) if tail else add(n, app(v("f"), again, k(0)))
    body = c.If(op("<=", n, k(0)), v("acc"), step)
    f = mu("f", c.arrow([I64, I64], I64), fn(*params, body=body))
    return app(f, v("top"), k(0))


def test_tail_calls_need_no_depth() -> None:
    assert compute(sum_to(True), I64, 20_000, given="top") == 200010000


def test_recursion_is_deep_but_not_endless() -> None:
    assert compute(sum_to(False), I64, 3000, given="top") == 4501500
    with pytest.raises(DeviceError, match="too deep"):
        compute(sum_to(False), I64, 1_000_000, given="top")


# ---------------------------------------------------------------------- empty, not given


def test_an_empty_slice_knows_the_sizes_of_all_its_dimensions():
    params = [("xs", arr(I64, "a", "b", "c"))]
    grid = np.zeros((4, 5, 6), np.int64)
    for last, want in ((span(0, 1), (0, 2, 1)), (c.Fix(k(1)), (0, 2))):
        e = at(v("xs"), span(0, 0), span(0, 2), last)
        t = arr(I64, *[None] * len(want))
        (found,) = run_parts(program(params, e, sizes="a b c", result=t), "main", (grid,))
        assert found.dims == want


def test_an_empty_array_has_no_negative_size():
    t = arr(I64, "k")
    p = [("k", I64)]
    for e in (
        c.ArrayLit((), t),
        c.Coerce(c.ArrayLit((), arr(I64, None)), arr(t, None), "{} {}"),
    ):
        with pytest.raises(Trap, match="Size -1 is negative"):
            run_core(program(p, e, result=arr(I64, None, None)), "main", (-1,))
        (found,) = run_parts(program(p, e, result=arr(I64, None, None)), "main", (3,))
        assert found.dims == (0, 3)
    inside = c.ArrayLit((), c.tuple_type(arr(t, 2), I64))
    with pytest.raises(Trap, match="Size -1 is negative"):
        run_core(program(p, c.Length(inside), result=I64), "main", (-1,))
    rows = fmap(c.Lambda((c.Binder(Name("x"), I64),), c.ArrayLit((), I64)), iota(k(0)))
    stated = let("r", t, iota(v("k")), v("r"))
    never = fmap(fn(("x", I64), body=stated), iota(k(0)))
    for e in (rows, never):
        (found,) = run_parts(program(p, e, result=arr(I64, None, None)), "main", (-1,))
        assert found.dims[0] == 0


def test_columns_of_one_array_have_one_length():
    """Whatever the record is inside of; else the shortest would count, or none."""
    point = rec(x=I64, y=I64)
    for t in (arr(point, None), rec(a=I64, ps=arr(point, None))):
        one = (7,) if isinstance(t, c.Record) else ()
        p = program([("ps", t)], k(1), result=I64)
        assert run_core(p, "main", (*one, *[np.zeros(2, np.int64)] * 2)) == (1,)
        for m, n in ((2, 3), (3, 2)):
            with pytest.raises(InputError, match="expect"):
                run_core(p, "main", (*one, np.zeros(m, np.int64), np.zeros(n, np.int64)))


def test_a_tag_is_that_of_a_constructor():
    p = program([("o", OPTION)], k(1), result=I64)
    assert run_core(p, "main", (1, 5)) == (1,)
    for tag in (2, -1):
        with pytest.raises(InputError, match="not the number of a constructor: there are 2"):
            run_core(p, "main", (tag, 5))


def test_many_constructors_have_a_wider_tag():
    """128 have tags of type i8, as all had once."""
    for count, tag_type in ((128, np.int8), (129, np.int16), (40_000, np.int32)):
        t = c.Sum(tuple((f"c{j}", ()) for j in range(count)))
        last = c.Construct(f"c{count - 1}", (), t)
        p = program([], c.ArrayLit((last,), t), result=arr(t, 1))
        (found,) = run_core(p, "main", ())
        assert found.data.dtype == tag_type
        assert found.data.tolist() == [count - 1]


FAR = 1 << 40
ROWS_OF_NOTHING = {
    "unflatten": c.Unflatten((v("h"), k(0)), c.ArrayLit((), I64)),
    "unflatten inside": c.Unflatten((k(1 << 20), v("h"), k(0)), c.ArrayLit((), I64)),
    "rearrange": c.Rearrange((1, 0), c.ArrayLit((), arr(I64, "h"))),
    "flat slice": c.FlatSlice(c.ArrayLit((), I64), k(0), ((v("h"), k(0)), (k(0), k(0)))),
}


@pytest.mark.parametrize("e", ROWS_OF_NOTHING.values(), ids=ROWS_OF_NOTHING)
def test_many_rows_of_nothing(e: Exp) -> None:
    """They need no memory in FUN; here each is an object, so it says that it has none left."""
    with pytest.raises(DeviceError, match="does not fit"):
        compute(c.Length(e), I64, FAR, given="h")


def test_many_rows_of_nothing_that_are_given() -> None:
    p = program([("xs", arr(I64, "n", "m"))], c.Length(v("xs")), sizes="n m", result=I64)
    with pytest.raises(DeviceError, match="does not fit"):
        run_core(p, "main", (np.zeros((FAR, 0), np.int64),))


def tree(inside: Type) -> tuple[c.DataDef, c.Data]:
    """``data T 'a = #nil | #cons 'a (T inside)``, and T at i64."""
    name = Name("T")
    cases = (("nil", ()), ("cons", (c.TypeVar(Name("a")), c.Data(name, (inside,)))))
    return c.DataDef(name, (Name("a"),), c.Sum(cases)), c.Data(name, (I64,))


A = c.TypeVar(Name("a"))
GROWING = {
    "pairs": c.tuple_type(A, A),
    "arrays": c.Array(A),
    "itself": c.Data(Name("T"), (A,)),
}


@pytest.mark.parametrize("inside", GROWING.values(), ids=GROWING)
def test_a_data_type_that_contains_itself_at_types_that_grow(inside: Type) -> None:
    """It has values, but no layout, and too many instances; the types of pairs double in size."""
    data, t = tree(inside)
    nil = c.Construct("nil", (), t)
    seen = program([], c.Match(nil, (arm("nil", body=k(3)),), k(4)), data=(data,), result=I64)
    assert run_core(seen, "main", ()) == (3,)
    with pytest.raises(SourceError, match="recursive data"):
        run_core(program([], nil, data=(data,), result=t), "main", ())
    with pytest.raises(SourceError, match="`T` is needed at too many types"):
        to_fun_by(seen)


@pytest.mark.parametrize("inside", [GROWING["pairs"], GROWING["arrays"]], ids=["pairs", "arrays"])
def test_a_definition_that_calls_itself_at_types_that_grow(inside: Type) -> None:
    """It may end, but has too many instances."""
    more = tup(v("x"), v("x")) if isinstance(inside, c.Record) else c.Replicate(k(1), v("x"))
    again = app(c.Global(Name("f"), (inside,)), more, op("-", v("n"), k(1)))
    body = c.If(op("<=", v("n"), k(0)), k(7), again)
    f = poly("f", "a", c.arrow([A, I64], I64), fn(("x", A), ("n", I64), body=body))
    start = app(c.Global(Name("f"), (I64,)), k(1), v("n"))
    p = program([("n", I64)], start, defs=(f,), result=I64)
    assert run_core(p, "main", (3,)) == (7,)
    with pytest.raises(SourceError, match="`f` is needed at too many types"):
        to_fun_by(p)


def test_a_data_type_in_itself_is_no_recursion() -> None:
    """As long as it is at types that shrink."""
    data = c.DataDef(Name("O"), (Name("a"),), c.Sum((("none", ()), ("some", (A,)))))
    t: Type = I64
    for _ in range(5):
        t = c.Data(Name("O"), (t,))
    e = c.Match(v("o"), (arm("none", body=k(1)),), k(2))
    p = program([("o", t)], e, data=(data,), result=I64)
    assert run_core(p, "main", (0, 0, 0, 0, 0, 9)) == (1,)
    assert run(to_fun_by(p), "main", (1, 0, 0, 0, 0, 9)) == (2,)
