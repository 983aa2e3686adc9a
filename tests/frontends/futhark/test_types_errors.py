"""Programs that the checks of types and sizes reject: with which code, in which words."""

import re
from collections.abc import Callable

import pytest

from funmem.frontends.futhark.error_codes import CODES
from funmem.frontends.futhark.infer import check
from funmem.frontends.futhark.library import load_prelude
from funmem.frontends.futhark.loader import load_text
from funmem.ir.diagnostics import Diagnostic, SourceError
from tests.support.paths import ROOT

PRELUDE = load_prelude()
SOURCES = ROOT / "funmem" / "frontends" / "futhark"


def rejected(text: str, files: dict[str, str] | None = None) -> Diagnostic:
    """What a program is rejected with."""
    others = {**(files or {}), "example.fut": text}

    def read(path: str) -> str:
        return others[path]

    with pytest.raises(SourceError) as error:
        check(load_text(text, "example.fut", read), PRELUDE)
    return error.value.diagnostic


@pytest.mark.parametrize("code", CODES)
def test_example(code: str, golden: Callable[[str, str], None]) -> None:
    """The example of every code is rejected with it."""
    entry = CODES[code]
    found = rejected(entry.example, dict(entry.files))
    assert found.code == code
    text = dict(entry.files).get(found.at.file, entry.example)
    golden(f"fut-types/{code}.txt", found.render(text) + "\n")


def test_every_code_is_explained() -> None:
    """Codes in the sources of the checks, and in the table, are the same."""
    used: set[str] = set()
    for pattern in ("loader.py", "infer*.py", "sizes*.py"):
        for path in SOURCES.glob(pattern):
            text = path.read_text()
            used |= set(re.findall(r'\bfail(?:ure)?\(\s*[^"()]*?,\s*"([a-z-]+)"', text))
            used |= set(re.findall(r'code = "([a-z-]+)"', text))
            used |= {"not-supported"} if "unsupported(" in text else set()
    assert used == set(CODES)


REJECTED = {
    "comprehension-comparison": "def f (xs: []i64) = [ x | x <- xs, x<-1 ]",
    "comprehension-number": "def f (xs: []i64) = [ x | x <- 1 ]",
    "group-fold": "def f (xs: []i64) = [ s | x <- xs, group by x into s ]",
    "group-fold-equals": "def f (xs: []i64) = [ s | x <- xs, group by x into s (+) 0 x ]",
    "group-by-into": "def f (xs: []i64) = let into = 1 in [ s | x <- xs, group by x into ]",
    "branches": "def f (b: bool) = if b then 1i32 else 2.0",
    "else-if": "def f (x: i32) = if x == 0 then 1 else if x == 1 then 2 else true",
    "element": "def f = [1, 2, true]",
    "argument": "def g (x: f32) (y: i32) = x\ndef f = g 1.0 2.5",
    "result": "def f (x: i32) : f32 = x",
    "section": "def f = map (+ 1.5) [1i32]",
    "lambda": "def f (xs: []f32) = map (\\x -> x && true) xs",
    "operator": "def (<+>) (a: i32) (b: i32) = a\ndef f = 1 <+> true",
    "literal-of-float": "def f (x: f64) = x + 1" + "0" * 309,
    "literal-of-half": "def f (x: f16) = x + 65520",
    "literal-with-fraction": "def f (x: f32) = x + 1.5e39",
    "float-as-int": "def f (x: i32) = x + 1.5",
    "functions-compared": "def f (g: i32 -> i32) = g == g",
    "type-parameter": "def f 'a (x: a) : i32 = x",
    "type-parameter-compared": "def f 'a (x: a) (y: a) = x == y",
    "function-as-type-argument": "def id 'a (x: a) = x\ndef f = id (+ 1i32)",
    "field-type": "def f (p: {a: i32}) = p with a = true",
    "constructor": "type t = #a | #b\ndef f : t = #c",
    "constructor-arguments": "type t = #a i32 | #b\ndef f : t = #a 1 2",
    "pattern": "def f = let (a, b) = 1i32 in a",
    "infinite": "def f x = x x",
    "loop": "def f = loop x = 1i32 for i < 10 do true",
    "condition": "def f (x: i32) = if x then 1 else 2",
    "index": "def f (xs: []i32) = xs[1.5]",
    "slice": "def f (xs: []i32) (i: i32) = xs[i:]",
    "update": "def f (xs: *[]i32) = xs with [0] = true",
    "range": "def f (x: f32) = 0..<x",
    "misspelt": "def main (value: i32) = vlaue",
    "misspelt-member": "def f = f32.sqr 2",
    "size-of-lambda": "def f (xs: []i32) = map (\\x -> filter (> x) xs) xs",
    "size-of-branches": "def f (b: bool) (n: i64) : [n]i64 = if b then iota n else iota 3",
    "size-of-filter": "def f (xs: []i32) = zip (filter (> 0) xs) xs",
    "size-of-two-filters": "def f (xs: []i32) = zip (filter (> 0) xs) (filter (< 0) xs)",
    "size-of-elements": "def f (n: i64) = [iota n, iota 3]",
    "size-of-loop": "def f (n: i64) : [n]i64 = loop xs = iota n for i < 3 do xs ++ xs",
    "size-of-loop-parameter": (
        "def f (n: i64) = loop (xs: [n]i64) = iota n for i < 3 do filter (> i) xs"
    ),
    "size-of-half": "def f [n] (xs: [n]i32) = let k = n / 2 in map2 (+) xs[:k] xs[k:]",
    "size-of-value": "def f (n: i64) : [n / 2]i64 = iota (n / 3)",
    "size-of-element": "def f (m: i64) (xs: []i64) = let ys : [m]i64 = iota xs[0] in ys",
    "size-of-other-element": "def f (xs: []i64) = zip (iota xs[0]) (iota xs[1])",
    "size-of-choice": "def f (b: bool) : [if b then 1 else 2]i32 = if b then [1] else [2, 3]",
    "size-of-row": "def f (xs: []i64) = map (\\x -> iota (x % 2 |> (+ 1))) xs",
    "size-of-local-function": "def f (n: i64) = let g x = zip x (iota n) in g (iota 3)",
    "size-of-unflatten": "def f [n] (xs: [n]i32) (a: i64) (b: i64) : [a][b]i32 = unflatten xs",
    "size-of-function": "def f (g: [3]i32 -> i32) = g [1, 2]",
    "size-not-determined": "def f [n] (g: [n]i32 -> i32) = n\ndef h = f i32.sum",
    "size-of-range": "def f (n: i64) : [n]i64 = n..>0",
    "size-of-length": "def f [n] (xs: [n]i32) = zip xs (iota (length xs))",
    "size-of-length-outside": "def f (xs: []i32) (ys: [length xs]i32) = zip xs ys",
    "causality-of-lambda": (
        "def f [n] (g: [n]i32 -> i32) (xs: [n]i32) = g xs\n"
        "def main (xs: []i32) = f (\\ys -> i32.sum ys) <| filter (> 0) xs"
    ),
    "causality-of-section": (
        "def (<+>) [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys\n"
        "def main (xs: []i32) = let g = (<+> filter (> 0) xs) in 1i32"
    ),
    "causality-of-nothing": (
        "def f [n] (xs: [n]i32) (yss: [][n]i32) = map (map2 (+) xs) yss\n"
        "def main (xs: []i32) = f (filter (> 0) xs) []"
    ),
    "size-of-other-branch": (
        "def f [n] (xs: []i32) : [n]i32 = map (\\i -> xs[i]) (iota n)\n"
        "def main [n] (b: bool) (xs: [n]i32) = if b then xs else f xs"
    ),
    "specified-parameter": "module type s = {val f : []i32 -> i32}",
    "size-left-open": "def f = let xs : [][]i32 = [] in length xs",
    "size-left-open-in-lambda": "def f (x: i32) = let g = \\(y: []i32) -> 1i32 in x",
    "size-left-open-in-rows": "type~ u = []i32\ndef f (xs: []u) = 1i32",
    "size-left-open-in-parameter": "type^ t = []i32 -> i32\ndef f (g: t) = g [1]",
    "entry-result": "def main = rep 1i32",
    "abstract": (
        "module m : {type t val x : t} = {type t = i32 def x : t = 1}\ndef main : i32 = m.x"
    ),
    "abstract-instances": (
        "module f (p: {}) : {type t val x : t val y : t -> i32} =\n"
        "  {type t = i32 def x : t = 1 def y (a: t) = a}\n"
        "module a = f {}\nmodule b = f {}\ndef main = a.y b.x"
    ),
    "abstract-parameter": "module f (p: {type t val x : t}) = {def y : i32 = p.x}",
    "abstract-compared": (
        "module m : {type t val x : t} = {type t = i32 def x : t = 1}\ndef main = m.x == m.x"
    ),
    "abstract-with-argument": (
        "module m : {type t 'a val x : t i32} = {type t 'a = {v: a} def x : t i32 = {v = 1}}\n"
        "def main = m.x.v"
    ),
    "abstract-size": "module m : {type t [n]} = {type t [n] = [n + 1]i32}",
    "abstract-open-size": "module m : {type t} = {type~ t = []i32}",
    "abstract-function": "module m : {type t} = {type^ t = i32 -> i32}",
    "abstract-arguments": "module m : {type t 'a} = {type t = i32}",
    "specified-size": "module m : {val f [n] : [n]i32 -> i32} = {def f (xs: [1]i32) = xs[0]}",
    "specified-result": (
        "module m : {val f [n] : [n]i32 -> [n]i32} = {def f [n] (xs: [n]i32) = filter (> 0) xs}"
    ),
    "specified-open": (
        "module m : {val f [n] : [n]i32 -> []i32} = {def f [n] (xs: [n]i32) = xs}\n"
        "def main [n] (xs: [n]i32) : [n]i32 = m.f xs"
    ),
    "specified-instance": (
        "module m : {val f : i32 -> i32} = {def f 'a (x: a) = x}\ndef main = m.f true"
    ),
    "module-argument": "module f (p: {type t type u}) = {}\nmodule a = f {type t = i32}",
    "module-argument-built-in": "module f (p: numeric) = {}\nmodule a = f bool",
    "module-parameter-lacks": "module f (p: {type t}) = {def x = p.x}",
    "module-type-unknown": "module type s = {val x : q}",
    "module-type-twice": "module type s = {val x : i32 val x : f32}",
    "module-type-with": "module type s = {type t = i32}\nmodule type u = s with t = i32",
    "module-intrinsics": "module m = intrinsics",
    "own-type": "def main [n] (xs: [main][n]i32) = xs",
    "several-lines": (
        "def f [n] (points: [n](f32, f32)) (weights: [n]f32) =\n"
        "  let scaled = map2 (\\(x, y) w -> (x * w, y * w)) points weights\n"
        "  let total = reduce (\\(a, b) (c, d) -> (a + c, b)) (0, 0i32) scaled\n"
        "  in total"
    ),
}


@pytest.mark.parametrize("name", REJECTED)
def test_message(name: str, golden: Callable[[str, str], None]) -> None:
    """The message names both types, or sizes, and where they come from."""
    text = REJECTED[name]
    golden(f"fut-types/more-{name}.txt", rejected(text).render(text) + "\n")
