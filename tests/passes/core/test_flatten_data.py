"""Flattening data: what programs over records, tuples, sums and units compute afterwards."""

import numpy as np
import pytest

from funmem.interp import run
from funmem.interp.core import differ, run_core, run_parts
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import parts
from funmem.ir.diagnostics import SourceError, Trap
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F32, I8, I32, I64, ScalarType
from funmem.ir.sizes import var
from funmem.ir.text import show
from funmem.ir.values import ArgValue
from funmem.passes.core.flatten_data import flatten_data
from tests.support.core_programs import (
    FALSE,
    TRUE,
    add,
    arr,
    at,
    b,
    call,
    compute,
    define,
    dims,
    fields,
    fmap,
    fn,
    i32s,
    iota,
    k,
    let,
    loop_for,
    loop_while,
    lowered,
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

POINT = rec(x=I32, y=F32)
OPTION = sum_type(none=(), some=(I32,))
SHAPE = sum_type(dot=(), circle=(F32,), box=(F32, F32), named=(I32, F32))
XS: list[tuple[str, Type]] = [("xs", arr(I32, "n"))]
POINTS: list[tuple[str, Type]] = [("ps", arr(POINT, "n"))]
FOUR = i32s(1, 2, 3, 4)
HALVES = np.array([0.5, 1.5, 2.5, 3.5], np.float32)


def is_part(t: Type) -> bool:
    """A scalar, or an array of scalars."""
    while isinstance(t, c.Array):
        t = t.elem
    return isinstance(t, ScalarType)


GONE = c.Project | c.Construct | c.Match | c.Equal | c.Mu


def assert_flat(p: CoreProgram) -> None:
    """The postcondition."""
    names: list[Name] = []
    todo: list[Exp] = [e.exp for e in p.entries] + [d.exp for d in p.defs]
    while todo:
        e = todo.pop()
        assert not isinstance(e, GONE), e
        binders: tuple[c.Binder, ...] = ()
        match e:
            case c.Let(binders) | c.Lambda(binders) | c.Loop(binders):
                pass
            case c.Unzip(array):
                assert isinstance(array, c.Map | c.Scan)
            case _:
                pass
        assert all(is_part(x.type) for x in binders), e
        names += [x.name for x in binders]
        todo += parts(e)
    assert len(names) == len(set(names))
    assert not p.data


def flat(p: CoreProgram, *args: ArgValue, heap: bool = True) -> object:
    """What a program computes; its flattened form satisfies the postcondition."""
    assert_flat(flatten_data(p))
    return compute(p, *args, heap=heap)


def on_xs(e: Exp, x: ArgValue = FOUR, **more: object) -> object:
    """An expression in ``xs : [n]i32``."""
    return flat(program(XS, e, sizes="n", **more), x)  # type: ignore[arg-type]


def point(x: Exp, y: Exp) -> c.Fields:
    return fields(x=x, y=y)


def get(e: Exp, label: str) -> c.Project:
    return c.Project(e, label)


def some(e: Exp) -> c.Construct:
    return c.Construct("some", (e,), OPTION)


NONE = c.Construct("none", (), OPTION)


def arm(name: str, *binders: tuple[str, Type], body: Exp) -> c.Arm:
    return c.Arm(name, tuple(b(x, t) for x, t in binders), body)


# ---------------------------------------------------------------------- records


def test_records_and_tuples():
    p = let("p", POINT, point(k(3, I32), k(0.5, F32)), tup(get(v("p"), "y"), get(v("p"), "x")))
    assert flat(program([], p)) == (0.5, 3)
    nested = tup(tup(k(1), k(2)), fields(a=k(3)), tup())
    apart = c.Let(
        (b("p", c.tuple_type(I64, I64)), b("q", rec(a=I64)), b("u", c.UNIT)),
        nested,
        add(get(v("p"), "1"), get(v("q"), "a")),
    )
    assert flat(program([], apart)) == 5


def test_records_in_control():
    t = c.tuple_type(I32, POINT)
    both = [tup(k(j, I32), point(k(j, I32), k(float(j), F32))) for j in (1, 2)]
    e = let("r", t, c.If(v("c"), *both), get(get(v("r"), "1"), "y"))
    assert flat(program([("c", BOOL)], e), False) == 2.0
    step = point(add(get(v("p"), "x"), k(1, I32)), add(get(v("p"), "y"), k(0.5, F32)))
    start = point(k(0, I32), k(0.0, F32))
    assert flat(program([], loop_for([("p", POINT, start)], "i", k(3), step))) == (3, 1.5)
    small = op("<", get(v("p"), "x"), k(5, I32))
    assert flat(program([], loop_while([("p", POINT, start)], small, step))) == (5, 2.5)


def test_records_of_arrays():
    t = rec(a=arr(I32, None), n=I64)
    p = let(
        "r",
        t,
        fields(a=v("xs"), n=c.Length(v("xs"))),
        at(get(v("r"), "a"), op("-", get(v("r"), "n"), k(1))),
    )
    assert on_xs(p) == 4


def test_functions_of_records():
    swap = define(
        "swap", [("p", c.tuple_type(I32, F32))], POINT, point(get(v("p"), "0"), get(v("p"), "1"))
    )
    e = let("r", POINT, call("swap", tup(k(1, I32), k(2.0, F32))), get(v("r"), "y"))
    assert flat(program([], e, defs=[swap])) == 2.0
    unit = define("unit", [("u", c.UNIT)], I32, k(7, I32))
    assert flat(program([], call("unit", tup()), defs=[unit])) == 7
    nothing = define("nothing", [("x", I32)], c.UNIT, tup())
    assert (
        flat(program([], let("u", c.UNIT, call("nothing", k(1, I32)), k(7, I32)), defs=[nothing]))
        == 7
    )
    pair = define("pair", [], c.tuple_type(I32, F32), tup(k(1, I32), k(2.0, F32)))
    assert flat(program([], get(call("pair"), "1"), defs=[pair])) == 2.0


# ---------------------------------------------------------------------- arrays of records


def test_map_over_records():
    e = fmap(fn(("p", POINT), body=get(v("p"), "x")), v("ps"))
    assert flat(program(POINTS, e, sizes="n"), FOUR, HALVES) == [1, 2, 3, 4]
    make = fmap(fn(("x", I32), body=point(v("x"), c.Convert(F32, v("x")))), v("xs"))
    assert on_xs(make) == ([1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0])
    assert on_xs(at(make, 2)) == (3, 3.0)
    assert on_xs(at(make, span(1, 3))) == ([2, 3], [2.0, 3.0])


def test_zip_and_unzip():
    pairs = c.Zip((("0", v("xs")), ("1", c.Reverse(v("xs")))))
    t = c.tuple_type(I32, I32)
    total = fmap(fn(("p", t), body=add(get(v("p"), "0"), get(v("p"), "1"))), pairs)
    assert on_xs(total) == [5, 5, 5, 5]
    assert on_xs(c.Unzip(pairs)) == ([1, 2, 3, 4], [4, 3, 2, 1])
    p = program(
        [("xs", arr(I32, "n")), ("ys", arr(I32, "m"))],
        c.Unzip(c.Zip((("a", v("xs")), ("b", v("ys"))))),
        sizes="n m",
    )
    assert flat(p, FOUR, FOUR) == ([1, 2, 3, 4], [1, 2, 3, 4])
    with pytest.raises(Trap, match=r"Cannot zip arrays of shapes \[2\] and \[4\]"):
        run(lowered(p), "main", (FOUR, i32s(1, 2)))


@pytest.mark.slow
def test_reduce_and_scan_of_records():
    t = c.tuple_type(I32, I64)
    pairs = c.Zip((("0", v("xs")), ("1", iota(c.Length(v("xs"))))))
    larger = fn(
        ("a", t), ("b", t), body=c.If(op("<", get(v("a"), "0"), get(v("b"), "0")), v("b"), v("a"))
    )
    ne = tup(k(-1, I32), k(-1))
    assert on_xs(c.Reduce(larger, (ne,), (pairs,)), i32s(3, 8, 5)) == (8, 1)
    assert on_xs(c.Scan(larger, (ne,), (pairs,)), i32s(3, 8, 5)) == ([3, 8, 8], [0, 1, 1])
    two = fn(*((x, I32) for x in "abcd"), body=tup(add(v("a"), v("c")), mul(v("b"), v("d"))))
    assert on_xs(c.Reduce(two, (k(0, I32), k(1, I32)), (v("xs"), v("xs")))) == (10, 24)
    assert on_xs(c.Unzip(c.Scan(two, (k(0, I32), k(1, I32)), (v("xs"), v("xs"))))) == (
        [1, 3, 6, 10],
        [1, 2, 6, 24],
    )


def test_filter_of_records():
    keep = c.Filter(fn(("p", POINT), body=op("<", get(v("p"), "y"), k(2.0, F32))), v("ps"))
    assert flat(program(POINTS, keep, sizes="n"), FOUR, HALVES) == ([1, 2], [0.5, 1.5])


def test_hist_and_scatter_of_records():
    t = c.tuple_type(I32, I32)
    n = c.Length(v("xs"))
    pairs = c.Zip((("0", v("xs")), ("1", c.Replicate(n, k(1, I32)))))
    sum2 = fn(
        ("a", t),
        ("b", t),
        body=tup(add(get(v("a"), "0"), get(v("b"), "0")), add(get(v("a"), "1"), get(v("b"), "1"))),
    )
    dest = c.Replicate(k(2), tup(k(0, I32), k(0, I32)))
    parity = fmap(fn(("x", I32), body=c.Convert(I64, op("%", v("x"), k(2, I32)))), v("xs"))
    assert on_xs(c.Hist(sum2, (tup(k(0, I32), k(0, I32)),), (dest,), parity, (pairs,))) == (
        [6, 4],
        [2, 2],
    )
    where = c.ArrayLit((k(1), k(0), k(5), k(-1)), I64)
    assert on_xs(c.Scatter(dest, where, pairs)) == ([2, 1], [1, 1])


def test_scatter_over_two_dimensions():
    where = fmap(fn(("i", I64), body=tup(v("i"), op("-", k(1), v("i")))), iota(k(2)))
    dest = c.Replicate(k(2), c.Replicate(k(2), k(0, I32)))
    assert on_xs(c.Scatter(dest, where, at(v("xs"), span(0, 2)))) == [[0, 1], [2, 0]]


def test_operations_on_arrays_of_records():
    t = c.tuple_type(I32, I32)
    pair = tup(k(1, I32), k(2, I32))
    ps = c.ArrayLit((pair, tup(k(3, I32), k(4, I32))), t)
    assert on_xs(ps) == ([1, 3], [2, 4])
    assert on_xs(c.Concat((ps, ps))) == ([1, 3, 1, 3], [2, 4, 2, 4])
    assert on_xs(c.Reverse(c.Copy(ps))) == ([3, 1], [4, 2])
    assert on_xs(c.Update(ps, dims(1), pair)) == ([1, 1], [2, 2])
    assert on_xs(c.Update(ps, dims(span(0, 1)), at(ps, span(1, 2)))) == ([3, 3], [4, 4])
    assert on_xs(c.Replicate(k(2), pair)) == ([1, 1], [2, 2])
    assert on_xs(c.Length(c.Update(c.Scratch(k(2), t), dims(0), pair))) == 2
    grid = c.Unflatten((k(1), k(2)), ps)
    assert on_xs(c.Rearrange((1, 0), grid)) == ([[1], [3]], [[2], [4]])
    assert on_xs(c.Flatten(2, grid)) == ([1, 3], [2, 4])
    assert on_xs(c.FlatSlice(ps, k(1), ((k(2), k(-1)),))) == ([3, 1], [4, 2])
    assert on_xs(c.FlatUpdate(ps, k(1), (k(-1),), c.Copy(ps))) == ([3, 1], [4, 2])
    assert on_xs(c.Coerce(ps, arr(t, 2), "{} {}")) == ([1, 3], [2, 4])


def test_entry_points_share_the_length_of_a_record_array():
    e = fmap(fn(("p", POINT), body=get(v("p"), "x")), v("ps"))
    p = program([("ps", arr(POINT, None))], e)
    flattened = flatten_data(p)
    assert len(flattened.entries[0].sizes) == 1
    assert flat(p, FOUR, HALVES) == [1, 2, 3, 4]


# ---------------------------------------------------------------------- units


def test_units_vanish_and_arrays_of_them_keep_their_length():
    us = c.Replicate(k(3), tup())
    assert on_xs(c.Length(us)) == 3
    assert on_xs(fmap(fn(("u", c.UNIT), body=k(1, I32)), us)) == [1, 1, 1]
    assert on_xs(c.Length(fmap(fn(("x", I32), body=tup()), v("xs")))) == 4
    assert on_xs(c.Length(c.Concat((us, us)))) == 6
    assert on_xs(let("u", c.UNIT, at(us, 1), k(5, I32))) == 5
    with pytest.raises(Trap, match="Index"):
        run(lowered(program([], let("u", c.UNIT, at(us, 3), k(5, I32)))), "main", ())
    pairs = c.Zip((("0", v("xs")), ("1", fmap(fn(("x", I32), body=tup()), v("xs")))))
    assert on_xs(pairs) == [1, 2, 3, 4]
    apart = c.Let(
        (b("p", arr(I32, None)), b("q", arr(c.UNIT, None))), c.Unzip(pairs), c.Length(v("q"))
    )
    assert on_xs(apart) == 4
    none = fn(("a", c.UNIT), ("b", c.UNIT), body=v("a"))
    assert on_xs(let("u", c.UNIT, c.Reduce(none, (tup(),), (us,)), k(1, I32))) == 1
    assert on_xs(c.Length(c.Filter(fn(("u", c.UNIT), body=TRUE), us))) == 3
    assert on_xs(c.Equal(us, us)) is True
    assert (
        on_xs(let("u", c.UNIT, loop_for([("u", c.UNIT, tup())], "i", k(2), v("u")), k(1, I32))) == 1
    )


# ---------------------------------------------------------------------- sums


def test_match():
    def value(e: Exp) -> Exp:
        return c.Match(e, (arm("some", ("x", I32), body=v("x")), arm("none", body=k(-1, I32))))

    assert on_xs(value(some(k(3, I32)))) == 3
    assert on_xs(value(NONE)) == -1
    safe = c.If(op("<", c.Length(v("xs")), k(3)), NONE, some(at(v("xs"), 2)))
    assert on_xs(value(safe)) == 3
    assert on_xs(value(safe), i32s(1)) == -1


def test_match_with_a_default():
    def area(e: Exp) -> Exp:
        arms = (
            arm("circle", ("r", F32), body=mul(v("r"), v("r"))),
            arm("box", ("w", F32), ("h", F32), body=mul(v("w"), v("h"))),
        )
        return c.Match(e, arms, k(0.0, F32))

    for name, args, want in (
        ("dot", (), 0.0),
        ("circle", (k(3.0, F32),), 9.0),
        ("box", (k(2.0, F32), k(4.0, F32)), 8.0),
        ("named", (k(2, I32), k(4.0, F32)), 0.0),
    ):
        assert flat(program([], area(c.Construct(name, args, SHAPE)))) == want


def test_slots_are_shared_by_type():
    p = flatten_data(program([("s", SHAPE)], v("s")))
    types = [q.binder.type for q in p.entries[0].params]
    assert types == [I8, F32, F32, I32]


def test_arrays_of_sums():
    make = fmap(
        fn(("x", I32), body=c.If(op("<", v("x"), k(3, I32)), some(mul(v("x"), v("x"))), NONE)),
        v("xs"),
    )
    assert on_xs(make) == ([1, 1, 0, 0], [1, 4, 0, 0])
    total = fmap(
        fn(("o", OPTION), body=c.Match(v("o"), (arm("some", ("x", I32), body=v("x")),), k(0, I32))),
        make,
    )
    assert on_xs(c.Reduce(plus(), (k(0, I32),), (total,))) == 5


def test_payloads_that_are_arrays():
    t = sum_type(list=(arr(I32, "n"),), pair=(I32, I32), nothing=())
    made = {
        "list": c.Construct("list", (v("xs"),), t),
        "pair": c.Construct("pair", (k(1, I32), k(2, I32)), t),
        "nothing": c.Construct("nothing", (), t),
    }
    arms = (
        arm("list", ("ys", arr(I32, None)), body=c.Reduce(plus(), (k(0, I32),), (v("ys"),))),
        arm("pair", ("a", I32), ("b", I32), body=add(v("a"), v("b"))),
        arm("nothing", body=k(0, I32)),
    )
    for name, want in (("list", 10), ("pair", 3), ("nothing", 0)):
        assert on_xs(c.Match(made[name], arms)) == want
    either = c.If(op("<", at(v("xs"), 0), k(2, I32)), made["list"], made["pair"])
    assert on_xs(c.Match(either, arms)) == 10
    assert on_xs(c.Match(either, arms), i32s(2)) == 3


def test_named_data():
    option = c.DataDef(Name("option"), (), OPTION)
    t = c.Data(Name("option"))
    e = c.Match(
        c.Construct("some", (k(4, I32),), t), (arm("some", ("x", I32), body=v("x")),), k(0, I32)
    )
    assert flat(program([], e, data=[option])) == 4
    tree = c.DataDef(Name("tree"), (), sum_type(leaf=(), node=(c.Data(Name("tree")), I32)))
    p = program(
        [],
        let("t", c.Data(Name("tree")), c.Construct("leaf", (), c.Data(Name("tree"))), k(1)),
        data=[tree],
    )
    with pytest.raises(SourceError, match="not supported: recursive data"):
        flatten_data(p)


# ---------------------------------------------------------------------- equality


@pytest.mark.parametrize(
    ("a", "z", "want"),
    [
        (k(1, I32), k(1, I32), True),
        (k(float("nan"), F32), k(float("nan"), F32), False),
        (tup(k(1), k(2)), tup(k(1), k(2)), True),
        (tup(k(1), k(2)), tup(k(1), k(3)), False),
        (tup(), tup(), True),
        (some(k(1, I32)), some(k(1, I32)), True),
        (some(k(1, I32)), some(k(2, I32)), False),
        (some(k(0, I32)), NONE, False),
        (NONE, NONE, True),
        (iota(k(3)), iota(k(3)), True),
        (iota(k(3)), iota(k(4)), False),
        (iota(k(0)), iota(k(0)), True),
        (c.Unflatten((k(2), k(2)), iota(k(4))), c.Unflatten((k(2), k(2)), iota(k(4))), True),
        (c.Unflatten((k(2), k(3)), iota(k(6))), c.Unflatten((k(2), k(2)), iota(k(4))), False),
        (c.Unflatten((k(0), k(3)), iota(k(0))), c.Unflatten((k(0), k(2)), iota(k(0))), True),
        (c.Replicate(k(2), some(k(1, I32))), c.Replicate(k(2), some(k(1, I32))), True),
        (c.Replicate(k(2), some(k(1, I32))), c.Replicate(k(2), NONE), False),
        (
            c.Zip((("0", iota(k(2))), ("1", iota(k(2))))),
            c.Zip((("0", iota(k(2))), ("1", iota(k(2))))),
            True,
        ),
        (tup(iota(k(2)), TRUE), tup(iota(k(2)), FALSE), False),
    ],
)
def test_equality(a, z, want):
    assert flat(program([], c.Equal(a, z))) is want


def test_what_a_slot_holds_when_it_is_not_used_does_not_count():
    sums = sum_type(a=(I32,), z=(BOOL,))
    t = c.tuple_type(I64, sums)
    pick = c.If(v("c"), c.Construct("a", (k(5, I32),), sums), c.Construct("z", (TRUE,), sums))
    p = program([("c", BOOL)], c.Equal(tup(k(1), pick), tup(k(1), c.Construct("z", (TRUE,), sums))))
    assert flat(p, False) is True
    assert flat(p, True) is False
    assert t.is_tuple


# ---------------------------------------------------------------------- order, names


def test_what_traps_is_evaluated_in_order_even_if_it_is_not_used():
    bad = op("/", k(1, I32), at(v("xs"), 0))
    e = get(tup(k(1, I32), bad), "0")
    p = program(XS, e, sizes="n")
    with pytest.raises(Trap, match="division by zero"):
        run(lowered(p), "main", (i32s(0),))
    first = tup(c.Assert(FALSE, "first", (), k(1)), c.Assert(FALSE, "second", (), k(2)))
    with pytest.raises(Trap, match="first"):
        run(lowered(program([], get(first, "1"))), "main", ())


def test_inner_names_may_be_outer_ones():
    inner = let("x", I32, k(5, I32), add(v("x"), k(1, I32)))
    e = let("x", I32, k(1, I32), let("y", I32, inner, tup(v("x"), v("y"))))
    assert flat(program([], e)) == (1, 6)


def test_a_long_chain():
    e: Exp = v("x2000")
    for j in reversed(range(2000)):
        e = let(
            f"x{j + 1}",
            c.tuple_type(I32, I32),
            tup(get(v(f"x{j}"), "1"), add(get(v(f"x{j}"), "0"), k(1, I32))),
            e,
        )
    start = let("x0", c.tuple_type(I32, I32), tup(v("a"), v("a")), e)
    assert flat(program([("a", I32)], start), 0, heap=False) == (1000, 1000)


def test_functions_as_values_are_not_supported():
    e = let("f", c.Arrow(I32, I32), fn(("x", I32), body=v("x")), k(1, I32))
    with pytest.raises(SourceError, match="not supported: a function as a value"):
        flatten_data(program([], e))


def test_many_constructors_have_a_wider_tag():
    """Made, matched and compared."""
    for count in (128, 129):
        t = c.Sum(tuple((f"c{j}", ()) for j in range(count)))
        last = c.Construct(f"c{count - 1}", (), t)
        o = c.If(op("<", v("n"), k(0)), c.Construct("c0", (), t), last)
        found = c.Match(v("o"), (c.Arm(f"c{count - 1}", (), v("n")),), k(-1))
        e = let("o", t, o, tup(v("o"), found, c.Equal(v("o"), last)))
        p = program([("n", I64)], e)
        assert compute(p, 5) == (count - 1, 5, True)
        assert compute(p, -5) == (0, -1, False)


@pytest.mark.slow
def test_arrays_with_an_empty_dimension_are_equal_whatever_is_inside():
    """As their elements are, of which there are none."""
    params = [("xs", arr(I32, "a", "b", "c")), ("ys", arr(I32, "d", "e", "f"))]
    p = program(params, c.Equal(v("xs"), v("ys")), sizes="a b c d e f", result=BOOL)
    for m, n, same in (
        *(((2, 0, 3), (2, 0, 5), True), ((2, 0, 3), (3, 0, 3), False)),
        *(((2, 1, 0), (2, 0, 0), False), ((2, 1, 3), (2, 1, 4), False)),
    ):
        args = (np.zeros(m, np.int32), np.zeros(n, np.int32))
        assert compute(p, *args) is same
        assert run_core(p, "main", args) == (same,)


def test_all_elements_are_compared():
    """One that was never given a value is noticed behind a difference."""
    one, two = (c.Update(c.Scratch(k(2), I64), dims(0), k(j)) for j in (1, 2))
    for e in (c.Equal(one, two), c.Equal(tup(k(1), one), tup(k(1), two))):
        p = program([], e, result=BOOL)
        for runs in (run_core, lambda p, *args: run(lowered(p), *args)):
            with pytest.raises(Trap, match="never given a value"):
                runs(p, "main", ())
    p = program([], c.Equal(tup(k(1), one), tup(k(2), two)), result=BOOL)
    assert run_core(p, "main", ()) == (False,)
    assert compute(p) is False


def test_arrays_of_units_have_the_length_of_the_others():
    """They have no parts, but are counted wherever several arrays go together."""
    units = c.Replicate(v("m"), tup())
    first = fn(("a", I32), ("u", c.UNIT), ("b", I32), ("w", c.UNIT), body=plus_and_unit())
    start = (k(0, I32), tup())
    zipped = c.Length(c.Zip((("a", v("xs")), ("b", units))))
    turned = c.Length(c.Zip((("a", units), ("b", v("xs")))))
    bare = c.Length(c.Zip((("a", units), ("b", c.Replicate(c.Length(v("xs")), tup())))))
    folded = c.Project(c.Reduce(first, start, (v("xs"), units)), "0")
    scanned = c.Length(c.Scan(first, start, (v("xs"), units)))
    places = fmap(fn(("x", I32), body=k(0)), v("xs"))
    dest = (c.Replicate(k(1), k(0, I32)), c.Replicate(k(1), tup()))
    counted = at(c.Project(c.Hist(first, start, dest, places, (v("xs"), units)), "0"), 0)
    for e, want in (
        *((zipped, 4), (turned, 4), (bare, 4)),
        *((folded, 10), (scanned, 4), (counted, 10)),
    ):
        p = program([*XS, ("m", I64)], e, sizes="n", result=I64 if want == 4 else I32)
        assert compute(p, FOUR, 4) == want
        assert run_core(p, "main", (FOUR, 4)) == (want,)
        for runs in (run_core, lambda p, *args: run(lowered(p), *args)):
            with pytest.raises(Trap, match=r"length|Cannot zip"):
                runs(p, "main", (FOUR, 3))


def plus_and_unit() -> Exp:
    return tup(add(v("a"), v("b")), v("u"))


def test_a_coercion_leaves_payloads_alone():
    """What a constructor states is about its own values, and an array may have none of them."""
    t, stated = (sum_type(a=(arr(I64, d),), b=()) for d in ("m", "k"))
    one = c.ArrayLit((c.Construct("a", (v("x"),), t), c.Construct("b", (), t)), t)
    coerced = c.Coerce(one, arr(stated, 2), "{} {}")
    p = program([("x", arr(I64, "m")), ("k", I64)], c.Length(coerced), sizes="m", result=I64)
    x = np.array([1, 2], np.int64)
    assert run_core(p, "main", (x, 3)) == (2,)
    assert compute(p, x, 3) == 2
    longer = c.Length(c.Coerce(one, arr(stated, 3), "{} {}"))
    q = program([("x", arr(I64, "m")), ("k", I64)], longer, sizes="m", result=I64)
    with pytest.raises(Trap):
        run(lowered(q), "main", (x, 2))


def test_a_slot_that_is_not_used_has_any_size():
    """The interpreter cannot know it, and zeros are as good as none."""
    t = sum_type(a=(arr(I64, "k"),), b=())
    e = c.If(v("c"), c.Construct("a", (iota(v("k")),), t), c.Construct("b", (), t))
    for both, rank in ((e, 1), (c.Replicate(k(2), e), 2)):
        result = t if rank == 1 else arr(t, 2)
        p = program([("k", I64), ("c", BOOL)], both, result=result)
        for args in ((3, True), (3, False)):
            want = run_parts(p, "main", args)
            for got in (run(lowered(p), "main", args), run_parts(flatten_data(p), "main", args)):
                assert differ(want, got) is None
        assert differ(run_parts(p, "main", (3, False)), run(lowered(p), "main", (3, True)))
        assert differ(run_parts(p, "main", (3, True)), run(lowered(p), "main", (2, True)))


def test_a_slot_that_is_not_used_has_no_negative_size():
    """A type may state one, as long as nothing is of that constructor."""
    for size in ("k", var(Name("k")) - 3, var(Name("k")) * 2 + 1):
        t = sum_type(a=(arr(I64, size, 2),), b=())
        made = c.Construct("a", (c.Scratch(k(0), arr(I64, 2)),), t)
        e = c.If(v("c"), made, c.Construct("b", (), t))
        found = c.Match(e, (c.Arm("a", (b("xs", arr(I64, None, 2)),), c.Length(v("xs"))),), k(7))
        p = program([("k", I64), ("c", BOOL)], found, result=I64)
        for number in (-1, 0, 1, 5):
            assert compute(p, number, False) == 7
            assert compute(p, number, True) == 0
            assert run_core(p, "main", (number, False)) == (7,)


def test_a_slot_has_the_size_of_an_array_that_is_there():
    """Which is no negative number, so nothing is computed, and both branches give one size."""
    t = sum_type(a=(arr(I32, "n"),), b=())
    e = c.If(v("c"), c.Construct("a", (v("xs"),), t), c.Construct("b", (), t))
    fun = lowered(program([*XS, ("c", BOOL)], e, sizes="n", result=t))
    assert "max" not in show(fun)
    assert not fun.entries[0].implicit_results
