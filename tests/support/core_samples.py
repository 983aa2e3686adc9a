r"""Core programs that no Futhark program becomes: for the interpreter, the checker and the passes.

Polymorphic and higher-order definitions, closures, ``mu``, recursive data, irregular arrays.  Each
comes with calls; SAMPLES names them.
"""

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type, arrow
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F32, I32, I64, UnOp
from funmem.ir.text.read_core import parse_core
from funmem.ir.values import ArgValue
from tests.support.core_judge import Call
from tests.support.core_programs import (
    add,
    arr,
    at,
    b,
    call,
    define,
    fields,
    fmap,
    fn,
    i32s,
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
from tests.support.core_sized import SIZED


@frozen
class Sample:
    """A program and its calls; ``fun``: whether all of it can become FUN."""

    program: CoreProgram
    calls: tuple[Call, ...]
    fun: bool = True


A, B, C = (c.TypeVar(Name(x)) for x in "abc")


def poly(name: str, tparams: str, t: Type, exp: Exp) -> c.Def:
    """``def name 'a … : t = exp``."""
    return c.Def(Name(name), tuple(map(Name, tparams.split())), t, exp)


def the(name: str, *types: Type) -> c.Global:
    """``name[t…]``."""
    return c.Global(Name(name), types)


def app(f: Exp, *args: Exp) -> c.App:
    """``f e …``."""
    return c.App(f, args)


def mu(name: str, t: Type, f: c.Lambda) -> c.Mu:
    """``mu (name : t) f``."""
    return c.Mu(b(name, t), f)


def cond(x: Exp, then: Exp, orelse: Exp) -> c.If:
    """``if``."""
    return c.If(x, then, orelse)


def arm(name: str, *binders: tuple[str, Type], body: Exp) -> c.Arm:
    """``#name x … -> body``."""
    return c.Arm(name, tuple(b(x, t) for x, t in binders), body)


def sample(p: CoreProgram, *calls: Sequence[ArgValue], fun: bool = True) -> Sample:
    """A sample whose calls are those of ``main``."""
    return Sample(p, tuple(Call("main", tuple(args)) for args in calls), fun)


XS: list[tuple[str, Type]] = [("xs", arr(I32, "n"))]
FOUR, NONE = i32s(3, 1, -4, 5), i32s()

# ---------------------------------------------------------------------- polymorphic

TWICE = poly(
    *("twice", "a", arrow([c.Arrow(A, A), A], A)),
    fn(("f", c.Arrow(A, A)), ("x", A), body=app(v("f"), app(v("f"), v("x")))),
)
COMPOSE = poly(
    *("compose", "a b c", arrow([c.Arrow(B, C), c.Arrow(A, B), A], C)),
    fn(
        *(("g", c.Arrow(B, C)), ("f", c.Arrow(A, B)), ("x", A)),
        body=app(v("g"), app(v("f"), v("x"))),
    ),
)
PAIR = poly(
    *("pair", "a b", arrow([A, B], c.tuple_type(A, B))),
    fn(("x", A), ("y", B), body=tup(v("x"), v("y"))),
)
REPEAT = poly(
    *("repeat", "a", arrow([I64, A], arr(A, None))),
    fn(("n", I64), ("x", A), body=c.Replicate(v("n"), v("x"))),
)
PAIR_TYPE = c.tuple_type(I32, BOOL)

POLYMORPHIC = sample(
    program(
        XS,
        lets(
            ("inc", c.Arrow(I32, I32), fn(("y", I32), body=add(v("y"), k(1, I32)))),
            ("flip", c.Arrow(BOOL, BOOL), fn(("q", BOOL), body=c.Un(UnOp("!"), v("q")))),
            ("p", PAIR_TYPE, app(the("pair", I32, BOOL), at(v("xs"), 0), k(True, BOOL))),
            body=tup(
                app(the("twice", I32), v("inc"), c.Project(v("p"), "0")),
                app(the("twice", BOOL), v("flip"), c.Project(v("p"), "1")),
                fmap(app(the("compose", I32, I32, I32), v("inc"), v("inc")), v("xs")),
                c.Length(app(the("repeat", arr(I32, None)), k(3), v("xs")), 0),
            ),
        ),
        sizes="n",
        defs=(TWICE, COMPOSE, PAIR, REPEAT),
        result=c.tuple_type(I32, BOOL, arr(I32, "n"), I64),
    ),
    *((FOUR,), (NONE,)),
)
"""The same definitions at several types; the empty array traps at once."""

# ---------------------------------------------------------------------- higher order

ARITH = rec(neg=c.Arrow(I32, I32), mix=arrow([I32, I32], I32))

CLOSURES = sample(
    program(
        [("x", I32), ("y", I32)],
        lets(
            ("x1", I32, add(v("x"), k(1, I32))),
            (
                *("ops", ARITH),
                fields(
                    neg=fn(("z", I32), body=op("-", v("y"), v("z"))),
                    mix=fn(("p", I32), ("q", I32), body=add(mul(v("p"), v("x1")), v("q"))),
                ),
            ),
            ("by_ten", c.Arrow(I32, I32), app(c.Project(v("ops"), "mix"), k(10, I32))),
            ("x1", I32, k(1000, I32)),
            body=tup(
                app(v("by_ten"), v("x1")),
                app(c.Project(v("ops"), "neg"), v("x1")),
                fmap(
                    v("by_ten"),
                    fmap(
                        fn(("i", I64), body=c.Convert(I32, v("i"))),
                        iota(k(4)),
                    ),
                ),
            ),
        ),
        result=c.tuple_type(I32, I32, arr(I32, None)),
    ),
    *((3, 4), (-1, 7)),
)
"""Functions in records, partial application; a captured name is shadowed before the call."""

MINUS = poly(
    *("minus", "", arrow([I32], c.Arrow(I32, I32))),
    fn(("n", I32), body=fn(("m", I32), body=op("-", v("n"), v("m")))),
)
FOLD = poly(
    *("fold", "a b", arrow([arrow([B, A], B), B, arr(A, None)], B)),
    fn(
        *(("f", arrow([B, A], B)), ("z", B), ("as", arr(A, None))),
        body=loop_for(
            [("acc", B, v("z"))],
            "i",
            c.Length(v("as")),
            app(v("f"), v("acc"), c.Index(v("as"), (c.Fix(v("i")),))),
        ),
    ),
)
HIGHER = sample(
    program(
        [*XS, ("d", I32)],
        lets(
            ("shift", c.Arrow(I32, I32), app(the("minus"), op("/", k(60, I32), v("d")))),
            ("ys", arr(I32, None), fmap(v("shift"), v("xs"))),
            body=tup(
                app(the("fold", I32, I32), plus(), k(0, I32), v("ys")),
                app(
                    the("fold", I32, I64),
                    fn(
                        ("n", I64),
                        ("e", I32),
                        body=op("+", v("n"), c.Convert(I64, app(v("shift"), v("e")))),
                    ),
                    k(0),
                    v("xs"),
                ),
                app(the("minus"), k(1, I32), k(2, I32)),
            ),
        ),
        sizes="n",
        defs=(MINUS, FOLD),
        result=c.tuple_type(I32, I64, I32),
    ),
    *((FOUR, 7), (NONE, 2), (NONE, 0)),
)
"""A division by zero that happens where the function is made, although it is never called."""

STRICT = sample(
    program(
        [("x", I64), ("y", I64)],
        lets(
            ("x", I64, mul(v("x"), k(2))),
            ("second", arrow([I64, I64], I64), fn(("a", I64), ("b", I64), body=v("b"))),
            ("x", I64, add(v("x"), k(1))),
            ("z", I64, app(v("second"), op("/", k(10), v("y")), v("x"))),
            body=app(v("second"), op("**", k(2), v("y")), v("z")),
        ),
        result=I64,
    ),
    *((3, 1), (3, 0), (3, -1)),
)
"""Arguments that are not needed are evaluated; a name is bound three times."""

# ---------------------------------------------------------------------- records, sums

SHAPE = sum_type(dot=(), circle=(F32,), named=(I32, F32))


def area(x: Exp) -> c.Match:
    """What a shape comes to."""
    return c.Match(
        x,
        (
            arm("circle", ("r", F32), body=op("*", v("r"), v("r"))),
            arm("named", ("id", I32), ("w", F32), body=add(v("w"), c.Convert(F32, v("id")))),
        ),
        k(0.5, F32),
    )


SUMS = sample(
    program(
        XS,
        let(
            "shapes",
            arr(SHAPE, None),
            fmap(
                fn(
                    ("x", I32),
                    body=cond(
                        op("<", v("x"), k(0, I32)),
                        c.Construct("dot", (), SHAPE),
                        cond(
                            op("==", op("%", v("x"), k(2, I32)), k(0, I32)),
                            c.Construct("circle", (c.Convert(F32, v("x")),), SHAPE),
                            c.Construct("named", (v("x"), k(0.25, F32)), SHAPE),
                        ),
                    ),
                ),
                v("xs"),
            ),
            tup(
                fmap(fn(("s", SHAPE), body=area(v("s"))), v("shapes")),
                v("shapes"),
                c.Equal(v("shapes"), c.Reverse(v("shapes"))),
                c.Equal(v("shapes"), v("shapes")),
            ),
        ),
        sizes="n",
        result=c.tuple_type(arr(F32, "n"), arr(SHAPE, "n"), BOOL, BOOL),
    ),
    *((FOUR,), (i32s(2, 2),), (NONE,)),
)

POINT = rec(x=I32, y=F32)
RECORDS = sample(
    program(
        [("ps", arr(POINT, "n"))],
        lets(
            ("parts", rec(x=arr(I32, "n"), y=arr(F32, "n")), c.Unzip(v("ps"))),
            (
                *("far", arr(POINT, None)),
                c.Filter(
                    fn(("p", POINT), body=op(">", c.Project(v("p"), "x"), k(1, I32))), v("ps")
                ),
            ),
            body=tup(
                c.Zip((("p", c.Project(v("parts"), "x")), ("q", c.Project(v("parts"), "y")))),
                v("far"),
                c.Reduce(
                    fn(
                        *(("p", POINT), ("q", POINT)),
                        body=fields(
                            x=add(c.Project(v("p"), "x"), c.Project(v("q"), "x")),
                            y=op("max", c.Project(v("p"), "y"), c.Project(v("q"), "y")),
                        ),
                    ),
                    (fields(x=k(0, I32), y=k(-9.0, F32)),),
                    (v("ps"),),
                ),
            ),
        ),
        sizes="n",
        result=c.tuple_type(arr(rec(p=I32, q=F32), "n"), arr(POINT, None), POINT),
    ),
    (FOUR, np.array([1.5, 2.5, -1, 0], np.float32)),
    (NONE, np.array([], np.float32)),
)

# ---------------------------------------------------------------------- recursion

UNARY = c.Arrow(I64, I64)

POWER = sample(
    program(
        [("n", I64), ("i", I64), ("xs", arr(I64, "m"))],
        lets(
            (
                *("pow", UNARY),
                mu(
                    *("pow", UNARY),
                    fn(
                        ("i", I64),
                        body=cond(
                            op("<=", v("i"), k(0)),
                            v("n"),
                            app(v("pow"), op("-", v("i"), c.Length(v("xs")))),
                        ),
                    ),
                ),
            ),
            ("n", I64, k(-1)),
            body=tup(
                app(v("pow"), v("i")),
                fmap(v("pow"), v("xs")),
                app(
                    mu(
                        *("gcd", arrow([I64, I64], I64)),
                        fn(
                            *(("a", I64), ("b", I64)),
                            body=cond(
                                op("==", v("b"), k(0)),
                                v("a"),
                                app(v("gcd"), v("b"), op("%", v("a"), v("b"))),
                            ),
                        ),
                    ),
                    k(48),
                    v("i"),
                ),
            ),
        ),
        sizes="m",
        result=c.tuple_type(I64, arr(I64, "m"), I64),
    ),
    *((5, 18, np.array([3, 1, 2])), (5, 0, np.array([], np.int64))),
)
"""Tail recursion with captured numbers and arrays; a captured name is shadowed afterwards."""

NESTED = sample(
    program(
        [("base", I64), ("top", I64)],
        app(
            mu(
                *("outer", arrow([I64, I64], I64)),
                fn(
                    *(("n", I64), ("acc", I64)),
                    body=cond(
                        op("<=", v("n"), k(0)),
                        add(v("acc"), v("base")),
                        let(
                            "inner",
                            arrow([I64, I64], I64),
                            mu(
                                *("inner", arrow([I64, I64], I64)),
                                fn(
                                    *(("j", I64), ("acc", I64)),
                                    body=cond(
                                        op("<=", v("j"), k(0)),
                                        v("acc"),
                                        app(
                                            v("inner"),
                                            op("-", v("j"), k(1)),
                                            add(v("acc"), mul(v("base"), v("n"))),
                                        ),
                                    ),
                                ),
                            ),
                            app(
                                v("outer"),
                                op("-", v("n"), k(1)),
                                app(v("inner"), v("n"), v("acc")),
                            ),
                        ),
                    ),
                ),
            ),
            v("top"),
            k(0),
        ),
        result=I64,
    ),
    *((2, 3), (7, 0)),
)
"""A mu in a mu, which captures what the outer one captured and a parameter of it."""


def stepped(o: str) -> c.Mu:
    """From i down in steps of d; then ``n ⊕ i``."""
    again = app(v("f"), op("-", v("i"), v("d")))
    body = cond(op("<=", v("i"), k(0)), op(o, v("n"), v("i")), again)
    return mu("f", UNARY, fn(("i", I64), body=body))


TWINS = sample(
    program(
        [("n", I64), ("d", I64)],
        tup(app(stepped("+"), k(7)), app(the("g"), v("n"), v("d"))),
        defs=(
            poly(
                *("g", "", arrow([I64, I64], I64)),
                fn(("n", I64), ("d", I64), body=app(stepped("*"), k(7))),
            ),
        ),
        result=c.tuple_type(I64, I64),
    ),
    *((5, 3), (2, 4)),
)
"""Two functions of one name."""

EVEN_ODD = sample(
    program(
        [("n", I64)],
        app(
            mu(
                *("even", c.Arrow(I64, BOOL)),
                fn(
                    ("n", I64),
                    body=cond(
                        op("==", v("n"), k(0)),
                        k(True, BOOL),
                        app(
                            mu(
                                *("odd", c.Arrow(I64, BOOL)),
                                fn(
                                    ("m", I64),
                                    body=cond(
                                        op("==", v("m"), k(0)),
                                        k(False, BOOL),
                                        app(v("even"), op("-", v("m"), k(1))),
                                    ),
                                ),
                            ),
                            op("-", v("n"), k(1)),
                        ),
                    ),
                ),
            ),
            v("n"),
        ),
        result=BOOL,
    ),
    *((0,), (1,), (10,), (13,)),
)
"""The inner mu calls the outer one: two definitions that call each other."""


def _below(name: str, other: str, more: Exp) -> c.Def:
    """``name n = if n <= 0 then 0 else more + other (n - 1)``."""
    rest = add(more, call(other, op("-", v("n"), k(1))))
    return define(name, [("n", I64)], I64, cond(op("<=", v("n"), k(0)), k(0), rest))


FACTORIAL = sample(
    program(
        [("n", I64), ("m", I64)],
        fmap(
            fn(
                ("i", I64),
                body=app(
                    mu(
                        *("f", UNARY),
                        fn(
                            ("x", I64),
                            body=cond(
                                op("<=", v("x"), k(1)),
                                v("m"),
                                mul(v("x"), app(v("f"), op("-", v("x"), k(1)))),
                            ),
                        ),
                    ),
                    v("i"),
                ),
            ),
            iota(v("n")),
        ),
        result=arr(I64, None),
    ),
    *((6, 1), (0, 3)),
)
"""A call that is not the last thing done, in a map, with a captured number."""

NAMES = sample(
    program(
        [("n", I64)],
        lets(
            ("n", I64, add(v("n"), call("count", k(2)))),
            ("n", I64, mul(v("n"), call("even", k(3)))),
            body=add(v("n"), call("odd", v("n"))),
        ),
        defs=(
            _below("count", "count", k(1)),
            _below("even", "odd", call("twice", v("n"))),
            _below("odd", "even", v("n")),
            define(
                "twice", [("n", I64)], I64, let("n", I64, add(v("n"), k(5)), add(v("n"), v("n")))
            ),
        ),
        result=I64,
    ),
    (0,),
    (1,),
    (-3,),
)
"""Recursive definitions whose names are those of what calls them, and of what they call."""

OPT = c.DataDef(Name("Opt"), (Name("a"),), c.Sum((("none", ()), ("some", (A,)))))


def _opt(t: Type) -> c.Data:
    return c.Data(Name("Opt"), (t,))


OPTIONAL = sample(
    program(
        [("o", _opt(_opt(I64)))],
        c.Match(
            v("o"),
            (
                arm(
                    "some",
                    ("p", _opt(I64)),
                    body=c.Match(v("p"), (arm("some", ("z", I64), body=v("z")),), k(-1)),
                ),
            ),
            k(-2),
        ),
        result=I64,
        data=(OPT,),
    ),
    *((0, 0, 5), (1, 0, 5), (1, 1, 5)),
)
"""A data type at a type, and at itself, as a parameter: a tag, a tag, and a number."""

LIST = c.DataDef(
    Name("List"),
    (Name("a"),),
    c.Sum((("nil", ()), ("cons", (A, c.Data(Name("List"), (A,)))))),
)


def list_of(t: Type) -> c.Data:
    """``List t``."""
    return c.Data(Name("List"), (t,))


FROM = poly(
    *("from_array", "a", c.Arrow(arr(A, None), list_of(A))),
    fn(
        ("as", arr(A, None)),
        body=loop_for(
            [("l", list_of(A), c.Construct("nil", (), list_of(A)))],
            "i",
            c.Length(v("as")),
            c.Construct("cons", (c.Index(v("as"), (c.Fix(v("i")),)), v("l")), list_of(A)),
        ),
    ),
)
SIZE = poly(
    *("length", "a", c.Arrow(list_of(A), I64)),
    fn(
        ("l", list_of(A)),
        body=c.Match(
            v("l"),
            (
                arm("nil", body=k(0)),
                arm(
                    *("cons", ("h", A), ("t", list_of(A))),
                    body=add(k(1), app(the("length", A), v("t"))),
                ),
            ),
        ),
    ),
)
SUM = poly(
    *("sum", "", arrow([list_of(I32), I32], I32)),
    fn(
        *(("l", list_of(I32)), ("acc", I32)),
        body=c.Match(
            v("l"),
            (
                arm(
                    *("cons", ("h", I32), ("t", list_of(I32))),
                    body=app(the("sum"), v("t"), add(v("acc"), v("h"))),
                ),
            ),
            v("acc"),
        ),
    ),
)
LISTS = sample(
    program(
        XS,
        lets(
            ("l", list_of(I32), app(the("from_array", I32), v("xs"))),
            ("m", list_of(BOOL), app(the("from_array", BOOL), c.Replicate(k(2), k(True, BOOL)))),
            body=tup(
                app(the("length", I32), v("l")),
                app(the("length", BOOL), v("m")),
                app(the("sum"), v("l"), k(0, I32)),
                c.Equal(v("l"), app(the("from_array", I32), v("xs"))),
            ),
        ),
        sizes="n",
        defs=(FROM, SIZE, SUM),
        data=(LIST,),
        result=c.tuple_type(I64, I64, I32, BOOL),
    ),
    *((FOUR,), (NONE,)),
)
"""A recursive data type at two types."""

TREES = sample(
    parse_core(
        """
        data Tree = #leaf | #tip i64 | #node Tree i64 Tree
        def make : i64 -> i64 -> Tree =
          \\(d : i64) (k : i64) ->
            if d <= 0 then (if k % 3 == 0 then #leaf : Tree else #tip k : Tree)
            else #node (@make (d - 1) (2 * k)) k (@make (d - 2) (2 * k + 1)) : Tree
        def sum : Tree -> i64 =
          \\(t : Tree) ->
            match t {
              #leaf -> 1;
              #tip (x : i64) -> 3 * x;
              #node (l : Tree) (x : i64) (r : Tree) -> (@sum l) + 2 * x - 3 * (@sum r); }
        def longer : Tree -> i64 -> Tree =
          \\(t : Tree) (k : i64) -> if k == 2 then #node t k t : Tree else t
        def root : Tree -> i64 =
          \\(t : Tree) ->
            match t { #node (l : Tree) (x : i64) (r : Tree) -> x; #tip (x : i64) -> x; _ -> 0; }
        entry main (n : i64) : ([]i64, i64, i64, bool) =
          let (t : Tree) = loop (t : Tree) = @make n 1 for i < n do @longer t i
          let (ts : []Tree) =
            map (\\(i : i64) -> #node t (@root (#tip i : Tree)) (#tip (i + 5) : Tree) : Tree)
              (iota n 0 1)
          let (u : Tree) =
            if n > 1 && (@sum (#node t n (#tip 2 : Tree) : Tree)) > 0 then #node t 1 ts[1] : Tree
            else t
          in (map (\\(s : Tree) -> @sum s) (ts), @sum u, @sum t, equal u t)
        """
    ),
    *((0,), (6,)),
)
"""Trees that grow their tables many times, in definitions, branches, loops and a kernel."""

REGIONS = sample(
    parse_core(
        """
        data List = #nil | #cons i64 List
        def sum : List -> i64 =
          \\(l : List) -> match l { #nil -> 0; #cons (x : i64) (r : List) -> x + (@sum r); }
        def upto : i64 -> List =
          \\(k : i64) -> if k <= 0 then #nil : List else #cons k (@upto (k - 1)) : List
        def both : List -> List -> i64 =
          \\(a : List) (b : List) -> 3 * @sum a - @sum b
        def down : i64 -> List -> i64 =
          \\(n : i64) (all : List) ->
            if n <= 0 then @sum all else
              let (own : List) = @upto n
              let (rest : i64) = @down (n - 1) all + 5 * @down (n - 2) all
              in rest + @both own all
        def after : i64 -> List -> List =
          \\(n : i64) (l : List) -> let (k : i64) = @down n l in #cons k l : List
        entry main (n : i64) : (i64, i64, []i64, i64) =
          let (l : List) = @upto 3
          let (more : List) =
            loop (acc : List) = @upto 2 for i < n do
              let (own : List) = @upto (40 * i)
              in #cons (@both own l) acc : List
          let (k : List) = @after n more
          let (ls : []List) =
            map (\\(i : i64) -> let (own : List) = @upto i in #cons (@sum own) (@upto i) : List)
              (iota n 1 1)
          in (@both k l, @down n k,
              map (\\(i : i64) -> let (own : List) = @upto i
                                 in loop (s : i64) = @sum own for j < i do s + @both (@upto j) own)
                (iota n 0 1),
              if n > 2 then @both ls[n - 1] ls[1] else 0)
        """
    ),
    *((0,), (5,)),
)
"""Regions of lists: of the entry point, of an iteration, an activation and an index of a kernel."""

ROSES = sample(
    parse_core(
        """
        data Rose = #rose ([]u8) ([]Rose)
        def grown : i64 -> Rose =
          \\(d : i64) ->
            let (name : []u8) = map (\\(i : i64) -> u8(65 + i)) (iota d 0 1)
            in if d <= 1 then #rose name ([] : Rose) : Rose
               else #rose name ([@grown (d - 1), @grown (d - 2)] : Rose) : Rose
        def count : Rose -> i64 -> i64 =
          \\(t : Rose) (k : i64) ->
            match t { #rose (name : []u8) (ts : []Rose) ->
              if k == size 0 ts then 1 + size 0 name + (if size 0 name > 2 then i64(name[2]) else 0)
              else (@count ts[k] 0) + @count t (k + 1); }
        def row : i64 -> []i64 = \\(n : i64) -> filter (\\(i : i64) -> i % 3 > 0) (iota n 1 2)
        entry main (n : i64) (xs : []i64) : (i64, bool, bool, []i64, [][]i64) =
          let (t : Rose) = @grown n
          let (rows : [][]i64) = [@row n, xs, @row (2 * n)] : []i64
          let (more : [][]i64) =
            loop (m : [][]i64) = rows for i < 2 do
              update [i] m (map (\\(x : i64) -> x + i) (m[i + 1]))
          let (set : [][]i64) = if size 0 more[1] > 1 then update [1, 0] more 7 else more
          let (some : [][]i64) =
            filter (\\(r : []i64) -> size 0 r > 0)
              (concat set (map (\\(r : []i64) -> reverse r) (rows)))
          let (long : []i64) =
            reduce (\\(a : []i64) (b : []i64) -> if size 0 a > size 0 b then a else b) (xs) (some)
          in (@count t 0, equal (#rose ([] : u8) ([@grown 2, t] : Rose) : Rose)
                (#rose ([] : u8) ([@grown 3, t] : Rose) : Rose),
              equal rows ([xs, xs, @row (2 * n)] : []i64),
              map (\\(r : []i64) -> reduce (\\(a : i64) (b : i64) -> a + b) (0) (r)) (some),
              [long, long] : []i64)
        """
    ),
    *((1, np.zeros(0, np.int64)), (5, np.array([4, 1], np.int64))),
)
"""Texts and vectors in recursive data, and rows of different lengths: from literals, functions, a
loop, branches, a filter and a reduction, changed as a whole and in one element."""

# ---------------------------------------------------------------------- arrays

JAGGED = sample(
    program(
        [("ns", arr(I64, "n"))],
        let(
            "rows",
            arr(I64, None, None),
            fmap(fn(("k", I64), body=iota(v("k"))), v("ns")),
            tup(
                fmap(fn(("r", arr(I64, None)), body=c.Length(v("r"))), v("rows")),
                fmap(
                    fn(
                        ("r", arr(I64, None)),
                        body=c.Reduce(plus(I64), (k(0),), (v("r"),)),
                    ),
                    v("rows"),
                ),
            ),
        ),
        sizes="n",
        result=c.tuple_type(arr(I64, "n"), arr(I64, "n")),
    ),
    *((np.array([3, 0, 5]),), (np.array([2, 2]),), (np.array([], np.int64),)),
)
"""Rows of different lengths; where they differ FUN traps."""

ARRAYS = sample(
    program(
        [("xss", arr(I32, "n", "m")), ("i", I64)],
        lets(
            ("flat", arr(I32, None), c.Flatten(2, v("xss"))),
            (
                *("sums", arr(I32, "n")),
                fmap(
                    fn(("row", arr(I32, "m")), body=c.Reduce(plus(), (k(0, I32),), (v("row"),))),
                    v("xss"),
                ),
            ),
            body=tup(
                c.Rearrange((1, 0), v("xss")),
                at(v("xss"), v("i"), span(None, None, -1)),
                at(v("flat"), span(1, None, 2)),
                c.Update(c.Copy(v("flat")), (span(0, 2),), c.ArrayLit((k(8, I32), k(9, I32)), I32)),
                c.Scan(plus(), (k(0, I32),), (v("flat"),)),
                c.Scatter(
                    c.Replicate(k(3), k(-1, I32)),
                    c.ArrayLit((k(2), k(7), k(-1)), I64),
                    c.ArrayLit((k(5, I32), k(6, I32), k(7, I32)), I32),
                ),
                c.Hist(
                    *(plus(), (k(0, I32),), (c.Replicate(k(2), k(0, I32)),)),
                    fmap(fn(("x", I32), body=op("%", c.Convert(I64, v("x")), k(3))), v("flat")),
                    (v("flat"),),
                ),
                c.Concat((v("sums"), v("flat"))),
                c.Reverse(v("sums")),
                c.Unflatten((c.Length(v("xss"), 1), c.Length(v("xss"))), v("flat")),
                c.FlatSlice(v("flat"), k(0), ((k(2), k(2)), (k(2), k(1)))),
                loop_while(
                    [("x", I32, k(100, I32))],
                    op("&&", op(">", v("x"), k(3, I32)), op("!=", v("x"), k(12, I32))),
                    op("/", v("x"), k(2, I32)),
                ),
            ),
        ),
        sizes="n m",
        result=c.tuple_type(
            *(arr(I32, "m", "n"), arr(I32, "m"), arr(I32, None), arr(I32, None), arr(I32, None)),
            *(arr(I32, 3), arr(I32, 2), arr(I32, None), arr(I32, "n"), arr(I32, None, None)),
            *(arr(I32, 2, 2), I32),
        ),
    ),
    *(
        (np.arange(6, dtype=np.int32).reshape(2, 3), 1),
        (np.arange(4, dtype=np.int32).reshape(2, 2), 2),
    ),
    *((np.zeros((0, 3), np.int32), 0), (np.zeros((3, 0), np.int32), 0)),
)
"""One of each operation; an index out of bounds, a slice out of bounds."""

CHECKS = sample(
    program(
        [("a", I32), ("n", I64)],
        c.Assert(
            op("&&", op("!=", v("a"), k(0, I32)), op(">", op("/", k(10, I32), v("a")), k(0, I32))),
            "a is {}",
            (v("a"),),
            let(
                "xs",
                arr(I32, "n"),
                c.Coerce(c.Replicate(v("n"), v("a")), arr(I32, 3), "{} is not {}"),
                at(v("xs"), op("-", v("n"), k(1))),
            ),
        ),
        result=I32,
    ),
    *((2, 3), (0, 3), (-5, 3), (2, 4), (2, -1)),
)
"""Assertions, a short circuit, a coercion, a negative size."""

MESSAGES = sample(
    program(
        [("a", I32), ("xs", arr(I32, None))],
        c.Assert(
            op(">", v("a"), k(0, I32)),
            "{} of {}",
            (op("/", k(10, I32), op("-", v("a"), k(1, I32))), at(v("xs"), 0)),
            v("a"),
        ),
        result=I32,
    ),
    *((2, i32s(7)), (1, i32s(7)), (2, i32s()), (0, i32s(7)), (0, i32s()), (1, i32s())),
)
"""The values of a message trap, also if it is not said."""

FIRST = poly("first", "a b", arrow([A, B], A), fn(("x", A), ("y", B), body=v("x")))
ALIAS = poly("alias", "b a", arrow([B, A], B), the("first", B, A))
ALIASES = sample(
    program(
        XS,
        c.Map(
            the("alias", PAIR_TYPE, I32),
            (
                fmap(fn(("x", I32), body=tup(v("x"), op("<", v("x"), k(0, I32)))), v("xs")),
                v("xs"),
            ),
        ),
        sizes="n",
        defs=(FIRST, ALIAS),
        result=arr(PAIR_TYPE, "n"),
    ),
    *((FOUR,), (NONE,)),
)
"""A definition that is another one, under other type variables."""

GIVING = poly(
    *("giving", "", arrow([c.Arrow(I32, I32), I32], arrow([c.Arrow(I32, I32), I32], I32))),
    fn(
        *(("f", c.Arrow(I32, I32)), ("x", I32)),
        body=c.Assert(
            op("<", k(0, I32), v("x")),
            "{}",
            (v("x"),),
            fn(
                *(("g", c.Arrow(I32, I32)), ("y", I32)),
                body=add(app(v("f"), v("x")), app(v("g"), v("y"))),
            ),
        ),
    ),
)
SURPLUS = sample(
    program(
        [("x", I32), ("d", I32)],
        lets(
            ("f", c.Arrow(I32, I32), fn(("q", I32), body=mul(v("q"), k(2, I32)))),
            (
                *("sum", I32),
                app(the("giving"), v("f"), v("x"), v("f"), op("/", k(9, I32), v("d"))),
            ),
            ("later", c.Arrow(I32, I32), app(the("giving"), v("f"), v("x"), v("f"))),
            body=add(v("sum"), app(v("later"), v("d"))),
        ),
        defs=(GIVING,),
        result=I32,
    ),
    *((2, 3), (-1, 3), (2, 0), (-1, 0)),
)
"""More arguments than a function takes: they are values before its body is evaluated."""

I8 = c.ScalarType.I8


def narrow(n: Exp, t: c.ScalarType, body: Exp) -> Exp:
    """``map (\\(i : t) -> body) (iota n 0 1)``."""
    return c.Map(fn(("i", t), body=body), (c.Iota(n, k(0, t), k(1, t)),))


def wide(e: Exp) -> Exp:
    """``i64(e)``."""
    return c.Convert(I64, e)


NARROW = sample(
    program(
        XS,
        let(
            *("n", I64, c.Length(v("xs"))),
            c.Assert(
                op("<=", v("n"), k(2147483647)),
                "too long",
                (),
                tup(
                    narrow(
                        v("n"),
                        I32,
                        at(v("xs"), wide(op("max", op("-", v("i"), k(1, I32)), k(0, I32)))),
                    ),
                    narrow(k(200), I8, wide(v("i"))),
                    narrow(k(4), I32, wide(mul(v("i"), k(2147483647, I32)))),
                    narrow(k(4), I32, op("<", v("i"), k(3, I32))),
                ),
            ),
        ),
        sizes="n",
        result=c.tuple_type(arr(I32, None), arr(I64, None), arr(I64, None), arr(BOOL, None)),
    ),
    *((FOUR,), (NONE,)),
)
"""Narrow ints that index, and some that wrap around."""

KEPT = """
def f : []i64 -> i64 -> i64 =
  \\(xs : []i64) (n : i64) -> if n <= 0 then xs[0] else
    let (r : i64) = @f (map (\\(x : i64) -> x * 2 + n) (xs)) (n - 1)
    let (q : i64) = @f xs (n - 2)
    in r + 3 * q + xs[1]
entry main (n : i64) : i64 = @f (iota 3 1 1) n
"""
"""An array that is needed after two calls."""
OWN_LOOP = """
def f : i64 -> i64 =
  \\(n : i64) -> if n <= 0 then 1 else
    let (r : i64) = reduce (\\(a : i64) (j : i64) -> 2 * a + (@f j)) (1) (iota n 0 1) in r
entry main (n : i64) : i64 = @f n
"""
"""A reduction whose operator calls the definition it is in."""

SAMPLES = {
    "narrow": NARROW,
    "polymorphic": POLYMORPHIC,
    "closures": CLOSURES,
    "higher-order": HIGHER,
    "strict": STRICT,
    "sums": SUMS,
    "records": RECORDS,
    "power": POWER,
    "nested-mu": NESTED,
    "twins": TWINS,
    "even-odd": EVEN_ODD,
    "factorial": FACTORIAL,
    "names": NAMES,
    "sized": sample(SIZED["changed"], (0,), (2,), (3,)),
    "own-loop": sample(parse_core(OWN_LOOP), (0,), (2,), (5,)),
    "kept": sample(parse_core(KEPT), (0,), (2,), (5,)),
    "longer at the end": sample(SIZED["longer at the end"], (0,), (2,), (3,)),
    "optional": OPTIONAL,
    "lists": LISTS,
    "trees": TREES,
    "regions": REGIONS,
    "roses": ROSES,
    "jagged": JAGGED,
    "arrays": ARRAYS,
    "checks": CHECKS,
    "messages": MESSAGES,
    "aliases": ALIASES,
    "surplus": SURPLUS,
}
