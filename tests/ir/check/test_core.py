"""The checker of Core: what it accepts, a program that only breaks each rule, what it says."""

import re
from pathlib import Path
from typing import get_args

import pytest

import funmem.ir.check.core
from funmem.ir import core as c
from funmem.ir.check.core import check_core, first_order, flat, lifted, monomorphic
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import type_of
from funmem.ir.diagnostics import SourceError
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F32, I32, I64, UnOp
from tests.support.core_judge import stages
from tests.support.core_programs import (
    FALSE,
    TRUE,
    add,
    arr,
    at,
    b,
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
    plus,
    program,
    rec,
    span,
    sum_type,
    tup,
    v,
)
from tests.support.core_samples import SAMPLES, A, Sample, app, arm, mu, poly, the
from tests.support.sampling import sampled

OPTION = sum_type(none=(), some=(I32,))
UP = c.Arrow(I64, I64)
XS = iota(k(3))
GRID = c.ArrayLit((XS,), arr(I64, None))
SOME = c.Construct("some", (k(1, I32),), OPTION)
PAIRS = c.Zip((("0", XS), ("1", XS)))


def main(e: Exp, result: Type = I64) -> CoreProgram:
    return program([("x", I64), ("xs", arr(I64, "n"))], e, sizes="n", result=result)


# ---------------------------------------------------------------------- accepted


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_accepted(sample: Sample) -> None:
    check_core(sample.program)


@pytest.mark.parametrize("sample", sampled(SAMPLES.values(), 8, 2), ids=SAMPLES)
def test_types_are_those_that_passes_compute(sample: Sample) -> None:
    """``type_of`` says of every definition and entry point what the checker found."""
    for _, p in stages(sample.program).core:
        defs = {d.name: d for d in p.defs}
        for d in p.defs:
            assert unsized(type_of(d.exp, {}, defs)) == unsized(d.type)
        for e in p.entries:
            types = dict.fromkeys(e.sizes, I64) | {q.binder.name: q.binder.type for q in e.params}
            assert unsized(type_of(e.exp, types, defs)) == unsized(e.result)


CONST = define("c", [], I64, k(1))
ONLY = sum_type(only=(I64,))


@pytest.mark.parametrize(
    "e",
    [
        c.Length(c.Coerce(v("xs"), arr(I64, "n"), "{}{}"), 0),
        c.Length(c.Coerce(v("xs"), arr(I64, "c"), "{}{}{}"), 0),
        c.Length(c.Flatten(1, v("xs")), 0),
        c.Match(c.Construct("only", (k(1),), ONLY), (arm("only", ("y", I64), body=v("y")),)),
    ],
    ids=["a local size", "a constant as size", "flatten of one dimension", "a match with one arm"],
)
def test_accepted_expressions(e: Exp) -> None:
    check_core(program([("xs", arr(I64, "n"))], e, sizes="n", defs=(CONST,), result=I64))


@pytest.mark.parametrize(
    "t", [arr(I64, 2, "n"), rec(a=I64, b=arr(I64, "n"))], ids=["an inner dimension", "a field"]
)
def test_sizes_that_a_parameter_carries(t: Type) -> None:
    check_core(CoreProgram((entry("f", ("x", I64), ("y", t), sizes="n"),)))


def entry(name: str, *params: tuple[str, Type], sizes: str = "", result: Type = I64) -> c.Entry:
    ps = tuple(c.EntryParam(b(x, t)) for x, t in params)
    return c.Entry(Name(name), tuple(map(Name, sizes.split())), ps, result, k(1))


# ---------------------------------------------------------------------- rejected

MENTION_A: tuple[Type, ...] = (
    A,
    arr(A, None),
    rec(a=I64, b=A),
    sum_type(none=(), some=(I64, A)),
    c.Data(Name("Box"), (A,)),
    c.Arrow(A, I64),
    c.Arrow(I64, A),
)

EXPRESSIONS: list[tuple[str, Exp, str]] = [
    ("C-VAR", v("y"), "y is not in scope"),
    ("C-VAR", add(let("y", I64, k(1), v("y")), v("y")), "y is not in scope"),
    ("C-GLOBAL", the("f"), "f is not defined"),
    ("C-GLOBAL", the("id"), "id takes 1 type, but is given 0"),
    ("C-CONST", k(1 << 40, I32), "1099511627776 is not a value of type i32"),
    ("C-LAMBDA", c.Lambda((), k(1)), "a lambda needs at least one parameter"),
    (
        "C-MU",
        app(mu("f", UP, fn(("n", I32), body=k(1))), k(1)),
        "the function is i32 -> i64, but should be i64 -> i64",
    ),
    ("C-APP", app(v("x"), k(1)), "argument 1 has no parameter: i64 is not a function"),
    ("C-APP", app(fn(("a", I32), body=k(1)), k(1)), "argument 1 is i64, but should be i32"),
    ("C-APP", c.App(fn(("a", I32), body=k(1)), ()), "an application needs at least one argument"),
    ("C-LET", let("a", I32, k(1), k(1)), "the bound value is i64, but should be i32"),
    (
        "C-LET",
        c.Let((b("p", I64), b("q", I64)), tup(k(1), TRUE), k(1)),
        "the bound value is (i64, bool), but should be a record of (i64, i64)",
    ),
    (
        "C-LET",
        c.Let((b("p", I64), b("q", I64)), k(1), k(1)),
        "the bound value is i64, but should be a record of (i64, i64)",
    ),
    ("C-IF", c.If(k(1), k(1), k(1)), "the condition is i64, but should be bool"),
    ("C-IF", c.If(TRUE, k(1), TRUE), "the other branch is bool, but should be i64"),
    ("C-MATCH", c.Match(k(1), (), k(1)), "i64 is not a sum type"),
    ("C-MATCH", c.Match(SOME, (arm("some", ("y", I32), body=k(1)),)), "no arm for #none"),
    (
        "C-MATCH",
        c.Match(SOME, (arm("other", body=k(1)),), k(1)),
        "the arm for #other matches no constructor of #none | #some i32",
    ),
    (
        "C-MATCH",
        c.Match(SOME, (arm("none", body=k(1)), arm("none", body=k(1))), k(1)),
        "the arm for #none matches no constructor of #none | #some i32",
    ),
    (
        "C-MATCH",
        c.Match(SOME, (arm("some", body=k(1)),), k(1)),
        "#some carries (i32), but its arm binds ()",
    ),
    (
        "C-MATCH",
        c.Match(SOME, (arm("none", body=TRUE),), k(1)),
        "another arm is i64, but should be bool",
    ),
    (
        "C-LOOP",
        loop_for([("a", I64, k(1))], "i", k(1), TRUE),
        "the body is bool, but should be i64",
    ),
    (
        "C-LOOP",
        loop_for([("a", I64, TRUE)], "i", k(1), k(1)),
        "the initial value of a is bool, but should be i64",
    ),
    (
        "C-LOOP",
        loop_for([("a", I64, k(1))], "i", TRUE, k(1)),
        "the bound is bool, but should be i64",
    ),
    (
        "C-LOOP",
        loop_while([("a", I64, k(1))], v("a"), k(1)),
        "the condition is i64, but should be bool",
    ),
    ("C-LOOP", c.Loop((b("a", I64),), (), c.While(TRUE), k(1)), "0 initial values for 1 parameter"),
    ("C-ASSERT", c.Assert(k(1), "", (), k(1)), "the condition is i64, but should be bool"),
    ("C-ASSERT", c.Assert(TRUE, "{}", (), k(1)), "the message has 1 hole for 0 values"),
    ("C-ASSERT", c.Assert(TRUE, "{", (), k(1)), "the message has 0 holes for 0 values"),
    (
        "C-ASSERT",
        c.Assert(TRUE, "{}", (XS,), k(1)),
        "the expression is []i64, but should be a scalar",
    ),
    (
        "C-RECORD",
        c.Project(c.Fields((("a", k(1)), ("a", k(1)))), "a"),
        "the record has a field twice",
    ),
    ("C-PROJECT", c.Project(fields(a=k(1)), "z"), "there is no field z in {a : i64}"),
    ("C-PROJECT", c.Project(k(1), "z"), "there is no field z in i64"),
    ("C-CONSTRUCT", c.Construct("any", (), OPTION), "#none | #some i32 has no #any"),
    ("C-CONSTRUCT", c.Construct("some", (), OPTION), "#some takes 1 argument, but is given 0"),
    (
        "C-CONSTRUCT",
        c.Construct("some", (k(1),), OPTION),
        "argument 1 of #some is i64, but should be i32",
    ),
    ("C-BINARY", add(k(1), k(1, I32)), "the right operand is i32, but should be i64"),
    ("C-BINARY", add(TRUE, TRUE), "+ is not defined on bool"),
    ("C-UNARY", c.Un(UnOp("sqrt"), k(1)), "sqrt is not defined on i64"),
    ("C-CONVERT", c.Convert(I64, XS), "the expression is []i64, but should be a scalar"),
    ("C-EQUAL", c.Equal(k(1), TRUE), "the right operand is bool, but should be i64"),
    ("C-EQUAL", c.Equal(plus(), plus()), "functions cannot be compared"),
    ("C-LENGTH", c.Length(XS, 1), "[]i64 has fewer than 2 dimensions"),
    ("C-INDEX", at(XS, 0, 0), "[]i64 has fewer than 2 dimensions"),
    ("C-INDEX", at(XS, TRUE), "a size or index is bool, but should be i64"),
    ("C-INDEX", at(XS, span(None, TRUE)), "a size or index is bool, but should be i64"),
    ("C-INDEX", c.Index(XS, ()), "a slice needs at least one dimension"),
    (
        "C-FLAT-SLICE",
        c.FlatSlice(XS, TRUE, ((k(1), k(1)),)),
        "a size or index is bool, but should be i64",
    ),
    ("C-FLAT-SLICE", c.FlatSlice(XS, k(0), ()), "a flat slice needs at least one dimension"),
    ("C-COERCE", c.Coerce(XS, arr(I32, None), "{}{}"), "the array is []i64, but should be []i32"),
    (
        "C-COERCE",
        c.Coerce(XS, arr(I64, None), "{}"),
        "the message must have two or three holes: {}",
    ),
    (
        "C-COERCE",
        c.Coerce(XS, arr(I64, None), "{}{}{}{}"),
        "the message must have two or three holes: {}{}{}{}",
    ),
    *(
        ("C-SIZE", e, "size other: other is not an i64 variable in scope")
        for e in (
            c.Coerce(XS, arr(I64, "other"), "{}{}"),
            c.Coerce(GRID, arr(I64, None, "other"), "{}{}"),
            c.Coerce(PAIRS, arr(rec(a=I64, b=arr(I64, "other")), None), "{}{}"),
            c.Scratch(k(1), arr(I64, "other")),
        )
    ),
    ("C-SIZE", c.Coerce(XS, arr(I64, "xs"), "{}{}"), "size xs: xs is not an i64 variable in scope"),
    ("C-LITERAL", c.ArrayLit((k(1), TRUE), I64), "element 2 is bool, but should be i64"),
    ("C-IOTA", c.Iota(k(1), k(0.0, F32), k(1.0, F32)), "iota needs an integer type, not f32"),
    ("C-IOTA", c.Iota(k(1), k(0), k(1, I32)), "the step is i32, but should be i64"),
    ("C-IOTA", iota(TRUE), "a size or index is bool, but should be i64"),
    ("C-REPLICATE", c.Replicate(TRUE, k(0)), "a size or index is bool, but should be i64"),
    ("C-SCRATCH", c.Scratch(k(1), arr(I64, None)), "the elements have an unknown size"),
    ("C-SCRATCH", c.Scratch(k(1), arr(I64, 3, None)), "the elements have an unknown size"),
    (
        "C-SCRATCH",
        c.Scratch(k(1), rec(a=I64, b=arr(I64, None))),
        "the elements have an unknown size",
    ),
    ("C-SCRATCH", c.Scratch(k(1), UP), "the elements are functions"),
    ("C-SCRATCH", c.Scratch(TRUE, I64), "a size or index is bool, but should be i64"),
    ("C-CONCAT", c.Concat((XS, GRID)), "another array is [][]i64, but should be []i64"),
    ("C-CONCAT", c.Concat(()), "concat needs at least one array"),
    ("C-CONCAT", c.Concat((k(1), k(1))), "i64 has fewer than 1 dimension"),
    ("C-REARRANGE", c.Rearrange((0, 0), GRID), "(0, 0) is not a permutation"),
    ("C-REARRANGE", c.Rearrange((1, 0), XS), "[]i64 has fewer than 2 dimensions"),
    ("C-REVERSE", c.Reverse(k(1)), "i64 has fewer than 1 dimension"),
    ("C-FLATTEN", c.Flatten(2, XS), "[]i64 has fewer than 2 dimensions"),
    ("C-FLATTEN", c.Flatten(0, XS), "flatten needs at least one dimension"),
    ("C-UNFLATTEN", c.Unflatten((), XS), "unflatten needs at least one dimension"),
    ("C-UNFLATTEN", c.Unflatten((TRUE,), XS), "a size or index is bool, but should be i64"),
    ("C-ZIP", c.Zip(()), "zip needs at least one array"),
    ("C-ZIP", c.Zip((("a", XS), ("b", k(1)))), "i64 has fewer than 1 dimension"),
    ("C-ZIP", c.Zip((("a", XS), ("a", XS))), "the record has a field twice"),
    ("C-UNZIP", c.Unzip(XS), "the elements are i64, but should be records"),
    ("C-UPDATE", c.Update(XS, dims(0), TRUE), "the new value is bool, but should be i64"),
    ("C-UPDATE", c.Update(XS, (span(0, 1),), k(1)), "the new value is i64, but should be []i64"),
    (
        "C-FLAT-UPDATE",
        c.FlatUpdate(XS, k(0), (k(1), k(1)), XS),
        "the new value is []i64, but should be [][]i64",
    ),
    (
        "C-FLAT-UPDATE",
        c.FlatUpdate(XS, TRUE, (k(1),), XS),
        "a size or index is bool, but should be i64",
    ),
    (
        "C-FLAT-UPDATE",
        c.FlatUpdate(XS, k(0), (), k(1)),
        "a flat slice needs at least one dimension",
    ),
    (
        "C-SCATTER",
        c.Scatter(XS, c.ArrayLit((), I32), XS),
        "an index is i32, but should be i64 or a record of i64",
    ),
    (
        "C-SCATTER",
        c.Scatter(GRID, c.Zip((("0", XS), ("1", c.ArrayLit((), BOOL)))), XS),
        "an index is (i64, bool), but should be i64 or a record of i64",
    ),
    ("C-SCATTER", c.Scatter(XS, XS, GRID), "the values is [][]i64, but should be []i64"),
    ("C-SCATTER", c.Scatter(XS, PAIRS, XS), "[]i64 has fewer than 2 dimensions"),
    ("C-MAP", c.Map(plus(I64), ()), "map needs at least one array"),
    ("C-MAP", fmap(plus(), XS, XS), "the elements of array 1 is i64, but should be i32"),
    (
        "C-MAP",
        fmap(fn(("y", I64), body=v("y")), XS, XS),
        "array 2 has no parameter: i64 is not a function",
    ),
    (
        "C-REDUCE",
        c.Reduce(plus(), (k(0),), (XS,)),
        "the operator is i32 -> i32 -> i32, but should be i64 -> i64 -> i64",
    ),
    ("C-REDUCE", c.Reduce(plus(I64), (k(0),), (GRID,)), "array 1 is [][]i64, but should be []i64"),
    (
        "C-REDUCE",
        c.Reduce(plus(I64), (k(0),), ()),
        "there must be one neutral element for each array",
    ),
    ("C-REDUCE", c.Reduce(plus(I64), (), ()), "there is no neutral element"),
    (
        "C-SCAN",
        c.Scan(plus(), (k(0),), (XS,)),
        "the operator is i32 -> i32 -> i32, but should be i64 -> i64 -> i64",
    ),
    (
        "C-HIST",
        c.Hist(plus(), (k(0),), (XS,), XS, (XS,)),
        "the operator is i32 -> i32 -> i32, but should be i64 -> i64 -> i64",
    ),
    (
        "C-HIST",
        c.Hist(plus(I64), (k(0),), (), XS, (XS,)),
        "hist needs one destination for each array of values",
    ),
    (
        "C-HIST",
        c.Hist(plus(I64), (k(0),), (GRID,), XS, (XS,)),
        "the destination is [][]i64, but should be []i64",
    ),
    (
        "C-SEGMENTED",
        c.Segmented(fn(("i", I64), ("q", BOOL), body=v("i")), XS, k(2)),
        "the function of row and element is i64 -> bool -> i64, but should be i64 -> i64 -> i64",
    ),
    (
        "C-FILTER",
        c.Filter(fn(("y", I64), body=v("y")), XS),
        "this is i64 -> i64, but should be i64 -> bool",
    ),
    *(
        ("C-TYPE-VAR", e, "type variable a is not in scope")
        for e in (
            *(let("y", t, k(1), k(1)) for t in MENTION_A),
            app(the("id", A), k(1)),
            c.Coerce(XS, arr(A, None), "{}{}"),
            c.ArrayLit((), A),
            c.Scratch(k(1), A),
        )
    ),
    (
        "C-SUM-TYPE",
        c.Construct("a", (), c.Sum((("a", ()), ("a", ())))),
        "#a | #a has a constructor twice",
    ),
    (
        "C-RECORD-TYPE",
        let("y", c.Record((("a", I64), ("a", I64))), k(1), k(1)),
        "{a : i64, a : i64} has a field twice",
    ),
    (
        "C-SUM-TYPE",
        let("y", c.Sum((("a", ()), ("a", ()))), k(1), k(1)),
        "#a | #a has a constructor twice",
    ),
    ("C-SUM-TYPE", let("y", c.Sum(()), k(1), k(1)), "a sum without constructors"),
    ("C-DATA-TYPE", let("y", c.Data(Name("Tree")), k(1), k(1)), "data type Tree is not defined"),
    (
        "C-DATA-TYPE",
        let("y", c.Data(Name("Box")), k(1), k(1)),
        "Box takes 1 argument, but is given 0",
    ),
]

STEP = c.DataDef(Name("Step"), (), c.Sum((("step", (c.Data(Name("More")),)), ("end", ()))))
MORE = c.DataDef(Name("More"), (), c.Sum((("more", (c.Arrow(I64, c.Data(Name("Step"))),)),)))
"""Data that lead to functions through each other."""
BOX = c.DataDef(Name("Box"), (Name("a"),), c.Sum((("box", (A,)),)))
ID = poly("id", "a", c.Arrow(A, A), fn(("y", A), body=v("y")))


def reject(p: CoreProgram) -> tuple[str, str]:
    with pytest.raises(SourceError) as caught:
        check_core(p)
    d = caught.value.diagnostic
    return d.code, d.message


def test_rejected() -> None:
    found = []
    for _, e, _ in EXPRESSIONS:
        p = program(
            [("x", I64), ("xs", arr(I64, "n"))],
            let("r", unsized(I64), k(0), tup(e)),
            sizes="n",
            defs=(ID,),
            data=(BOX,),
        )
        code, said = reject(p)
        found.append((code, said.replace("the predicate is", "this is")))
    assert found == [(rule, message) for rule, _, message in EXPRESSIONS]


PROGRAMS: list[tuple[str, CoreProgram, str]] = [
    ("C-DEF", CoreProgram((), (CONST, CONST)), "there are two definitions c"),
    (
        "C-DEF",
        CoreProgram((), (define("f", [], I64, TRUE),)),
        "f is bool, but its declared type is i64",
    ),
    ("C-DEF", CoreProgram((), (poly("f", "a a", I64, k(1)),)), "there are two type parameters a"),
    ("C-DATA", CoreProgram((), (), (BOX, BOX)), "there are two data types Box"),
    ("C-TYPE-VAR", CoreProgram((), (define("f", [], A, k(1)),)), "type variable a is not in scope"),
    (
        "C-DATA",
        CoreProgram((), (), (c.DataDef(Name("D"), (Name("a"),) * 2, OPTION),)),
        "there are two type parameters a",
    ),
    (
        "C-SUM-TYPE",
        CoreProgram((), (), (c.DataDef(Name("D"), (), c.Sum(())),)),
        "a sum without constructors",
    ),
    ("C-ENTRY", CoreProgram((entry("f"), entry("f"))), "there are two entry points f"),
    (
        "C-ENTRY",
        CoreProgram((entry("f", ("xs", arr(I64, "n")), sizes="n n"),)),
        "there are two sizes n",
    ),
    (
        "C-ENTRY",
        CoreProgram((entry("f", ("xs", arr(I64, 5)), ("r", rec(a=I64)), sizes="n"),)),
        "no parameter of f has the size n as a dimension",
    ),
    ("C-TYPE-VAR", CoreProgram((entry("f", ("x", A)),)), "type variable a is not in scope"),
    ("C-TYPE-VAR", CoreProgram((entry("f", result=A),)), "type variable a is not in scope"),
    (
        "C-ENTRY",
        CoreProgram((entry("f", ("x", I64), sizes="n"),)),
        "no parameter of f has the size n as a dimension",
    ),
    ("C-ENTRY", CoreProgram((entry("f", ("x", I64), ("x", I64)),)), "there are two parameters x"),
    (
        "C-ENTRY",
        CoreProgram((entry("f", ("n", I64), ("xs", arr(I64, "n")), sizes="n"),)),
        "there are two sizes or parameters n",
    ),
    (
        "C-SIZE",
        program(
            [("xs", arr(I64, None))],
            c.Coerce(v("xs"), arr(I64, "c"), "{} {}"),
            defs=(poly("c", "a", I64, k(1)),),
            result=arr(I64, None),
        ),
        "size c: c is not an i64 variable in scope",
    ),
    (
        "C-SCRATCH",
        CoreProgram(
            (),
            (
                poly(
                    *("f", "a", c.Arrow(I64, c.Array(A))),
                    fn(("n", I64), body=c.Scratch(v("n"), A)),
                ),
            ),
        ),
        "the elements have an unknown type",
    ),
    ("C-ENTRY", CoreProgram((entry("f", ("x", UP)),)), "parameter x holds a function"),
    ("C-ENTRY", CoreProgram((entry("f", result=UP),)), "the result of f holds a function"),
    (
        "C-ENTRY",
        CoreProgram((entry("f", ("x", c.Data(Name("Step")))),), (), (STEP, MORE)),
        "parameter x holds a function",
    ),
    (
        "C-ENTRY",
        CoreProgram((entry("f", result=BOOL),)),
        "f returns i64, but its declared type is bool",
    ),
]


def test_rejected_programs() -> None:
    assert [reject(p) for _, p, _ in PROGRAMS] == [(rule, message) for rule, _, message in PROGRAMS]


def test_every_rule_is_broken_once() -> None:
    folder = Path(str(funmem.ir.check.core.__file__)).parent
    text = "".join(f.read_text(encoding="utf-8") for f in sorted(folder.glob("*.py")))
    rules = set(re.findall(r"\bC-[A-Z-]*[A-Z]\b", text))
    later = {"C-MONOMORPHIC", "C-LIFTED", "C-FIRST-ORDER", "C-UNIQUE", "C-FLAT", "C-COPY"}
    later |= {"C-FINITE"}
    elsewhere = {"C-FOREIGN", "C-TOKEN"}  # test_core_foreign.py
    broken = {rule for rule, _, _ in (*EXPRESSIONS, *PROGRAMS)}
    assert rules - later - elsewhere == broken


# ---------------------------------------------------------------------- postconditions


def said(p: CoreProgram) -> list[str]:
    """What each postcondition says."""
    found = [wrong(p) for wrong in (monomorphic, lifted, first_order, flat)]
    return ["" if d is None else d.message for d in found]


LOCAL = mu("f", UP, fn(("n", I64), body=app(v("f"), v("n"))))


def test_postconditions() -> None:
    assert said(main(add(v("x"), k(1)))) == ["", "", "", ""]
    assert said(CoreProgram((), (ID,)))[0] == "id has type parameters"
    assert said(program([], k(1), defs=(), data=(BOX,)))[0] == "Box has type parameters"
    instantiated = monomorphic(main(app(the("id", I64), k(1))))
    assert instantiated is not None
    assert instantiated.message == "id is instantiated"
    assert said(main(let("y", A, k(1), k(1))))[0].startswith("a type mentions a type variable")
    assert said(main(let("x", I64, k(1), k(1))))[0] == "x is bound twice"
    assert said(main(app(LOCAL, k(1))))[1] == "f is a local recursive function"
    assert (
        said(main(let("f", UP, fn(("y", I64), body=v("y")), k(1))))[2]
        == "a value has a function type"
    )
    assert said(main(app(fn(("y", I64), body=v("y")), k(1))))[2].startswith(
        "the applied expression"
    )
    assert said(CoreProgram((), (define("f", [("g", UP)], I64, k(1)),)))[2] == "f takes functions"
    assert (
        said(CoreProgram((), (define("f", [("g", I64)], UP, LOCAL),)))[2] == "f returns functions"
    )


F = define("f", [("y", I64)], I64, v("y"))
F2 = define("f2", [("a", I64), ("z", I64)], I64, v("a"))
ANONYMOUS = app(fn(("y", I64), body=v("y")), k(1))


def with_defs(e: Exp, result: Type = I64) -> CoreProgram:
    return program([("x", I64)], e, defs=(CONST, F, F2), result=result)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (with_defs(add(the("c"), app(the("f"), k(1)))), ""),
        (with_defs(fn(("w", I64), body=v("w")), UP), "a function is used as a value"),
        (with_defs(c.Equal(the("f"), the("f")), BOOL), "function f is used as a value"),
        (with_defs(app(the("f2"), k(1)), UP), "f2 is applied to 1 of 2 arguments"),
        (with_defs(add(k(1), ANONYMOUS)), "the applied expression is not a definition"),
        (with_defs(c.Length(fmap(the("f"), XS), 0)), "function f is used as a value"),
    ],
    ids=["accepted", "entry", "operand", "partial", "inside", "operator"],
)
def test_first_order(p: CoreProgram, message: str) -> None:
    found = first_order(p)
    assert ("" if found is None else found.message) == message


def test_monomorphic() -> None:
    """A type variable inside a type; names that are bound in a definition."""
    nested = said(main(let("y", arr(A, None, None), k(1), k(1))))[0]
    assert nested == "a type mentions a type variable or instantiates a data type"
    twice = let("y", I64, k(1), let("y", I64, k(1), k(1)))
    assert said(main(twice))[0] == "y is bound twice"
    assert said(CoreProgram((), (define("g", [], I64, twice),)))[0] == "y is bound twice"


PAIR = rec(a=I64)
ONE = c.Project(tup(k(1)), "0")
"""Where one value must stand, this is not flat."""


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (CoreProgram((), (CONST, F, F2)), ""),
        (CoreProgram((), (), (c.DataDef(Name("D"), (), OPTION),)), "data type D remains"),
        (
            CoreProgram((), (define("g", [("y", I64), ("p", PAIR)], I64, k(1)),)),
            "a parameter of g is compound",
        ),
        (
            CoreProgram((), (define("g", [], I64, let("p", PAIR, fields(a=k(1)), k(1))),)),
            "p is compound",
        ),
        (
            main(c.Let((b("y", I64), b("p", PAIR)), tup(k(1), fields(a=k(1))), k(1))),
            "y is compound",
        ),
        (main(let("y", I64, ONE, k(1))), "Project is not allowed where one value is needed"),
        (main(let("y", I64, k(1), ONE)), "Project is not allowed where one value is needed"),
        (main(let("y", I64, tup(k(1)), k(1))), "Fields is not allowed where one value is needed"),
        (
            main(c.If(c.Equal(k(1), k(1)), k(1), k(1))),
            "Equal is not allowed where one value is needed",
        ),
        (main(c.If(TRUE, k(1), ONE)), "Project is not allowed where one value is needed"),
        (
            main(c.Assert(TRUE, "{}", (ONE,), k(1))),
            "Project is not allowed where one value is needed",
        ),
        (main(c.Assert(TRUE, "", (), ONE)), "Project is not allowed where one value is needed"),
        (
            main(c.Loop((b("y", I64), b("p", PAIR)), (k(1), k(1)), c.While(TRUE), k(1))),
            "a parameter of a loop is compound",
        ),
        (
            main(loop_for([("y", I64, ONE)], "i", k(1), k(1))),
            "Project is not allowed where one value is needed",
        ),
        (
            main(loop_for([("y", I64, k(1))], "i", k(1), ONE)),
            "Project is not allowed where one value is needed",
        ),
        (
            main(fmap(fn(("y", I64), ("p", PAIR), body=k(1)), XS, PAIRS)),
            "a parameter is compound",
        ),
    ],
)
def test_flat_everywhere(p: CoreProgram, message: str) -> None:
    found = flat(p)
    assert ("" if found is None else found.message) == message


def test_names_are_unique_in_the_program() -> None:
    """Definitions are inlined after flatten-data, so no two may bind the same name."""
    twice = (F, define("g", [("y", I64)], I64, v("y")))
    assert said(program([], k(1), defs=twice))[0] == ""
    assert said(program([], k(1), defs=twice))[3] == "y is bound twice"
    assert said(program([("y", I64)], k(1), defs=(F,)))[3] == "y is bound twice"
    assert said(program([], let("y", I64, k(1), v("y")), defs=(F,)))[3] == "y is bound twice"


def test_flat() -> None:
    assert said(main(tup(k(1), k(2))))[3] == ""
    assert said(program([("p", rec(a=I64))], k(1)))[3] == "parameter p is compound"
    assert said(main(let("p", rec(a=I64), fields(a=k(1)), k(1))))[3] == "p is compound"
    assert said(main(add(c.Project(tup(k(1)), "0"), k(1))))[3].startswith("Project is not allowed")
    assert said(main(c.Match(SOME, (), k(1))))[3].startswith("Match is not allowed")
    assert said(main(c.Equal(XS, XS)))[3].startswith("Equal is not allowed")
    assert said(main(fmap(fn(("y", rec(a=I64)), body=k(1)), PAIRS)))[3] == "a parameter is compound"
    assert said(main(c.Length(PAIRS)))[3] == "zip is not allowed where one array is needed"
    assert said(main(c.Scatter(GRID, PAIRS, XS)))[3] == ""
    assert said(main(c.If(FALSE, tup(k(1), k(2)), tup(k(1), k(2)))))[3] == ""


def test_array_operations_are_a_closed_union() -> None:
    """One member of ``Exp`` is a base class; ``array_exp`` and ``closed`` promise its classes."""

    def leaves(t: type) -> set[str]:
        below = t.__subclasses__()
        return {x for u in below for x in leaves(u)} if below else {t.__name__}

    assert leaves(c.ArrayOperation) == {t.__name__ for t in get_args(c.ArrayExp)}
    assert set(get_args(c.ClosedExp)) == {*get_args(c.Exp), *get_args(c.ArrayExp)} - {
        c.ArrayOperation
    }
