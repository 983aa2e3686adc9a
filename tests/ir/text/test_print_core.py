"""Core as text."""

from textwrap import dedent

import pytest

from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F32, I32, I64, UnOp
from funmem.ir.text.print_core import show_core
from tests.support.command_line import say
from tests.support.core_programs import (
    TRUE,
    add,
    arr,
    at,
    b,
    call,
    define,
    dims,
    fields,
    fmap,
    fn,
    iota,
    k,
    let,
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

OPTION = sum_type(none=(), some=(I32, arr(I32, None)))


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (arr(I32, "n", None, 3), "[n][][3]i32"),
        (rec(x=I32, y=F32), "{x : i32, y : f32}"),
        (c.tuple_type(I32, BOOL), "(i32, bool)"),
        (c.UNIT, "()"),
        (OPTION, "#none | #some i32 []i32"),
        (arr(OPTION, None), "[](#none | #some i32 []i32)"),
        (c.Data(Name("tree"), (I32, arr(c.TypeVar(Name("a")), None))), "tree i32 []'a"),
        (c.Arrow(I32, c.Arrow(c.Arrow(I32, I32), BOOL)), "i32 -> (i32 -> i32) -> bool"),
    ],
)
def test_types(t, text):
    assert show_core(t) == text


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (mul(add(v("x"), k(1)), v("y")), "(x + 1) * y"),
        (op("min", v("x"), v("y")), "min(x, y)"),
        (
            fmap(plus(), v("xs"), iota(v("n"))),
            r"map (\(a : i32) (b : i32) -> a + b) (xs, iota n 0 1)",
        ),
        (at(v("xs"), 1, span(None, 5, -1), span()), "xs[1, :5:-1, :]"),
        (c.Update(v("xs"), dims(0), k(2)), "update [0] xs 2"),
        (c.Project(fields(a=k(1), b=tup()), "a"), "{a = 1, b = ()}.a"),
        (c.Construct("none", (), c.Data(Name("t"))), "#none : t"),
        (
            c.Construct("some", (k(1), v("xs")), OPTION),
            "#some 1 xs : (#none | #some i32 []i32)",
        ),
        (call("f", k(1), add(v("x"), k(2))), "@f 1 (x + 2)"),
        (c.App(v("f"), (k(-1), op("-", v("x"), k(-1)))), "f (-1) (x - -1)"),
        (op("||", c.If(TRUE, TRUE, TRUE), TRUE), "(if true then true else true) || true"),
        (c.Un(UnOp.NEG, k(5)), "-(5)"),
        (c.Un(UnOp.NEG, c.Un(UnOp.NEG, v("x"))), "- -x"),
        (at(c.Global(Name("t"), ()), 0), "(@t)[0]"),
        (at(c.Global(Name("t"), (I32,)), 0), "@t[i32][0]"),
        (c.Fields((("0", k(1)),)), "(1,)"),
        (fmap(v("map"), v("2")), "map `map` (`2`)"),
        (c.If(TRUE, k(1), k(2)), "if true then 1 else 2"),
        (
            c.Reduce(plus(), (k(0, I32),), (v("xs"),), True),
            r"reduce comm (\(a : i32) (b : i32) -> a + b) (0i32) (xs)",
        ),
        (c.Global(Name("id"), (I32,)), "@id[i32]"),
    ],
)
def test_expressions(e, text):
    assert show_core(e) == text


def test_programs():
    half = define("half", [("x", I64)], I64, op("/", v("x"), k(2)))
    body = let(
        "ys",
        arr(I64, None),
        loop_for([("a", arr(I64, "n"), v("xs"))], "i", k(2), c.Reverse(v("a"))),
        c.Assert(op("<", k(0), v("n")), "empty: {}", (v("n"),), call("half", at(v("ys"), 0))),
    )
    p = program([("xs", arr(I64, "n"))], body, sizes="n", defs=[half], unique="xs", result=I64)
    assert (
        show_core(p)
        == dedent(
            r"""
        def half : i64 -> i64 =
          \(x : i64) -> x / 2

        entry main [n] (xs : *[n]i64) : i64 =
          let (ys : []i64) =
            loop
              (a : [n]i64) = xs
            for i < 2 do
              reverse a
          assert 0 < n "empty: {}" (n)
          in @half ys[0]
        """
        ).lstrip()
    )


def test_control():
    arms = (
        c.Arm("some", (b("x", I32), b("ys", arr(I32, None))), v("x")),
        c.Arm("none", (), k(0, I32)),
    )
    e = loop_while(
        [("x", I32, c.Match(v("o"), arms, k(7, I32)))], op("<", v("x"), k(9, I32)), v("x")
    )
    assert (
        show_core(e)
        == dedent(
            """
        loop
          (x : i32) =
            match o {
              #some (x : i32) (ys : []i32) -> x;
              #none -> 0i32;
              _ -> 7i32;
            }
        while x < 9i32 do
          x
        """
        ).strip()
    )
    f = fn(("x", I32), body=c.Assert(v("c"), "no", (), v("x")))
    assert (
        show_core(fmap(f, v("xs")))
        == 'map\n  (\\(x : i32) ->\n     assert c "no"\n     in x)\n  (xs)'
    )


def test_a_long_chain_is_no_deep_one():
    e: c.Exp = v("x3000")
    for j in reversed(range(3000)):
        e = let(f"x{j + 1}", I32, add(v(f"x{j}"), k(1, I32)), e)
    assert len(show_core(e).splitlines()) == 3001


def test_core_is_printed_as_far_as_the_passes_go(tmp_path):
    """A program that cannot become FUN has Core all the same; only what is missing is an error."""
    path = tmp_path / "inside.fut"
    path.write_text(
        "def f (n: i64) : i64 =\n"
        "  if n == 0 then 1 else length (transpose (map (\\q -> replicate 2 (f q)) (iota n)))\n"
        "entry main (n: i64) : i64 = f n\n"
    )
    for options in ("", " --after flatten-data"):
        said = say(f"funmem core {path}{options}")
        assert (said.code, said.err) == (0, "")
        assert "entry main" in said.out
    said = say(f"funmem core {path} --all")
    assert said.code == 1
    assert "-- flatten-data" in said.out
    assert "not-supported" in said.err
    said = say(f"funmem core {path} --after recursion")
    assert (said.code, said.out) == (1, "")
    assert "not-supported" in said.err
