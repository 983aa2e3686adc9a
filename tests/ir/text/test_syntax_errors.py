"""What the parsers say about wrong texts: place, message and hint, word by word.

The golden files show every text with its message as a person sees it.
"""

import time
from collections.abc import Callable, Mapping

import pytest

from funmem.ir.diagnostics import SourceError
from funmem.ir.fun import Const
from funmem.ir.scalars import ScalarType
from funmem.ir.text import parse_fun, parse_imp, show
from tests.support.sampling import sampled

BODY = "entry f [n] (x : [n]i64) (c : bool) -> (r : i64) =\n  {}\n  in (r)"
STM = "entry f [n] (x : [n]i64) (c : bool) -> (r : i64) =\n  let (r : i64) = {}\n  in (r)"
LINE = r"a\n"
IMP = "entry f [n] (x : [n]i64) {{\n  {}\n  return (x : [n]i64)\n}}"


def in_template(template: str, cases: Mapping[str, str]) -> dict[str, str]:
    return {name: template.format(text) for name, text in cases.items()}


ENTRIES = {
    "empty": "",
    "only a comment": "-- nothing\n",
    "no entry": "let (x : i64) = 3",
    "text after the last entry": "entry f -> = in ()\n)",
    "entry without a name": "entry (x : i64) -> = in ()",
    "entry with a reserved name": "entry loop -> = in ()",
    "entry without results": "entry f (x : i64) = in ()",
    "entry without a body": "entry f (x : i64) -> (y : i64)",
    "body without in": "entry f -> (y : i64) =\n  let (y : i64) = 3\n",
    "size parameter with a type": "entry f [n : i64] -> = in ()",
    "size parameter with two names": "entry f [n m] -> = in ()",
    "parameter without a type": "entry f (x) -> = in ()",
    "parameter without a name": "entry f ([n]i64) -> = in ()",
    "parameter not closed": "entry f (x : i64 -> = in ()",
    "parameters with a comma": "entry f (x : i64, y : i64) -> = in ()",
    "unique result": "entry f -> (x : *[n]i64) = in ()",
    "unknown type": "entry f (x : [n]int) -> = in ()",
    "array of blocks": "entry f (x : [n]mem) -> = in ()",
    "unknown memory": "entry f [m : mem.global] -> = in ()",
    "shape after the element type": "entry f (x : i64[n]) -> = in ()",
    "home without an arrow": "entry f (x : [n]i64 @ m 0 + {(n : 1)}) -> = in ()",
    "home without an LMAD": "entry f (x : [n]i64 @ m -> n) -> = in ()",
    "LMAD dimension without a stride": "entry f (x : [n]i64 @ m -> 0 + {(n)}) -> = in ()",
    "LMAD not closed": "entry f (x : [n]i64 @ m -> 0 + {(n : 1)) -> = in ()",
    "LMAD dimensions with a comma": "entry f (x : [n]i64 @ m -> 0 + {(n : 1), (m : 1)}) -> = in ()",
}
BODIES = in_template(
    BODY,
    {
        "results without parentheses": "in y",
        "result is an expression": "in (y + 1)",
        "let without an equals sign": "let (y : i64) 3",
        "let without parentheses": "let y = 3",
        "unique binder": "let (y : *[n]i64) = x",
        "two expressions": "let (y : i64) = x x",
        "semicolon": "let (y : i64) = 3;",
        "assert without a message": "assert c",
        "assert of an expression": 'assert x < y "message"',
        "assert without values": 'assert c "message" ()',
        "assert with an expression": 'assert c "{}" (x + 1)',
        "assert without parentheses": 'assert c "{}" x',
        "unknown escape": 'assert c "a\\qb"',
        "escape of a surrogate": 'assert c "a\\u{D800}b"',
        "escape beyond Unicode": 'assert c "a\\u{110000}b"',
        "escape not closed": 'assert c "\\u{41"',
        "string not closed": 'assert c "abc',
        "string over two lines": 'assert c "abc\ndef"',
    },
)
EXPRESSIONS = in_template(
    STM,
    {
        "nothing": "",
        "operand missing": "x + ",
        "operator missing": "x (3)",
        "parenthesis not closed": "(x + 1",
        "parenthesis not closed, next line": "(x +\n    1",
        "parenthesis not opened": "x + 1)",
        "unknown function": "sqr(x)",
        "unknown function, nothing similar": "frobnicate(x)",
        "too many arguments": "sqrt(x, y)",
        "too few arguments": "min(x)",
        "no arguments": "sqrt()",
        "conversion without parentheses": "1 + f32 x",
        "comparisons": "a < b < c",
        "equals sign": "a = b",
        "array operation inside": "1 + copy x",
        "index inside": "x[i] + 1",
        "index at the end": "1 + x[i]",
        "update without a value": "x with [3]",
        "update without brackets": "x with 3 = 4",
        "empty index": "x[]",
        "index not closed": "x[i, j",
        "size with division": "x[n / 2]",
        "size with a float": "x[1.5]",
        "size with a suffix": "x[1i64]",
        "size with an empty factor": "x[n * ]",
        "permute without dimensions": "permute x",
        "permute with a negative dimension": "permute (0, -1) x",
        "reshape without a shape": "reshape x",
        "reverse without a dimension": "reverse x",
        "flat without an LMAD": "flat x[0 : n]",
        "iota without brackets": "iota n 0 1",
        "iota without a stride": "iota [n] 0",
        "replicate without a shape": "replicate 3",
        "literal without a type": "[1, 2]",
        "literal with a nested literal": "[[1], [2]] : [1]i64",
        "literal not closed": "[1, 2",
        "copy of a constant": "copy 3",
        "concat of nothing": "concat 0",
        "scratch without a type": "scratch [n]",
        "scatter with two arrays": "scatter x is",
        "alloc in unknown memory": "alloc.global 3",
        "if without else": "if c then in (1)",
        "if of an expression": "if a < b then in (1) else in (2)",
        "if without then": "if c in (1) else in (2)",
        "loop without a form": "loop (a : i64) = 0 do in (a)",
        "loop without an initial value": "loop (a : i64) for i < n do in (a)",
        "for without a bound": "loop (a : i64) = 0 for i do in (a)",
        "for with <=": "loop (a : i64) = 0 for i <= n do in (a)",
        "while of a constant": "loop (a : bool) = c while true do in (a)",
        "kernel without a range": "kernel do in (1)",
        "kernel without do": "kernel i < n in (i)",
        "kernel with in": "kernel i in n do in (i)",
        "reduce without an operator": "kernel i < n reduce + (0) do in (i)",
        "reduce without do": "kernel i < n reduce (\\ (a : i64) -> in (a)) (0) in (i)",
        "reduce without neutral": "kernel i < n reduce (\\ (a : i64) -> in (a)) do in (i)",
        "operator without parameters": "kernel i < n scan (\\ -> in (a)) (0) do in (i)",
        "operator not closed": "kernel i < n scan (\\ (a : i64) -> in (a) (0) do in (i)",
        "hist without a destination": "kernel i < n hist (\\ (a : i64) -> in (a)) (0) do in (i)",
    },
)
TOKENS = in_template(
    STM,
    {
        "unsigned, too large": "300u8",
        "unsigned, negative": "-1u8",
        "signed, too large": "128i8",
        "signed, too small": "-129i8",
        "i64, too large": "9223372036854775808",
        "f16, too large": "65520.0f16",
        "f64, too large": "-1e999",
        "hexadecimal": "0xFF",
        "grouped digits": "1_000_000",
        "unknown suffix": "5i128",
        "upper-case exponent": "1E5",
        "two points": "1.2.3",
        "long": "9" * 60,
        "not ASCII": "größe",
        "look-alike": "х + 1",
        "arrow of the paper": "x → 3",
        "less or equal of the paper": "x ≤ 3",
        "minus of the paper": "x − 3",
        "no-break space": "x\N{NO-BREAK SPACE}+ 3",
        "NUL": "x + \0",
        "escape character": "x + \x1b[31m",
        "surrogate": "x + \udc80",
        "unknown symbol": "x ? 3",
        "lone quote": "x ' 3",
        "word with a dot": "f32.max",
        "tab before the mistake": "\tx +\t)",
        "lines that end in CR LF": "x +\r\n  )\r\n",
    },
)
IMPS = in_template(
    IMP,
    {
        "no return": "} entry g {",
        "unknown statement": "x;",
        "let": "let (y : i64) = 3",
        "assignment with an equals sign": "y = 3;",
        "arrow with a space": "y < - 3;",
        "semicolon missing": "y <- 3\n  z <- 4;",
        "array variable": "var y : [n]i64;",
        "variable without a type": "var y;",
        "read inside": "y <- x[3] : i64 + 1;",
        "read without a type": "y <- x[3];",
        "write without a type": "x[3] <- 5;",
        "copy without a type": "x[3] <- y[4];",
        "if without else": "if c then y <- 3; fi",
        "if without fi": "if c then else\n  return",
        "for without done": "for i < n do\n",
        "for without do": "for i < n y <- 3; done",
        "while of an expression": "while a < b do done",
        "kernel with in": "kernel i in n do done",
        "check without a condition": 'check "negative size" "m";',
        "check of an expression": 'check a < b "assertion failed" "m";',
        "check without a kind": "check (a < b);",
        "check without a message": 'check (a < b) "assertion failed";',
        "check with an unknown kind": 'check nonneg n "negative" "m";',
        "check with half a range": 'check a : b inside n "slice out of bounds" "m";',
        "check with a third of a range": 'check a : b : c "slice out of bounds" "m";',
        "check with empty arguments": 'check nonneg n "negative size" "m" ();',
        "check of a value without its type": 'check nonneg n "negative size" "{}" (x : );',
        "check of a size with a type": 'check nonneg n "negative size" "{}" (n + 1 : i64);',
        "injective without a stride": 'check injective {(n)} "overlapping update" "m";',
    },
) | {
    "empty": "",
    "FUN": "entry f (x : i64) -> (y : i64) = in (x)",
    "block port": "entry f (m : mem) { return }",
    "unique port": "entry f (m : *[n]i64) { return }",
    "not closed": "entry f { return (x : i64)",
}


def message(parse: Callable[[str, str], object], text: str) -> str:
    with pytest.raises(SourceError) as caught:
        parse(text, "wrong.fun")
    d = caught.value.diagnostic
    assert (d.code, d.severity) == ("syntax", "error")
    rows = text.split("\n")
    assert 1 <= d.at.line <= len(rows)
    assert 1 <= d.at.col < d.at.end <= len(rows[d.at.line - 1].rstrip("\r")) + 2
    return d.render(text)


@pytest.mark.parametrize(
    ("name", "parse", "cases"),
    [
        ("entries", parse_fun, ENTRIES),
        ("bodies", parse_fun, BODIES),
        ("expressions", parse_fun, EXPRESSIONS),
        ("tokens", parse_fun, TOKENS),
        ("imp", parse_imp, IMPS),
    ],
)
def test_messages(
    name: str,
    parse: Callable[[str, str], object],
    cases: Mapping[str, str],
    golden: Callable[[str, str], None],
) -> None:
    messages = [f"==> {case}\n{message(parse, text)}\n" for case, text in cases.items()]
    golden(f"text/errors/{name}.txt", visible("\n".join(messages)))


def visible(text: str) -> str:
    """What is no text, escaped, so that the golden file is text."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"<{ord(c):X}>" for c in text)


# ---------------------------------------------------------------------- depth and size

HUGE = {
    "9" * 5_000: "this number is 5000 characters long",
    "9" * 900: f"{'9' * 39}… is out of range: i64 is {-(2**63)} to {2**63 - 1}",
    "9" * 900 + "u8": f"{'9' * 39}… is out of range: u8 is 0 to 255",
    "9" * 900 + "f32": f"{'9' * 39}… is too large for f32",
    "1." + "0" * 5_000: "this number is 5002 characters long",
    "1e" + "9" * 900: f"1e{'9' * 37}… is too large for f64",
    f"x[{'9' * 900}]": "this size is too large",
    f"x[{'9' * 5_000}]": "this number is 5000 characters long",
    f"reverse {'9' * 5_000} x": "this number is 5000 characters long",
    "f" * 5_000 + "(x)": f"unknown function `{'f' * 39}…`",
    "x " + "y" * 5_000: f"expected `let`, `assert` or `in`, found the name `{'y' * 39}…`",
}


@pytest.mark.parametrize(("text", "said"), HUGE.items(), ids=range(len(HUGE)))
def test_huge_tokens(text: str, said: str) -> None:
    assert message(parse_fun, STM.format(text)).split("\n")[0].endswith(f"]: {said}")


def test_a_tiny_or_long_number_is_rounded() -> None:
    def value(text: str) -> object:
        return parse_fun(STM.format(text)).entries[0].body.stms[0].exp

    assert value("0" * 900 + "7") == Const(7, ScalarType.I64)
    assert value(f"1e-{'9' * 900}f32") == Const(0.0, ScalarType.F32)
    assert value(f"0.1{'0' * 900}") == Const(0.1, ScalarType.F64)
    assert value(f"1.000000059604644775390625{'0' * 900}1f32") == Const(1 + 2**-23, ScalarType.F32)


def nested(before: str, middle: str, after: str, times: int) -> str:
    return STM.format(before * times + middle + after * times)


DEEP = {
    "parentheses": nested("(", "x", ")", 10_000),
    "parentheses, not closed": nested("(", "", "", 10_000),
    "calls": nested("min(x, ", "x", ")", 10_000),
    "conversions": nested("f32(", "x", ")", 10_000),
    "prefixes": nested("~", "x", "", 10_000),
    "minus signs": nested("- ", "x", "", 10_000),
    "left chain": nested("", "x", " + x", 5_000),
    "right chain": nested("", "x", " ** x", 5_000),
    "rising chain": nested("x || x && x == x + x * x ** (", "x", ")", 1_000),
    "kernels": nested("kernel i < n do let (y : i64) = ", "3", " in (y)", 10_000),
    "branches": nested("if c then in (x) else let (y : i64) = ", "3", " in (y)", 10_000),
    "loops": nested("loop while c do let (y : i64) = ", "3", " in (y)", 10_000),
    "operators": nested("kernel i < n scan (\\ (a : i64) -> let = ", "3", " in (y)) (0)", 10_000),
    "sizes": nested("x[(", "n", ")]", 1).replace("n)", "(" * 10_000 + "n" + ")" * 10_001),
}
DEEP_IMP = {
    "for": IMP.format("for i < n do " * 10_000 + "done " * 10_000),
    "if": IMP.format("if c then else " * 10_000 + "fi " * 10_000),
    "kernel": IMP.format("kernel i < n do " * 10_000),
    "condition": IMP.format(f'check {"(" * 10_000}n{")" * 10_000} "assertion failed" "m";'),
}


@pytest.mark.parametrize("text", sampled(DEEP.values(), 6, slow=6), ids=DEEP.keys())
def test_too_deep(text: str) -> None:
    assert "error[syntax]: nested too deeply\n" in message(parse_fun, text)


@pytest.mark.parametrize("text", DEEP_IMP.values(), ids=DEEP_IMP.keys())
def test_too_deep_in_imp(text: str) -> None:
    assert "error[syntax]: nested too deeply\n" in message(parse_imp, text)


NOT_TOO_DEEP = {
    "parentheses": nested("(", "x", ")", 190),
    "calls": nested("min(x, ", "x", ")", 190),
    "prefixes": nested("~", "x", "", 190),
    "left chain": nested("", "x", " + x", 190),
    "right chain": nested("", "x", " ** x", 190),
    "kernels": nested("kernel i < n do let (y : i64) = ", "3", " in (y)", 60),
    "operators": nested(
        "kernel i < n scan (\\ (a : i64) -> let (y : i64) = ", "3", " in (y)) (0) do in (i)", 60
    ),
    "kernels and an expression": nested(
        "kernel i < n do let (y : i64) = ", "(" * 16 + "x" + ")" * 16, " in (y)", 60
    ),
}


@pytest.mark.parametrize("text", NOT_TOO_DEEP.values(), ids=NOT_TOO_DEEP.keys())
def test_what_is_not_too_deep_can_be_printed_and_compared(text: str) -> None:
    program = parse_fun(text)
    assert parse_fun(show(program)) == program
    assert hash(program) == hash(parse_fun(show(program)))
    assert repr(program)


def test_imp_that_is_not_too_deep_can_be_printed_and_compared() -> None:
    program = parse_imp(IMP.format("for i < n do " * 95 + "y <- 3; " + "done " * 95))
    assert parse_imp(show(program)) == program
    assert hash(program) == hash(parse_imp(show(program)))
    assert repr(program)


LARGE_SIZES = {
    "terms": "+".join(f"n{k}" for k in range(9_000)),
    "product": "*".join(["n"] * 40_000),
    "product of sums": "*".join(f"(a{k}+b{k})" for k in range(8_000)),
    "power of a sum": "*".join(["(a+b+c+d)"] * 9_000),
    "coefficient": "*".join(["9" * 90] * 1_000),
    "scaled": f"({'+'.join(f'a{k}' for k in range(120))}){'*-2' * 30_000}",
}


@pytest.mark.parametrize("size", sampled(LARGE_SIZES.values(), 3), ids=LARGE_SIZES.keys())
def test_size_is_too_large(size: str) -> None:
    start = time.process_time()
    assert "this size is too large" in message(parse_fun, STM.format(f"x[{size}]"))
    assert time.process_time() - start < 2


LARGE = {
    "statements": BODY.format("let (y : i64) = a[i, j] let (z : i64) = x * y + 1 " * 2_000),
    "literal": STM.format(f"[{'1, ' * 33_000}1] : i64"),
    "names": STM.format(f"concat 0 {'x ' * 50_000}"),
    "long name": STM.format("x" * 100_000),
    "string": BODY.format(f'assert c "{LINE * 33_000}"'),
    "comments": "-- comment\n" * 9_000 + STM.format("x"),
    "comment": f"--{' comment' * 12_000}\n" + STM.format("x"),
    "empty lines": "\n" * 100_000 + STM.format("x"),
    "binders": BODY.format(f"let {'(x : i64) ' * 10_000} = y"),
    "entries": "entry f -> = in ()\n" * 5_000,
    "sizes": BODY.format("let (y : i64) = x[(a+b)*(a+b)*(a+b)*(a+b)*(a+b)*(a+b)*(a+b)] " * 1_600),
    "scaled sizes": STM.format(f"x[({'+'.join(f'a{k}' for k in range(120))}){'*-1' * 30_000}]"),
    "signs in a size": STM.format(f"x[{'- ' * 50_000}a]"),
}


@pytest.mark.parametrize("text", sampled(LARGE.values(), 6, slow=6), ids=LARGE.keys())
def test_large_texts_take_linear_time(text: str) -> None:
    start = time.process_time()
    parse_fun(text)
    assert time.process_time() - start < 2
