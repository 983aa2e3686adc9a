"""Recursion as a loop with a stack: what it computes, how it traps, what is refused."""

from collections.abc import Sequence

import numpy as np
import pytest

from funmem.frontends.futhark.program import to_core
from funmem.interp import run
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.diagnostics import SourceError, Span
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, F32, I8, I64
from funmem.ir.sizes import const, var
from funmem.ir.text import show
from funmem.ir.text.read_core import parse_core
from funmem.ir.values import ArgValue
from funmem.passes.core import to_fun_by
from tests.support.core_judge import Call, judge, stages
from tests.support.core_programs import (
    add,
    arr,
    at,
    b,
    call,
    compute,
    define,
    fmap,
    fn,
    iota,
    k,
    let,
    loop_for,
    mul,
    op,
    program,
    tup,
    v,
)
from tests.support.core_samples import cond
from tests.support.core_sized import LESS, MORE, SIZED, sized
from tests.support.sampling import sampled

N = [("n", I64)]


def below(name: str = "f", by: int = 1) -> Exp:
    """``f (n - by)``."""
    return call(name, op("-", v("n"), k(by)))


def base(then: Exp, orelse: Exp) -> Exp:
    """What happens at 0, and above."""
    return cond(op("<=", v("n"), k(0)), then, orelse)


def recursive(body: Exp, result: Type = I64, *more: c.Def, main: Exp | None = None) -> CoreProgram:
    """``f n = body``, called by the entry point."""
    defs = (define("f", N, result, body), *more)
    return program(N, call("f", v("n")) if main is None else main, defs=defs, result=result)


def agrees(p: CoreProgram, *args: Sequence[ArgValue]) -> None:
    """The passes keep what the program means, at each of these arguments."""
    found = stages(p)
    assert found.refused is None
    assert list(judge(found, [Call("main", tuple(a)) for a in args])) == []


PROGRAMS = {
    "two calls": recursive(base(v("n"), add(below(), below(by=2)))),
    "a call of a call": recursive(
        base(k(1), call("f", op("-", cond(op("<", below(), k(3)), below(), k(2)), k(1))))
    ),
    "several results": recursive(
        base(
            tup(k(0), k(0.5, F32), k(True, BOOL)),
            c.Let(
                (b("a", I64), b("b", F32), b("c", BOOL)),
                below(),
                tup(
                    add(v("a"), v("n")),
                    op("*", v("b"), k(1.5, F32)),
                    op("!=", v("c"), op("==", op("%", v("n"), k(3)), k(0))),
                ),
            ),
        ),
        c.tuple_type(I64, F32, BOOL),
    ),
    "short circuit": recursive(
        base(
            k(True, BOOL),
            op(
                "||",
                op("&&", op("!=", op("%", v("n"), k(5)), k(4)), below()),
                op("==", v("n"), k(9)),
            ),
        ),
        BOOL,
    ),
    "a join": recursive(
        base(
            k(1),
            let(
                "r",
                I64,
                cond(op("==", op("%", v("n"), k(2)), k(0)), mul(below(), k(3)), add(v("n"), k(5))),
                add(v("r"), v("n")),
            ),
        )
    ),
    "an assertion after a call": recursive(
        base(
            k(0),
            let("r", I64, below(), c.Assert(op("<", v("n"), k(7)), "{}", (v("r"),), v("r"))),
        )
    ),
    "a division after a call": recursive(
        base(k(5), let("r", I64, below(), op("/", k(100), op("-", v("r"), v("n")))))
    ),
    "calls each other": recursive(
        base(k(1), add(v("n"), call("g", op("-", v("n"), k(1)), c.Convert(I8, v("n"))))),
        I64,
        define(
            "g",
            [("n", I64), ("m", I8)],
            I64,
            base(c.Convert(I64, v("m")), mul(k(3), below())),
        ),
    ),
    "another recursion inside": recursive(
        base(k(0), add(call("g", v("n")), below())),
        I64,
        define("g", N, I64, base(k(1), add(k(2), below("g")))),
    ),
    "in a map": recursive(
        base(k(0), add(k(1), below(by=3))),
        I64,
        main=c.Reduce(
            fn(("a", I64), ("b", I64), body=add(mul(v("a"), k(7)), v("b"))),
            (k(0),),
            (fmap(fn(("i", I64), body=call("f", v("i"))), iota(v("n"))),),
        ),
    ),
    "a loop that calls nothing": recursive(
        base(
            k(1),
            add(below(), loop_for([("a", I64, k(0))], "i", v("n"), add(v("a"), v("i")))),
        )
    ),
}


@pytest.mark.parametrize("p", sampled(PROGRAMS.values(), 9), ids=PROGRAMS)
def test_computes(p: CoreProgram) -> None:
    agrees(p, *((n,) for n in (0, 1, 2, 3, 8, 10)))


@pytest.mark.parametrize("n", [31, 32, 33, 63, 64, 65, 200, 1000])
def test_the_stack_grows(n: int) -> None:
    p = recursive(base(k(0), add(v("n"), below())))
    assert run(to_fun_by(p), "main", (n,)) == (n * (n + 1) // 2,)


@pytest.mark.exhaustive
def test_on_all_interpreters() -> None:
    for name in ("several results", "calls each other"):
        p = PROGRAMS[name]
        flat = dict(stages(p).core)["recursion"]
        compute(flat, 7)


def test_array_parameters_stay() -> None:
    search = define(
        "f",
        [("xs", arr(I64, None)), ("n", I64)],
        I64,
        base(
            k(0), add(at(v("xs"), op("-", v("n"), k(1))), call("f", v("xs"), op("-", v("n"), k(1))))
        ),
    )
    p = program(
        [("xs", arr(I64, "m")), *N],
        call("f", v("xs"), v("n")),
        sizes="m",
        defs=(search,),
        result=I64,
    )
    agrees(p, (np.arange(50), 50), (np.arange(3), 4), (np.array([], np.int64), 0))


def test_a_program() -> None:
    text = """
    def hanoi (n: i64) (from: i64) (to: i64) : (i64, i64) =
      if n == 0 then (0, 0)
      else let via = 3 - from - to
           let (a, x) = hanoi (n - 1) from via
           let (b, y) = hanoi (n - 1) via to
           in (a + b + 1, 31 * (31 * x + y) + 3 * from + to)
    entry main (n: i64) = hanoi n 0 2
    """
    p = to_core(text, "hanoi.fut")
    agrees(p, (0,), (1,), (6,))


# ---------------------------------------------------------------------- results with sizes


@pytest.mark.parametrize("p", SIZED.values(), ids=SIZED)
def test_tail_calls_that_give_arrays(p: CoreProgram) -> None:
    """Sizes that differ are noticed, as they were."""
    agrees(p, (0,), (2,), (3,))


@pytest.mark.parametrize(
    "p",
    [
        sized((MORE, add(v("k"), k(0)), LESS), var("k")),
        sized((MORE, v("k"), LESS), var("n") + const(1)),
    ],
)
def test_sizes_that_calls_may_change(p: CoreProgram) -> None:
    """The arrays are in registers, and their sizes are checked after each call."""
    agrees(p, (0,), (2,), (3,))


def test_sizes_of_a_matrix_that_two_arrays_have() -> None:
    """Without rows nobody has looked how long they would be."""
    text = """
    def f [n] [m] (xs: [n]i64) (ys: [m]i64) (i: i64) : [n][m]i64 =
      if i == 0 then map (\\x -> map (+ x) ys) xs else f xs (map (+ i) ys) (i - 1)
    entry main (xs: []i64) (i: i64) = f xs xs i
    """
    agrees(to_core(text, "f.fut"), (np.arange(3), 2), (np.arange(3), 0))


def test_what_the_checker_has_proved_is_not_checked() -> None:
    text = """
    def f [n] (xs: [n]i64) (i: i64) : [n]i64 =
      if i == 0 then xs else f (map (+ i) xs) (i - 1)
    entry main (xs: []i64) (i: i64) = f xs i
    """
    assert "assert" not in show(to_fun_by(to_core(text, "f.fut")))


# ---------------------------------------------------------------------- arrays in registers

ARRAYS = [("xs", arr(I64, None)), *N]

THREADED = {
    "an array that grows": """
        def f : i64 -> []i64 =
          \\(n : i64) -> if n <= 0 then iota 1 0 1 else concat (@f (n - 1)) (iota n 0 1)
        entry main (n : i64) : []i64 = @f n
    """,
    "an array that changes": """
        def f : []i64 -> i64 -> i64 =
          \\(xs : []i64) (n : i64) -> if n <= 0 then xs[0] else n + (@f (reverse xs) (n - 1))
        entry main (n : i64) : i64 = @f (iota 5 0 1) n
    """,
    "two arrays of one type that each call takes and returns": """
        def f : []i64 -> []i64 -> i64 -> (i64, []i64, []i64) =
          \\(xs : []i64) (ys : []i64) (n : i64) ->
            if n <= 0 then (1, xs, ys)
            else
              let (a : i64) (xs1 : []i64) (ys1 : []i64) = @f xs ys (n - 1)
              let (b : i64) (xs2 : []i64) (ys2 : []i64) =
                if a > 2 then
                  let (ys3 : []i64) = update [0] ys1 a
                  let (p : i64) (xs4 : []i64) (ys4 : []i64) = @f xs1 ys3 (n - 2)
                  in (p, xs4, ys4)
                else (a, xs1, ys1)
              let (xs5 : []i64) = update [n] xs2 (a + b)
              in (a + b, xs5, ys2)
        entry main (n : i64) : (i64, []i64, []i64) =
          let (xs : []i64) = iota 9 0 1
          let (ys : []i64) = iota 3 0 1
          in @f xs ys n
    """,
}


KEPT = {
    "an array made before a call": """
        def f : i64 -> i64 =
          \\(n : i64) -> if n <= 0 then 0 else
            let (ys : []i64) = iota n n 3
            let (r : i64) = @f (n - 1)
            in r + ys[n - 1]
        entry main (n : i64) : i64 = @f n
    """,
    "two types, and a call in a branch": """
        def f : []i64 -> []bool -> i64 -> (i64, []bool) =
          \\(xs : []i64) (bs : []bool) (n : i64) -> if n <= 0 then (xs[0], bs) else
            let (r : i64) (cs : []bool) =
              if bs[0] then @f (map (\\(x : i64) -> x * n) (xs)) bs (n - 1) else (n, bs)
            let (q : i64) (ds : []bool) = @f xs (map (\\(b : bool) -> n == 4) (cs)) (n - 2)
            in (r + 3 * q + xs[1], ds)
        entry main (n : i64) : (i64, []bool) = @f (iota 3 1 1) (replicate 2 true) n
    """,
    "mutual recursion": """
        def f : []i64 -> i64 -> i64 =
          \\(xs : []i64) (n : i64) -> if n <= 0 then 1 else
            let (r : i64) = @g (reverse xs) (n - 1)
            in r + 2 * xs[0]
        def g : []i64 -> i64 -> i64 =
          \\(ys : []i64) (n : i64) -> if n <= 0 then 2 else
            let (r : i64) = @f (map (\\(y : i64) -> y + n) (ys)) (n - 1)
            in 3 * r + ys[0]
        entry main (n : i64) : i64 = @f (iota 4 0 1) n
    """,
}


OWN = {
    "map": "let (rs : []i64) = map (\\(j : i64) -> j * (@f j)) (iota n 0 1) in rs[n - 1] + 1",
    "map of two": """
            let (is : []i64) = iota n 0 1
            let (rs : []i64) = map (\\(i : i64) (j : i64) -> i + (@f j)) (is, is) in rs[n - 1]""",
    "reduce": """
            let (r : i64) = reduce (\\(a : i64) (j : i64) -> a + (@f j)) (1) (iota n 0 1) in r""",
    "scan": """
            let (rs : []i64) = scan (\\(a : i64) (j : i64) -> a + (@f j)) (1) (iota n 0 1)
            in rs[n - 1] - rs[0]""",
    "filter": """
            let (xs : []i64) = iota n 0 1
            let (rs : []i64) = filter (\\(j : i64) -> (@f j) > 2) xs in 2 + (size 0 rs)""",
    "loop": """
            let (a : i64) (b : i64) = loop (a : i64) = 1, (b : i64) = n for i < n do
              let (r : i64) = @f i in (a + b, r)
            in a""",
    "while": """
            let (a : i64) (b : i64) = loop (a : i64) = 1, (b : i64) = n while b > 0 do
              let (r : i64) = @f (b - 1) in (a + r, b - 1)
            in a""",
}


@pytest.mark.parametrize("body", sampled(list(OWN.values()), 6, 2))
def test_calls_in_own_loops_and_operations(body: str) -> None:
    text = f"""
        def f : i64 -> i64 = \\(n : i64) -> if n <= 0 then 1 else {body}
        entry main (n : i64) : i64 = @f n
    """
    agrees(parse_core(text), (0,), (1,), (4,))


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_arrays_that_are_kept_during_a_call(text: str) -> None:
    agrees(parse_core(text), (0,), (1,), (6,))


@pytest.mark.parametrize("text", THREADED.values(), ids=THREADED)
def test_arrays_that_calls_pass_along(text: str) -> None:
    agrees(parse_core(text), (0,), (1,), (6,))


def test_arrays_that_calls_pass_along_stay_in_their_registers() -> None:
    """In another register an array would be copied at every step."""
    text = THREADED["two arrays of one type that each call takes and returns"]
    assert "copy" not in show(to_fun_by(parse_core(text)))


# ---------------------------------------------------------------------- refused

ROWS = c.Map(fn(("q", I64), body=c.Replicate(k(2), call("f", v("q")))), (iota(v("n")),))
REFUSED = {
    "recursion inside an array operation, a loop or an operand": recursive(
        base(k(0), c.Length(c.Rearrange((1, 0), ROWS)))
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    with pytest.raises(SourceError) as caught:
        to_fun_by(REFUSED[what])
    assert caught.value.diagnostic.message == f"not supported: {what}"
    assert caught.value.diagnostic.hint


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_has_a_place(what: str) -> None:
    """That of the definition, if there is no other."""
    p = REFUSED[what]
    place = Span("f.fut", 3, 1, 5)
    with pytest.raises(SourceError) as caught:
        to_fun_by(evolve(p, defs=tuple(evolve(d, at=place) for d in p.defs)))
    assert caught.value.diagnostic.at == place


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("1 + f (map (+ 1) xs) (i - 1)", ""),
        ("f xs (i - 1) + (map (+ i) xs)[0]", ""),
        ("let ys = iota i in f xs (i - 1) + ys[0]", ""),
        ("reduce (+) 0 (map (\\k -> f xs k) (iota i))", ""),
    ],
)
def test_refusals_name_what_the_source_names(body: str, what: str) -> None:
    """Other definitions have the same names, so that these get numbers."""
    text = f"""
    def g [n] (xs: [n]i64) (i: i64) : i64 = let ys = map (+ i) xs in ys[0]
    def f [n] (xs: [n]i64) (i: i64) : i64 = if i == 0 then g xs i else {body}
    entry main (xs: []i64) (i: i64) : i64 = g xs i + f xs i
    """
    if not what:
        agrees(to_core(text, "f.fut"), ([3], 4))
        return
    with pytest.raises(SourceError) as caught:
        to_fun_by(to_core(text, "f.fut"))
    d = caught.value.diagnostic
    assert d.message.startswith(f"not supported: {what}")
    assert d.at.line == 3
