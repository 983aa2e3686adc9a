"""What the parser says about wrong texts: place, message and hint, as a person sees them."""

from collections.abc import Callable, Mapping

import pytest

from funmem.frontends.futhark.parser import parse
from funmem.ir.diagnostics import SourceError

EXPRESSIONS = {
    "nothing": "",
    "operand missing": "a + ",
    "parenthesis not closed": "(a + 1",
    "parenthesis not closed, next lines": "f (a +\n  1\n\ndef g = 2",
    "parenthesis not opened": "a + 1)",
    "bracket closed by parenthesis": "[1, 2)",
    "trailing comma in a tuple": "(1, )",
    "if without else": "if a then b",
    "if without then": "if a b else c",
    "if as an argument": "f if a then b else c",
    "let as an argument": "f let x = 1 in x",
    "let without in": "let x = 1\n",
    "let without in before a definition": "let x = 1\ndef y = 2",
    "let without in before a loop": "let x = 1\n  loop y = x for i < 3 do y",
    "let without in, same line": "let x = 1 } in x",
    "let without a pattern": "let = 1 in x",
    "let with a reserved name": "let for = 1 in x",
    "let with a number glued": "let x =-1 in x",
    "let in the style of others": "let x := 1 in x",
    "local operator, infix": "let a +++ b = a in 1",
    "local function with type parameters only": "let f 'a = 1 in f",
    "local function with adjacent size": "let f[n] (x: [n]i32) = x in f",
    "result type with an arrow": "let f (x: i32) -> i32 = x in f",
    "lambda without parameters": "\\ -> 1",
    "lambda without an arrow": "\\x = x",
    "lambda with a glued arrow": "\\x ->-x",
    "lambda with an arrow in its type": "\\x: i32 -> i32 -> x",
    "loop without a form": "loop x = 1 do x",
    "loop with <=": "loop x = 1 for i <= 3 do x",
    "loop without do": "loop x = 1 for i < 3 x",
    "loop with a reserved name": "loop while = 1 for i < 3 do 1",
    "match without cases": "match x",
    "match without an arrow": "match x case 1 = 2",
    "match with a string": 'match x case "a" -> 1',
    "match with an ascription": "match x case y : i32 -> 1",
    "match with an operator": "match x case y + 1 -> 1",
    "update without a value": "x with [0]",
    "update without an index": "x with [] = 1",
    "update with a dot and no field": "x with [0]. = 1",
    "update of a slice with parentheses": "x with (0) = 1",
    "empty index": "x[]",
    "range with two dots": "0..n",
    "range with two dots and a step": "0..2..n",
    "range without a start": "[..<n]",
    "section that binds too loosely": "(1 + 2 *)",
    "section of an if": "(if a then b else c +)",
    "section with a type": "(+ x : i32)",
    "not as a function": "map (!) xs",
    "not of an argument": "f !x",
    "projection without a field": "x.",
    "projection of a reserved word": "x.in",
    "record with a qualified field": "{m.x}",
    "record with a colon": "{x: 1}",
    "assert with one argument": "assert (x > 0)",
    "backquote without a name": "a ` b",
    "backquoted expression": "a `f x` b",
    "case without match": "case x -> 1",
    "attribute not closed": "#[a x",
    "comprehension without a bar": "[x, y <- ys]",
    "comprehension with bindings first": "[x <- xs | x]",
    "comprehension that ends early": "[x | x <- xs, ]",
    "comprehension without a bracket": "[x | x <- xs",
    "comprehension with in": "[x | x in xs]",
    "comprehension with in, further on": "[x | x <- xs, y in ys]",
    "comprehension with for": "[x for x in xs]",
    "comprehension with for and an arrow": "[x for x <- xs]",
    "comprehension with if": "[x | x <- xs if x > 0]",
    "array that is not closed before in": "let y = [1, 2 in y",
    "arrow outside of a comprehension": "f (x <- xs)",
    "bitwise or in a comprehension": "[a | b | a <- xs, (1 | 2",
    "group without by": "[x | x <- xs, group x into y = (+) 0 x]",
    "into without a neutral element": "[x | x <- xs, group by x into y = (+)]",
    "semicolon": "let x = 1; x",
    "dollar": "f $ x",
    "pasted arrow": "\\x → x",
    "pasted minus": "1 − 2",
    "accented name": "é",
    "control character": "a\x1b[31m",
    "string not closed": '"abc',
    "unknown escape": '"a\\qb"',
    "escape of no character": '"a\\55555555b"',
    "character too long": "'\\65\\66'",
    "empty character": "''",
    "number with letters": "1foo",
    "number with a wrong suffix": "1i7",
    "binary digit": "0b12",
    "hexadecimal number without digits": "0x",
    "integer suffix on a real": "1.5i32",
    "long number": "1" * 2000,
}
TYPES = {
    "nothing": "",
    "number": "3",
    "size after the type": "i32[n",
    "tuple not closed": "(i32, f32",
    "record with an equals sign": "{x = i32}",
    "named parameter without an arrow": "(n: i64)",
    "sum without a name": "#a | b",
    "exists without sizes": "?.i32",
    "exists without a dot": "?[n] [n]i32",
    "quoted variable": "'a",
    "arrow without a result": "a ->",
}
FILES = {
    "expression": "1 + 2",
    "word": "definition x = 1",
    "definition without a name": "def = 1",
    "definition with a reserved name": "def loop = 1",
    "entry of an operator": "entry (+) a b = a",
    "prefix operator": "def + a b = a",
    "qualified operator": "def (i32.+) a b = a",
    "pattern with an operator": "def (x +) y = x",
    "not as a name": "def (!) a = a",
    "operator with three parameters": "def a +++ b c = a",
    "pattern at top level": "def (x, y) = (1, 2)",
    "definition without a body": "def f x",
    "definition with an arrow": "def f (x: i32) -> i32 = x",
    "two equals signs": "def f x == x",
    "abstract type": "type t",
    "type parameter without a name": "type t ' = i32",
    "import without a path": "import foo",
    "value specification": "val f : i32",
    "module without a body": "module m",
    "module of an expression": "module m = 1",
    "module without an end": "module m = { def x = 1",
    "module with a specification": "module m = { val x : i32 }",
    "module applied to an expression": "module m = f (1)",
    "module parameter without a type": "module m (p) = p",
    "module lambda without a parameter": "module m = \\ -> p",
    "module lambda without an arrow": "module m = \\(p: t) = p",
    "module of an import without a path": "module m : t = import a",
    "local module without a name": "def x = 1\nlocal module = { }",
    "module type without a body": "module type t",
    "module type of a type": "module type t = i32 -> 1",
    "module type with a definition": "module type t = { def x = 1 }",
    "specification without a type": "module type t = { val x }",
    "specification of an expression": "module type t = { val (1) : i32 }",
    "substitution without a type": "module type t = s with u",
    "two named parameters": "module type t = (a: s) (b: s) -> s",
    "open of an expression": "open 1",
    "include": "include t",
    "too deep": "def x = " + "(" * 1000,
}


def report(cases: Mapping[str, str]) -> str:
    parts = []
    for name, text in cases.items():
        with pytest.raises(SourceError) as caught:
            parse(text, "a.fut")
        assert caught.value.diagnostic.code in ("syntax", "not-supported"), name
        parts.append(f"{name}\n{caught.value.diagnostic.render(text)}\n")
    return "\n".join(parts)


Golden = Callable[[str, str], None]


def test_expressions(golden: Golden) -> None:
    texts = {name: f"def x =\n  {text}" for name, text in EXPRESSIONS.items()}
    golden("futhark/errors-expressions.txt", report(texts))


def test_types(golden: Golden) -> None:
    texts = {name: f"def x : {text} = 1" for name, text in TYPES.items()}
    golden("futhark/errors-types.txt", report(texts))


def test_files(golden: Golden) -> None:
    golden("futhark/errors-files.txt", report(FILES))
