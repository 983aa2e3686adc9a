"""What a text means: one tree per text, spelled out with all its parentheses.

That these are Futhark's own readings was checked against its parser, tree by tree.
"""

import time

import pytest

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.parse_base import MAX_DEPTH, MAX_LETS
from funmem.frontends.futhark.parser import parse, parse_exp, parse_type
from funmem.ir.diagnostics import SourceError, Span
from funmem.ir.scalars import F16, F32, F64, I64, U8, ScalarType
from tests.support.futhark_trees import spelled
from tests.support.paths import ROOT

OPERATORS = {
    # precedence
    "a + b * c": "(+ a (* b c))",
    "a * b ** c": "(* a (** b c))",
    "a << b + c": "(<< a (+ b c))",
    "a & b == c": "(== (& a b) c)",
    "a | b && c": "(&& (| a b) c)",
    "a && b || c && d": "(|| (&& a b) (&& c d))",
    "a || b |> c": "(|> (|| a b) c)",
    "a || b <| c": "(<| (|| a b) c)",
    "a |> b <| c": "(|> a (<| b c))",
    "a <| b |> c": "(|> (<| a b) c)",
    "a + b `f` c + d": "(f (+ a b) (+ c d))",
    "a |> b `f` c": "(f (|> a b) c)",
    # associativity
    "a - b - c": "(- (- a b) c)",
    "a ** b ** c": "(** (** a b) c)",
    "a & b | c ^ d": "(^ (| (& a b) c) d)",
    "a == b == c": "(== (== a b) c)",
    "a < b == c": "(== (< a b) c)",
    "a |> b |> c": "(|> (|> a b) c)",
    "a <| b <| c": "(<| a (<| b c))",
    "a `f` b `g` c": "(g (f a b) c)",
    # user-defined: by the first characters
    "a +++ b *** c": "(+++ a (*** b c))",
    "a <|+ b |> c": "(|> (<|+ a b) c)",
    "a |>> b <| c": "(|>> a (<| b c))",
    "a >>> b + c": "(>>> a (+ b c))",
    "a !! b + c": "(!! a (+ b c))",
    "a =+ b == c": "(== (=+ a b) c)",
    "a &&& b == c": "(&&& a (== b c))",
    "a ||| b && c": "(||| a (&& b c))",
    "a -* b * c": "(-* a (* b c))",
    "a +. b": "(+. a b)",
    "f >-> g <-< h": "(<-< (>-> f g) h)",
    "a i32.* b + c": "(+ (i32.* a b) c)",
    "a m.n'.+ b": "(m.n'.+ a b)",
    "a `m.f` b": "(m.f a b)",
    # prefix
    "-a ** b": "(** (Neg a) b)",
    "-f a b + c": "(+ (Neg ((f a) b)) c)",
    "!a && b": "(&& (Not a) b)",
    "-a[0]": "(Neg (Index a [0]))",
    "-a.0": "(Neg (Project a 0))",
    "a - -b": "(- a (Neg b))",
    "a * -b": "(* a (Neg b))",
    "- -a": "(Neg (Neg a))",
    "f -1": "(- f 1)",
    "f (-1) 2": "((f (Neg 1)) 2)",
    "-if a then b else c + 1": "(Neg (If a b (+ c 1)))",
    # ranges, updates, ascriptions
    "a + 1..<b": "(Range (+ a 1) None b ..<)",
    "0..2..<n": "(Range 0 2 n ..<)",
    "n-1..>0": "(Range (- n 1) None 0 ..>)",
    "1...2": "(Range 1 None 2 ...)",
    "a..<b..<c": "(Range a None (Range b None c ..<) ..<)",
    "a..<b |> f": "(Range a None (|> b f) ..<)",
    "f a..<b": "(Range (f a) None b ..<)",
    "a...b `f` c": "(Range a None (f b c) ...)",
    "a + x with [0] = 1 + 2 |> f": "(Update (+ a x) [0] (|> (+ 1 2) f))",
    "x with [0] = 1 with [1] = 2": "(Update (Update x [0] 1) [1] 2)",
    "x with a.b = 1": "(RecordUpdate x [a b] 1)",
    "x with a[0].b = 1": "(PathUpdate x [a [0] b] 1)",
    "x with [0][1].b = 1": "(PathUpdate x [[0] [1] b] 1)",
    "a `f` b with [0] = 1": "(f a (Update b [0] 1))",
    "x with [0] = 1 `f` c": "(f (Update x [0] 1) c)",
    "a + b : i32": "(Ascript (+ a b) i32)",
    "a : i32 :> t": "(Coerce (Ascript a i32) t)",
    "a..<b : t": "(Ascript (Range a None b ..<) t)",
}

ATOMS = {
    # adjacency
    "a[i]": "(Index a [i])",
    "f [x]": "(f (ArrayLit [x]))",
    "f a[i] [x]": "((f (Index a [i])) (ArrayLit [x]))",
    "(f)[0]": "(Index f [0])",
    "[1, 2][0]": "(Index (ArrayLit [1 2]) [0])",
    '"abc"[0]': "((StringLit b'abc') (ArrayLit [0]))",
    "{a = 1}[0]": "((RecordLit [[a 1]]) (ArrayLit [0]))",
    "#a[0]": "(Index (Constr a []) [0])",
    "a[0][1].b": "(Project (Index (Index a [0]) [1]) b)",
    "x[i, 1:2, :, ::2, 1:, -1]": (
        "(Index x [i (SliceDim 1 2 None) (SliceDim None None None) (SliceDim None None 2) "
        "(SliceDim 1 None None) (Neg 1)])"
    ),
    "x[::-1]": "(Index x [(SliceDim None None (Neg 1))])",
    # names and projections
    "m.n.x": "m.n.x",
    "x . y": "x.y",
    "x.y.0": "(Project x.y 0)",
    "x.0.1": "(Project (Project x 0) 1)",
    "(x).y": "(Project x y)",
    "f x.y z": "((f x.y) z)",
    "x[0].y.z": "(Project (Project (Index x [0]) y) z)",
    "m.(x + 1).0": "(Project (OpenIn m (+ x 1)) 0)",
    # constructors
    "#a 1 x": "(Constr a [1 x])",
    "f #a 1": "((f (Constr a [])) 1)",
    "#a (#b 1)": "(Constr a [(Constr b [1])])",
    "#a - 1": "(- (Constr a []) 1)",
    # sections
    "(+)": "+",
    "(i32.+)": "i32.+",
    "(-)": "-",
    "(+ 1)": "(OpSectionRight + 1)",
    "(1 +)": "(OpSectionLeft 1 +)",
    "(- 1)": "(Neg 1)",
    "(x-1)": "(- x 1)",
    "(x -1)": "(- x 1)",
    "(1 -)": "(OpSectionLeft 1 -)",
    "(i32.- 1)": "(OpSectionRight i32.- 1)",
    "(1 + 2 +)": "(OpSectionLeft (+ 1 2) +)",
    "(+ 1 + 2)": "(OpSectionRight + (+ 1 2))",
    "(|> f)": "(OpSectionRight |> f)",
    "(`g` x)": "(OpSectionRight g x)",
    "(f x `g`)": "(OpSectionLeft (f x) g)",
    "(`m.g`)": "m.g",
    "(!x &&)": "(OpSectionLeft (Not x) &&)",
    "(.a.0)": "(ProjectSection [a 0])",
    "(.[i, 1:])": "(IndexSection [i (SliceDim 1 None None)])",
    "(.a[i].0)": "(PathSection [a [i] 0])",
    "(.[i].a)": "(PathSection [[i] a])",
    # brackets
    "()": "(Tuple [])",
    "(a)": "a",
    "(a : t, b)": "(Tuple [(Ascript a t) b])",
    "{}": "(RecordLit [])",
    "{a = 1, x,}": "(RecordLit [[a 1] [x x]])",
    "[]": "(ArrayLit [])",
    "[1, 2,]": "(ArrayLit [1 2])",
    "[a | b, c]": "(ArrayLit [(| a b) c])",
    "f () ???": "((f (Tuple [])) (Hole))",
}

FORMS = {
    "if a then b else c : t": "(If a b (Ascript c t))",
    "1 + if a then b else c + 2": "(+ 1 (If a b (+ c 2)))",
    "if a then b else if c then d else e": "(If a b (If c d e))",
    "let x = 1 in x + 1": "(Let [] x 1 (+ x 1))",
    "let x = 1 let y = x in y": "(Let [] x 1 (Let [] y x y))",
    "let x = 1 in let y = x in y": "(Let [] x 1 (Let [] y x y))",
    "1 + let x = 1 in x + 1": "(+ 1 (Let [] x 1 (+ x 1)))",
    "let [n][m] (x: [n]t) = e in n": "(Let [n m] (PAscript x (TEArray n t)) e n)",
    "let (x, _) : t = e in x": "(Let [] (PAscript (PTuple [x (PWild)]) t) e x)",
    "let {a, b = c, d: t} = e in a": "(Let [] (PRecord [[a a] [b c] [d (PAscript d t)]]) e a)",
    "let #c (x, 1) = e in x": "(Let [] (PConstr c [(PTuple [x (PLit 1)])]) e x)",
    "let f x y: t = e in f": "(LetFun f [] [x y] t e f)",
    "let f [n] 'a (x: [n]a) = x in f": (
        "(LetFun f [(TypeParam [] n) (TypeParam ' a)] [(PAscript x (TEArray n a))] None x f)"
    ),
    "let (++) = e in f": "(Let [] ++ e f)",
    "let x[i, j] = e in x": "(LetWith x [i j] e x)",
    "let #[a(b, 1)] x = 1 in x": "(Let [] x 1 x)",
    "loop x = 1 for i < n do x * 2": "(Loop [] x 1 (ForLess i n) (* x 2))",
    "loop (x, y) for i < n do e": "(Loop [] (PTuple [x y]) None (ForLess i n) e)",
    "loop x for (a, b) in xs do e": "(Loop [] x None (ForIn (PTuple [a b]) xs) e)",
    "loop x: t = 1 while x < 3 do e": "(Loop [] (PAscript x t) 1 (While (< x 3)) e)",
    "loop [n] (x: [n]t) = e while c do e": "(Loop [n] (PAscript x (TEArray n t)) e (While c) e)",
    "match x case 1 -> a case _ -> b": "(Match x [(Case (PLit 1) a) (Case (PWild) b)])",
    "match x case #c (-1) y -> a": "(Match x [(Case (PConstr c [(PLit (Neg 1)) y]) a)])",
    "match x case -1f32 -> a : t": "(Ascript (Match x [(Case (PLit (Neg 1f32)) a)]) t)",
    "match x case a -> match y case b -> 1 case c -> 2": (
        "(Match x [(Case a (Match y [(Case b 1) (Case c 2)]))])"
    ),
    "\\x -> x |> f": "(Lambda [x] None (|> x f))",
    "\\x (y, _): *t a -> x : t": (
        "(Lambda [x (PTuple [y (PWild)])] (TEUnique (TEApply t a)) (Ascript x t))"
    ),
    "f a \\x -> x + 1": "((f a) (Lambda [x] None (+ x 1)))",
    "a |> map (\\x -> x) |> f": "(|> (|> a (map (Lambda [x] None x))) f)",
    "assert (x>0 &&  -y<2) y.z + 1": (
        "(+ (Assert (&& (> x 0) (< (Neg y) 2)) y.z (x > 0 && -y < 2)) 1)"
    ),
    "assert xs[i,j].0 x": "(Assert (Project (Index xs [i j]) 0) x xs[i, j].0)",
    "#[unroll] a + #[b] c : t": "(+ a (Ascript c t))",
}

COMPREHENSIONS = {
    "[x | x <- xs]": "(Comprehension x (QBind x xs))",
    "[(a, b) | (a, b) <- xs, a < b]": (
        "(Comprehension (Tuple [a b]) (QSeq [(QBind (PTuple [a b]) xs) (QFilter (< a b))]))"
    ),
    "[x | x <- xs, y <- 1..<x | z <- zs]": (
        "(Comprehension x (QZip [(QSeq [(QBind x xs) (QBind y (Range 1 None x ..<))]) "
        "(QBind z zs)]))"
    ),
    "[x | (x <- xs | y <- ys), z <- zs]": (
        "(Comprehension x (QSeq [(QZip [(QBind x xs) (QBind y ys)]) (QBind z zs)]))"
    ),
    "[x | ((x <- xs) | y <- ys)]": "(Comprehension x (QZip [(QBind x xs) (QBind y ys)]))",
    "[(a | b) | a <- xs, a || b]": (
        "(Comprehension (| a b) (QSeq [(QBind a xs) (QFilter (|| a b))]))"
    ),
    "[[a | b] | a <- xs]": "(Comprehension (ArrayLit [(| a b)]) (QBind a xs))",
    "[a | b, c]": "(ArrayLit [(| a b) c])",
    "[[x | x <- y] | y <- ys]": "(Comprehension (Comprehension x (QBind x y)) (QBind y ys))",
    "[x | x <- xs, order by -x]": "(Comprehension x (QSeq [(QBind x xs) (QOrder (Neg x))]))",
    "[k | x <- xs, group by x % 3]": (
        "(Comprehension k (QSeq [(QBind x xs) (QGroup None (% x 3) [])]))"
    ),
    "[(k, s) | x <- xs, group by k = f x into s = (+) 0 x*x into m = i32.max 0 x]": (
        "(Comprehension (Tuple [k s]) (QSeq [(QBind x xs) (QGroup k (f x) "
        "[(QFold s + 0 (* x x)) (QFold m i32.max 0 x)])]))"
    ),
    "[order by group | by <- into, order > group]": (
        "(Comprehension ((order by) group) (QSeq [(QBind by into) (QFilter (> order group))]))"
    ),
    "[x : #a | x <- xs]": "(Comprehension (Ascript x (TESum [[a []]])) (QBind x xs))",
}

TYPES = {
    "i32": "i32",
    "m.t": "m.t",
    "[n][2]i32": "(TEArray n (TEArray 2 i32))",
    "[][n + 1]t a": "(TEArray None (TEArray (+ n 1) (TEApply t a)))",
    "t [n] a []": "(TEApply (TEApply (TEApply t (TESize n)) a) (TESize None))",
    "*[]i32": "(TEUnique (TEArray None i32))",
    "a -> b -> c": "(TEArrow None a (TEArrow None b c))",
    "(a -> b) -> c": "(TEArrow None (TEArrow None a b) c)",
    "(n: i64) -> [n]t": "(TEArrow n i64 (TEArray n t))",
    "[n]a -> b": "(TEArrow None (TEArray n a) b)",
    "(a, b)": "(TETuple [a b])",
    "()": "(TETuple [])",
    "((a))": "a",
    "{x: a, 0: b,}": "(TERecord [[x a] [0 b]])",
    "#a | #b t [n] u (v, w)": ("(TESum [[a []] [b [t (TEArray n (TEApply u (TETuple [v w])))]]])"),
    "?[n][m].[n][m]t": "(TEExists [n m] (TEArray n (TEArray m t)))",
    "[f x]t": "(TEArray (f x) t)",
}

FILES = {
    "def x = 1": "(ValDec x [] [] None 1 False)",
    "let x: t = 1": "(ValDec x [] [] t 1 False)",
    "entry main (x: t): t = x": "(ValDec main [] [(PAscript x t)] t x True)",
    "def f[n] 'a '~b '^c (x: [n]a) _ = x": (
        "(ValDec f [(TypeParam [] n) (TypeParam ' a) (TypeParam '~ b) (TypeParam '^ c)] "
        "[(PAscript x (TEArray n a)) (PWild)] None x False)"
    ),
    "def (+++) a b = a": "(ValDec +++ [] [a b] None a False)",
    "def a +++ b = a": "(ValDec +++ [] [a b] None a False)",
    "def (a: t) - b: t = a": "(ValDec - [] [(PAscript a t) b] t a False)",
    "def a `f` b = a": "(ValDec f [] [a b] None a False)",
    "#[a] #[b] def x = 1": "(ValDec x [] [] None 1 False)",
    "local local def x = 1": "(Local (Local (ValDec x [] [] None 1 False)))",
    "type t = i32": "(TypeDec t [] i32 ')",
    "type~ t 'a [n] = [n]a": ("(TypeDec t [(TypeParam ' a) (TypeParam [] n)] (TEArray n a) '~)"),
    "type^ t = a -> b": "(TypeDec t [] (TEArrow None a b) '^)",
    "open m.n": "(Open m.n)",
    'import "a/b"': "(Local (Import a/b None))",
    'open import "a"': "(Import a None)",
    'module m = import "a"': "(Import a m)",
    "open f m": "(OpenModule (ModApply (ModName f) (ModName m)))",
    "open { def x = 1 }": "(OpenModule (ModStruct [(ValDec x [] [] None 1 False)]))",
    "module m = n.o": "(ModuleDec m [] None (ModName n.o))",
    "module m = { local open n type t = u }": (
        "(ModuleDec m [] None (ModStruct [(Local (Open n)) (TypeDec t [] u ')]))"
    ),
    "module m (p: s) (q: r.t): u = f p {} (g q)": (
        "(ModuleDec m [(ModParam p (SigName s)) (ModParam q (SigName r.t))] (SigName u) "
        "(ModApply (ModApply (ModApply (ModName f) (ModName p)) (ModStruct [])) "
        "(ModApply (ModName g) (ModName q))))"
    ),
    "module m = \\(p: s): t -> p : u": (
        "(ModuleDec m [] None (ModLambda [(ModParam p (SigName s))] (SigName t) "
        "(ModAscript (ModName p) (SigName u))))"
    ),
    "module type s = t with a.b 'c = d with e = f": (
        "(ModuleTypeDec s (SigWith (SigWith (SigName t) a.b [(TypeParam ' c)] d) e [] f))"
    ),
    "module type s = (a: t) -> {} -> u": (
        "(ModuleTypeDec s (SigArrow a (SigName t) (SigArrow None (SigSpecs []) (SigName u))))"
    ),
    "module type s = { val f [n] : [n]a val + : a val (-) : a #[x] type~ t 'a type u = a "
    "module m : s include s with t = a }": (
        "(ModuleTypeDec s (SigSpecs [(ValSpec f [(TypeParam [] n)] (TEArray n a)) (ValSpec + [] a) "
        "(ValSpec - [] a) (TypeSpec t [(TypeParam ' a)] '~) (TypeDec u [] a ') "
        "(ModSpec m (SigName s)) (Include (SigWith (SigName s) t [] a))]))"
    ),
    "-- | about x\ndef x = 1 -- one\n-- end": "(ValDec x [] [] None 1 False)",
    "": "",
}


def test_expressions() -> None:
    trees = OPERATORS | ATOMS | FORMS | COMPREHENSIONS
    assert {text: spelled(parse_exp(text)) for text in trees} == trees
    inside = {text: spelled(parse_exp(f"(\n{text} -- comment\n)")) for text in trees}
    assert inside == trees


def test_types() -> None:
    assert {text: spelled(parse_type(text)) for text in TYPES} == TYPES


@pytest.mark.parametrize(("text", "tree"), FILES.items())
def test_declarations(text: str, tree: str) -> None:
    file = parse(text, "a.fut")
    assert " ".join(map(spelled, file.decs)) == tree
    twice = parse(f"{text}\n{text}", "a.fut")
    assert len(twice.decs) == 2 * len(file.decs)


# ---------------------------------------------------------------------- literals

INTEGERS: dict[str, tuple[int, ScalarType | None]] = {
    "0": (0, None),
    "1_000": (1000, None),
    "08": (8, None),
    "12i64": (12, I64),
    "1f32": (1, F32),
    "0xff": (255, None),
    "0XfF_ffu8": (65535, U8),
    "0x1f32": (0x1F32, None),
    "0b1_01u8": (5, U8),
    "0rMCMXCIV": (1994, None),
    "99999999999999999999": (99999999999999999999, None),
}
REALS: dict[str, tuple[float, ScalarType | None]] = {
    "1.5": (1.5, None),
    "1e3": (1000.0, None),
    "1.5E-3f64": (1.5e-3, F64),
    "0.1f32": (0.10000000149011612, F32),
    "1_0.2_5f16": (10.25, F16),
    "0x1.8p3": (12.0, None),
    "0xA.8P-1f32": (5.25, F32),
    "1e999": (float("inf"), None),
    "0x1.0p9999": (float("inf"), None),
}


@pytest.mark.parametrize(("text", "expected"), INTEGERS.items())
def test_integers(text: str, expected: tuple[int, ScalarType | None]) -> None:
    e = parse_exp(text)
    assert isinstance(e, ast.IntLit)
    assert (e.value, e.suffix) == expected


@pytest.mark.parametrize(("text", "expected"), REALS.items())
def test_reals(text: str, expected: tuple[float, ScalarType | None]) -> None:
    e = parse_exp(text)
    assert isinstance(e, ast.FloatLit)
    assert (e.value, e.suffix) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    {
        "'a'": 97,
        r"'\''": 39,
        r"'\\'": 92,
        r"'\n'": 10,
        r"'\65'": 65,
        r"'\x41'": 65,
        "'é'": 233,
    }.items(),
)
def test_characters(text: str, code: int) -> None:
    e = parse_exp(text)
    assert isinstance(e, ast.CharLit)
    assert e.value == code


@pytest.mark.parametrize(
    ("text", "value"),
    {
        '""': b"",
        '"a b"': b"a b",
        r'"\n\t\"\\\'"': b"\n\t\"\\'",
        r'"\65\x41\o101\^A\DEL\SO\&H"': b"AAA\x01\x7f\x0eH",
        '"é"': "é".encode(),
        r'"a\   \b"': b"ab",
        '"-- no comment"': b"-- no comment",
    }.items(),
)
def test_strings(text: str, value: bytes) -> None:
    e = parse_exp(text)
    assert isinstance(e, ast.StringLit)
    assert e.value == value


# ---------------------------------------------------------------------- places


def test_places() -> None:
    text = "def f (x: i32) =\n  let y = x +\n    1\n  in m.y.0"
    (dec,) = parse(text, "a.fut").decs
    assert isinstance(dec, ast.ValDec)
    assert dec.at == Span("a.fut", 1, 1, 17)  # of its first line
    assert dec.params[0].at == Span("a.fut", 1, 8, 14)
    let = dec.exp
    assert isinstance(let, ast.Let)
    assert let.at == Span("a.fut", 2, 3, 14)
    assert isinstance(let.exp, ast.BinOp)
    assert let.exp.at == Span("a.fut", 2, 11, 14)
    assert let.exp.op.at == Span("a.fut", 2, 13, 14)
    assert isinstance(let.body, ast.Project)
    assert let.body.at == Span("a.fut", 4, 6, 11)
    assert let.body.exp.at == Span("a.fut", 4, 6, 9)


# ---------------------------------------------------------------------- size

LONG = {
    "parentheses": "(" * 10_000,
    "closed parentheses": "(" * 10_000 + "x" + ")" * 10_000,
    "arrays": "[" * 10_000,
    "records": "{a=" * 1_000,
    "indices": "x[" * 1_000,
    "sections": "(+ " * 1_000,
    "constructors": "#a (" * 1_000,
    "asserts": "assert (" * 1_000,
    "local opens": "m.(" * 1_000,
    "comprehensions": "[x | x <- " * 1_000,
    "filters": "[x | x <- xs, " * 1_000,
    "qualifiers": "[x | " + "(" * 1_000 + "x <- xs",
    "lambdas": "\\x -> " * 1_000 + "1",
    "ifs": "if a then b else " * 1_000 + "c",
    "matches": "match x case 1 -> " * 1_000,
    "loops": "loop x = " * 1_000,
    "minuses": "- " * 1_000 + "x",
    "ranges": "..<".join(["1"] * 1_000),
    "ascriptions": "x" + " : i32" * 1_000,
    "updates": "x" + " with [0] = 1" * 1_000,
    "array types": "x : " + "[]" * 1_000 + "i32",
    "types": "x : " + "(" * 1_000,
    "sizes": "x : " + "[" * 1_000,
    "function types": "x : " + "i32 -> " * 1_000 + "i32",
    "type applications": "x : t " + "i32 " * 1_000,
    "patterns": "\\" + "(" * 1_000,
    "record patterns": "let " + "{a = " * 1_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_deep_nesting_is_refused(text: str) -> None:
    start = time.process_time()
    with pytest.raises(SourceError, match="too deeply nested"):
        parse(f"def x = {text}", "a.fut")
    assert time.process_time() - start < 3


@pytest.mark.parametrize("joined", [" ", " in "])
def test_lets_may_be_many(joined: str) -> None:
    lets = joined.join(["let x = 1"] * MAX_LETS)
    parse(f"def x = {lets} in x", "a.fut")
    with pytest.raises(SourceError, match="more than 2000 lets in a row"):
        parse(f"def x = {lets} let y = 1 in x", "a.fut")


CHAINS = {
    "additions": " + ".join(["x"] * 2_000),
    "powers": " ** ".join(["x"] * 2_000),
    "pipes": "x |> " + " |> ".join(["f"] * 2_000),
    "mixed": " + ".join(["x * x - x"] * 1_000),
    "arguments": "f " + " ".join(["x"] * 2_000),
    "fields": "(f x)" + ".a" * 2_000,
    "elements": "x" + "[0]" * 2_000,
}


@pytest.mark.parametrize("text", CHAINS.values(), ids=CHAINS.keys())
def test_a_chain_is_one_level(text: str) -> None:
    """Depth is nesting, not length."""
    parse(f"def y = ({text})", "a.fut")


def test_a_chain_has_an_end() -> None:
    with pytest.raises(SourceError, match="a chain of more than 4000 parts"):
        parse(f"def y = {' + '.join(['x'] * 4_002)}", "a.fut")


def test_wide_texts() -> None:
    start = time.process_time()
    parse("def x = [" + "1, " * 20_000 + "]", "a.fut")
    parse("def x = 1\n" * 3_000, "a.fut")
    parse("def x = " + "x." * 50_000 + "y", "a.fut")
    parse("def x = [y | " + " | ".join(["x <- y, x > 1"] * 2_000) + "]", "a.fut")
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "form",
    ["({})", "f ({})", "1 + ({})", "if a then b else {}", "\\x -> {}", "let x = {} in x", "m.({})"],
)
def test_as_deep_as_promised(form: str) -> None:
    text = "1"
    for _ in range(MAX_DEPTH - 5):
        text = form.format(text)
    try:
        parse_exp(text)
    except SourceError:
        assert form == "1 + ({})"  # two levels at a time


def test_speed() -> None:
    """A program of 1,000 lines takes well under 150 ms on one core; allow for slow ones."""
    lines = "  let a{0} = map (\\x -> x * {0} + y[i]) xs\n"
    body = "".join(lines.format(k) for k in range(18))
    decs = "".join(f"def f{k} [n] (xs: [n]i32) =\n{body}  in a1\n" for k in range(50))
    assert decs.count("\n") == 1000
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        parse(decs, "a.fut")
        best = min(best, time.process_time() - start)
    print(f"{best * 1000:.0f} ms for 1000 lines")
    assert best < 1.0


def test_repository_programs() -> None:
    """Those that are wrong on purpose may be wrong for their syntax."""
    root = ROOT
    for folder in ("tests/programs", "papers"):
        for path in sorted(root.glob(f"{folder}/**/*.fut"))[::4]:
            text = path.read_text(encoding="utf-8")
            try:
                parse(text, str(path))
            except SourceError:
                assert "-- error" in text, path
