"""Programs that are wrong, and the words that tests written for Futhark expect of them."""

import re

import pytest

from funmem.frontends.futhark.error_table import ERRORS
from funmem.frontends.futhark.program import to_fun
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError
from funmem.suite.errors import compile_error
from funmem.suite.futhark_messages import RULES, futhark_wording

PROGRAMS = {
    "def main (x: i32) = y": 'Unknown name "y"',
    "def main (x: t) = x": 'Unknown type "t"',
    "def main (_x: i32) = _x": "prefixed with underscore may not be accessed",
    "def main (x: {a: i32}) = x.b": 'Attempt to access field "b" of value of type {a: i32}',
    "def main (x: i32) (x: i32) = x": 'Name "x" also bound at 1:11',
    "def f = 1i32 def f = 2i32 def main = f": "Duplicate definition of name f",
    "def main = {a = 1i32, a = 2i32}": 'Field "a" previously defined',
    "def main (x: i32) : f64 = x": "Function body does not have expected type.\n",
    "def main (x: i32) (y: i64) = x + y": 'Cannot apply "\\+" to .*\nExpected: i32\nActual:   i64',
    "def main (x: i32) = if x > 0 then 1f32 else x": "Branches differ in type.\nFormer: f32\n",
    "def main (x: i32) = if x then 1i32 else 2": "Expression must have type bool",
    "def main (x: i32) = loop y = x for i < 3 do 1f32": "Loop body does not have expected type",
    "def main (x: i32) = x : f32": "expected type from explicit ascription",
    "def main (x: f32) = x & 1": "it must be one of",
    "def main (x: i32) = x & 1f32": "Types\ni32\nand\nf32\ndo not match",
    "def main (x: i32) = x x": 'Cannot apply "x" as function, as it has type',
    "def f (x: i32) = x def main = f 1 2": '"f" only takes 1 argument',
    "def main (x: u8) = x + 256": "Literal 256 out of bounds for inferred type u8",
    "def main (x: i32) = [\\(y: i32) -> x + y]": "found to be functional",
    "def f x = x.a def main = f {a = 1i32}": "Type is ambiguous.  Must be record with fields",
    "def main (x: i32) = let y = #a in x": "must be a sum type with constructors: #a",
    "def main (x: i32) = match x case 1 -> 2i32": "Unmatched cases in match expression",
    "def main (x: i32) = let 1 = x in x": "Refutable pattern not allowed here",
    "type t = i32 -> i32 def main = 1i32": "may not contain functions",
    "entry main 'a (x: a) = x": "Entry point functions may not be polymorphic",
    "entry main (f: i32 -> i32) = f 1": "Entry point functions may not be higher-order",
    "def main (x: i32) = x +": "Unexpected end of file",
    "def main (x: i32 = x": "Unexpected token: '='",
    "def main [n] [m] (x: [n]i32) (y: [m]i32) = zip x y": 'Sizes "n" and "m" do not match',
    "def main [n] (x: [n]i32) : [n]i32 = filter (> 0) x": 'is unknown size returned by "filter"',
    "def main (x: []i64) = map (\\y -> iota y) x": "scope violation",
    "def f [n] (x: i32) : [n]i32 = rep x def main = length (f 1)": 'Ambiguous size "n"',
    "def main [n] (x: i32) = x": "Size \\[n\\] unused in pattern",
    "def main (x: *[]i32) = (x with [0] = 1, x)": '"x", but this was consumed at 1:25',
    "def main (x: []i32) = x with [0] = 1": 'Consuming variable "x", which is not consumable',
    "def main (x: *[2]i32) = x with [0:1] = x[1:2]": "might alias update value",
    "def main (x: []i32) : *[]i32 = x": 'return value is aliased to "x", which is not consumable',
    "def f (x: *[]i32) (y: []i32) = x def main (x: *[]i32) = f x x": "is consumed, but aliases",
    "def f (x: *[2]i32) = x def main (x: *[2]i32) = x |> f": "regarding consuming their arguments",
}


@pytest.mark.parametrize(("text", "wanted"), PROGRAMS.items())
def test_futhark_s_words(text: str, wanted: str) -> None:
    with pytest.raises(SourceError) as caught:
        to_fun(text, "a.fut")
    said = compile_error(caught.value.diagnostic)
    assert re.search(wanted, said), said


def test_our_words_come_first_and_stay() -> None:
    d = Diagnostic(NOWHERE, "unknown-name", "no variable `y` is in scope", "a hint")
    said = compile_error(d)
    assert said.startswith("Error:\nno variable `y` is in scope\na hint\n")
    assert 'Unknown name "y".' in said


def test_a_message_without_a_rule() -> None:
    assert futhark_wording(Diagnostic(NOWHERE, "hole", "a hole of type i32")) == ""


def test_rules_are_about_codes_that_exist() -> None:
    assert {rule.code for rule in RULES} <= ERRORS.keys()
