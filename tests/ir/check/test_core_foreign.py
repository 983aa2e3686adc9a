"""Foreign functions and tokens in Core: C-FOREIGN, C-TOKEN, and calls by the interpreter."""

import re

import pytest

from funmem.interp.core import run_core
from funmem.ir.check.core import check_core
from funmem.ir.diagnostics import SourceError, UsageError
from funmem.ir.text.print_core import show_core
from funmem.ir.text.read_core import parse_core
from funmem.passes.core.declared import (
    defunctionalise,
    flatten_data,
    lambda_lift,
    monomorphise,
    recursion,
    widen,
)
from funmem.passes.runner import Pipeline

DECLARED = """
foreign weighted (f32, (f32, f32)) : f32
effect note (token, i32) : token
effect ask (token) : (token, u64)
"""

PROGRAM = f"""{DECLARED}
def both : token -> i32 -> (token, i32) =
  \\(t : token) (x : i32) ->
    let (t1 : token) = effect note (t, x) : token
    let (t2 : token) = effect note (t1, x + 1i32) : token
    in (t2, x * 2i32)

entry main (t : token) (x : i32) (y : f32) : (token, i32, f32, u64) =
  let (t1 : token) (a : i32) = @both t x
  let (t2 : token) (b : i32) = loop (s : token) = t1, (b : i32) = a for i < 2 do
    let (r : token) (c : i32) = if b > 3i32 then @both s b else (s, b)
    in (r, c)
  let (t3 : token) (ns : u64) = effect ask (t2) : (token, u64)
  in (t3, b, foreign weighted (y, (y, y)) : f32, ns)
"""

PASSES = (monomorphise, lambda_lift, defunctionalise, flatten_data, widen, recursion)


def test_calls_are_made_in_order_after_each_pass() -> None:
    """A pass that loses, repeats or reorders an effect changes what is noted."""
    p = parse_core(PROGRAM)
    noted: list[object] = []
    table = {"weighted": lambda a, b, c: a + b * c, "note": noted.append, "ask": lambda: 7}
    for made in (None, *PASSES):
        p = p if made is None else Pipeline.parse(made.name).run(p)  # type: ignore[assignment]
        check_core(p)
        assert parse_core(show_core(p)) == p
        noted.clear()
        assert run_core(p, "main", [3, 2.0], table) == (24, 6.0, 7)
        assert noted == [3, 4, 6, 7, 12, 13]
    assert "token" not in show_core(p)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "the foreign function `weighted` has no implementation"),
        ({"weighted": lambda *_: None}, "`weighted` returned 0 values, its signature has 1"),
        ({"weighted": lambda *_: "a"}, "`weighted` returned argument 1"),
    ],
    ids=["none", "no result", "another type"],
)
def test_implementations_are_checked(table: dict[str, object], said: str) -> None:
    text = f"{DECLARED} entry main (y : f32) : f32 = foreign weighted (y, (y, y)) : f32"
    with pytest.raises(UsageError, match=re.escape(said)):
        run_core(parse_core(text), "main", [2.0], table)  # type: ignore[arg-type]


NOTED = "effect note (t, 1i32) : token"

REJECTED = [
    ("C-FOREIGN", "foreign f (i32) : i32 foreign f (i32) : i32", "two foreign functions f"),
    ("C-FOREIGN", "foreign f (i32 -> i32) : i32", "takes and returns scalars"),
    ("C-FOREIGN", "foreign f (i32) : (i32, token)", "takes and returns scalars"),
    ("C-FOREIGN", "effect f (i32) : token", "the first parameter of f is no token"),
    ("C-FOREIGN", "effect f (token) : i32", "the first result of f is no token"),
    ("C-FOREIGN", "effect f (token, token) : token", "takes and returns scalars"),
    ("C-TOKEN", "entry f (t : []token) : i32 = 1i32", "an array of token would hold tokens"),
    ("C-TOKEN", "data d = #a token", "a sum of token would hold tokens"),
    ("C-FOREIGN", "main = foreign other (1i32) : i32", "other is not declared"),
    ("C-FOREIGN", "main = effect weighted (t) : i32", "called as effectful, but is pure"),
    ("C-FOREIGN", "main = foreign weighted (1f32) : f32", "takes 2 arguments, but is given 1"),
    ("C-FOREIGN", "main = foreign weighted (1f32, 1f32) : f32", "argument 2 is f32"),
    ("C-FOREIGN", "main = foreign weighted (1f32, (1f32, 2f32)) : f64", "call's type is f64"),
    ("C-TOKEN", f"main = let (a : token) = {NOTED} in {NOTED}", "token t is used twice"),
    ("C-TOKEN", "main : (token, token) = (t, t)", "token t is used twice"),
    (
        "C-TOKEN",
        "main : ((token, i32), token) = let (r : (token, i32)) = (t, 1i32) in (r, r.0)",
        "r.0",
    ),
    ("C-TOKEN", f"main = (\\(x : i32) -> {NOTED}) 1i32", "captures the token t"),
    (
        "C-TOKEN",
        f"main = (mu (f : i32 -> token) \\(x : i32) -> {NOTED}) 1i32",
        "captures the token t",
    ),
    ("C-TOKEN", "main = loop (x : token) = t for i < 2 do t", "body of a loop uses the token t"),
    ("C-TOKEN", "main : i32 = loop (x : i32) = 1i32 for i < 2 do let (s : token) = t in x", "body"),
    ("C-TOKEN", "main = loop (x : i32) = 1i32 while equal t t do x", "would hold tokens"),
    ("C-TOKEN", "main = (\\(s : token) (x : i32) -> s) t", "needs all its arguments"),
    ("C-TOKEN", "def id 'a : 'a -> 'a = \\(x : 'a) -> x main = @id[token] t", "an instance of"),
    ("C-SCRATCH", "main : i64 = size 0 (scratch token 1)", "the elements are tokens"),
]


def _entry(m: re.Match[str]) -> str:
    return f"entry main (t : token){m[1] or ' : token'} ="


@pytest.mark.parametrize(("rule", "text", "said"), REJECTED, ids=[r[1] for r in REJECTED])
def test_rejected(rule: str, text: str, said: str) -> None:
    program = re.sub(r"main( : [^=]*)? =", _entry, text)
    with pytest.raises(SourceError, match=re.escape(said)) as e:
        check_core(parse_core(DECLARED + program))
    assert e.value.diagnostic.code == rule


def test_branches_may_use_the_same_token() -> None:
    body = f"if true then {NOTED} else let (s : token) = {NOTED} in s"
    check_core(parse_core(f"{DECLARED} entry main (t : token) : token = {body}"))


def test_a_function_that_takes_a_token_may_return_a_function_beside_it() -> None:
    text = "def f : token -> (token, i32 -> i32) = \\(t : token) -> (t, \\(x : i32) -> x)"
    check_core(parse_core(f"{text} entry main (t : token) : token = (@f t).0"))
