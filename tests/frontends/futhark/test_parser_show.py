"""Trees as text: reading back gives the same tree, on wide lines and on narrow ones."""

from collections.abc import Callable

import pytest

from funmem.frontends.futhark import ast
from funmem.frontends.futhark import show as layout
from funmem.frontends.futhark.parser import parse, parse_exp, parse_type
from funmem.frontends.futhark.show import show
from funmem.ir.diagnostics import NOWHERE, SourceError
from tests.frontends.futhark.test_parser import (
    ATOMS,
    COMPREHENSIONS,
    FILES,
    FORMS,
    OPERATORS,
    TYPES,
)
from tests.support.futhark_trees import Maker, difference
from tests.support.paths import ROOT
from tests.support.sampling import sampled

WIDTHS = (100, 30, 1)


def check(file: ast.SourceFile, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in WIDTHS:
        monkeypatch.setattr(layout, "WIDTH", width)
        text = show(file)
        again = parse(text, "shown.fut")
        assert difference(file, again) is None, text
        assert show(again) == text


@pytest.mark.parametrize("seed", sampled(range(20), 8))
def test_random_trees(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(30):
        make = Maker(100 * seed + k)
        decs = tuple(make.dec(k % 5) for _ in range(2))
        check(ast.SourceFile(decs, NOWHERE), monkeypatch)


def test_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (*OPERATORS, *ATOMS, *FORMS, *COMPREHENSIONS):
        check(parse(f"def x = {text}", "a.fut"), monkeypatch)
    for text in TYPES:
        check(parse(f"type t = {text}", "a.fut"), monkeypatch)
    for text in FILES:
        check(parse(text, "a.fut"), monkeypatch)


@pytest.mark.exhaustive
def test_repository_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    root = ROOT
    for path in sorted(root.glob("tests/programs/**/*.fut"))[::4]:
        try:
            file = parse(path.read_text(encoding="utf-8"), path.name)
        except SourceError:
            continue
        check(file, monkeypatch)


def test_parts() -> None:
    assert show(parse_exp("(a+b)*c")) == "(a + b) * c"
    assert show(parse_type("*[ n ]t")) == "*[n]t"
    (dec,) = parse("let f(x:t)=x", "a.fut").decs
    assert show(dec) == "def f (x: t) = x"
    assert isinstance(dec, ast.ValDec)
    assert show(dec.params[0]) == "x: t"
    assert show(parse("", "a.fut")) == ""


PROGRAM = r"""type point = {x: f32, y: f32}
let dot [n] 'a (mul: a -> a -> a) (add: a -> a -> a) (zero: a) (xs: [n]a) (ys: [n]a): a =
  map2 (\x y -> mul x y) xs ys |> reduce (\x y -> add x y) zero |> id |> id |> id |> opaque |> id
entry main [n] (xs: *[n]i32) (k: i64) =
  let xs[0] = 1 let ys = if k > 0 then loop (a, b) = (0, 1) for i < n do (b, a + i) else (0, 1)
  let f (x: i32) = match x case 0 -> #none case (-1) -> #some (x - 1) case _ -> #some x
  in [ (x, y) | x <- map f xs, y <- 1...3, group by key = y % 2 into total = (+) 0 y + 1 ]
let table = [1000001, 1000002, 1000003, 1000004, 1000005, 1000006, 1000007, 1000008, 1000009, 10]
"""


def test_layout(golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "WIDTH", 60)
    golden("futhark/layout.txt", show(parse(PROGRAM, "a.fut")))
