"""Types and sizes of programs that are accepted: what inference finds, and writes down."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.infer import check
from funmem.frontends.futhark.infer_show import show
from funmem.frontends.futhark.library import PRELUDE as FOLDER
from funmem.frontends.futhark.library import load_prelude, stated
from funmem.frontends.futhark.loader import load, load_text
from funmem.frontends.futhark.parser import parse
from funmem.frontends.futhark.typing import (
    BuiltinRef,
    Computed,
    GlobalRef,
    LocalRef,
    Typing,
    Witness,
)
from funmem.frontends.inference.type_parts import children
from funmem.frontends.inference.types import Meta, Type
from funmem.ir.diagnostics import SourceError
from funmem.ir.names import Name

PRELUDE = load_prelude()


def typing(text: str, files: Mapping[str, str] | None = None) -> Typing:
    """The tables of a program."""
    others = files or {}
    return check(load_text(text, "test.fut", lambda path: others[path]), PRELUDE)


def type_of(text: str, name: str = "f") -> str:
    """The type of a definition of a program."""
    found = typing(text)
    return next(show(d.scheme.type) for d in found.definitions.values() if d.dec.name == name)


ACCEPTED = {
    # ---- literals, operators
    "def f = 1": "i32",
    "def f = 1.5": "f64",
    "def f = 1 + 2.5": "f64",
    "def f (x: u8) = x + 1": "u8 -> u8",
    "def f x = x + 1": "i32 -> i32",
    "def f : f32 = 3": "f32",
    "def f : u8 = 'c'": "u8",
    "def f = 0xffu8": "u8",
    'def f = "abc"': "[3]u8",
    "def f (x: bool) = !x && x || x == true": "bool -> bool",
    "def f x = -x < 2.0": "f64 -> bool",
    "def f (x: i64) = x ** 2 // 3 %% 4 << 1 >>> 2": "i64 -> i64",
    "def f = i32.f64 2.5 + i32.bool true": "i32",
    "def f = (f32.sqrt 2, u8.popc 3, i64.highest, f64.isnan 1)": "(f32, i32, i64, bool)",
    # ---- functions
    "def f x = x": "t0 -> t0",
    "def f x y = (y, x)": "t0 -> t1 -> (t1, t0)",
    "def f = (+ 1i32)": "i32 -> i32",
    "def f = (2i64 -)": "i64 -> i64",
    "def f = (i32.+)": "i32 -> i32 -> i32",
    "def f = i32.f32 >-> (+ 1)": "f32 -> i32",
    "def f (x: i32) = x |> (+ 1) |> f32.i32": "i32 -> f32",
    "def f (x: i32) = f32.i32 <| (+ 1) <| x": "i32 -> f32",
    "def (<+>) (x: i32) y = x * 10 + y\ndef f = 1 <+> 2 <+> 3": "i32",
    "def g (x: i32) (y: i32) = x\ndef f = 1 `g` 2": "i32",
    "def f (g: i32 -> i32) = g (g 1)": "(i32 -> i32) -> i32",
    "def f = (\\x y -> x + y) 1i64": "i64 -> i64",
    "def f (n: i64): i64 = if n == 0 then 1 else n * f (n - 1)": "i64 -> i64",
    "def length = 3i32\ndef f = length": "i32",
    "def f = let id x = x in (id 1i32, id true)": "(i32, bool)",
    "def f = let g 'a (x: a) = (x, x) in (g 1i32, g true)": "((i32, i32), (bool, bool))",
    # ---- records, sums
    "def f (p: {x: i32, y: bool}) = p.x": "{x: i32, y: bool} -> i32",
    "def f = map (.x) [{x = 1i32, y = true}]": "[1]i32",
    "def f = let {y, x} = {x = 1i32, y = true} in (y, x)": "(bool, i32)",
    "def f (p: {x: {y: i32}}) = p with x.y = 2": "{x: {y: i32}} -> {x: {y: i32}}",
    "type t = #a i32 | #b\ndef f (x: t) = match x case #a y -> y case #b -> 0": (
        "(#a i32 | #b) -> i32"
    ),
    "type p 'a = {l: a, r: a}\ndef f (x: p i32) = x.l": "{l: i32, r: i32} -> i32",
    # ---- control
    "def f = loop x = 1 for i < 10i64 do x + i": "i64",
    "def f (xs: []i32) = loop x = 0 for y in xs do x + y": "[d]i32 -> i32",
    "def f = loop (a, b) = (0i32, 1) while a < 10 do (b, a + b)": "(i32, i32)",
    "def f (x: i32) = loop x for i < 3 do x + i": "i32 -> i32",
    "def f x = assert (x > 0) (x + 1)": "i32 -> i32",
    "def f = f32.(sqrt 2 + pi)": "f32",
    "open i64\ndef f (x: t) = abs x": "i64 -> i64",
    # ---- arrays, sizes
    "def f = [1u8, 2]": "[2]u8",
    "def f = []": "[0]t0",
    "def f [n] (xs: [n]i32) = xs[0] + xs[n - 1]": "[n]i32 -> i32",
    "def f [n] (xs: [n]i32) = xs[1:]": "[n]i32 -> [n - 1]i32",
    "def f [n] (xs: [n]i32) (i: i64) = xs[i:n]": "[n]i32 -> (i: i64) -> [-i + n]i32",
    "def f [n] (xs: [n]i32) = xs[::-1]": "[n]i32 -> [n]i32",
    "def f [n] (xs: [n]i32) = xs[::2]": "[n]i32 -> ?[k].[k]i32",
    "def f (n: i64) = 0..<n": "(n: i64) -> [n]i64",
    "def f (n: i64) = 1...n": "(n: i64) -> [n]i64",
    "def f (n: i64) = 0..2..<n": "i64 -> ?[k].[k]i64",
    "def f (n: i64) = iota (2 * n + 1)": "(n: i64) -> [2*n + 1]i64",
    "def f (n: i64): [n + 1]i64 = iota (1 + n)": "(n: i64) -> [n + 1]i64",
    "def f (n: i64) = let m = n + 1 in iota m": "(n: i64) -> [n + 1]i64",
    "def f xs = map (+ 1) xs": "[d]i32 -> [d]i32",
    "def f xs ys = map2 (+) xs (ys: []i64)": "[d]i64 -> [d]i64 -> [d]i64",
    "def f (xs: []i32) = filter (> 0) xs": "[d]i32 -> ?[k].[k]i32",
    "def f (xs: []i32) : []i32 = map (+ 1) xs": "[d]i32 -> [d]i32",
    "def f [n] (xs: [n]i32) (ys: [n]i32) = zip xs ys": "[n]i32 -> [n]i32 -> [n](i32, i32)",
    "def f [n] [m] (xss: [n][m]i32) = transpose xss": "[n][m]i32 -> [m][n]i32",
    "def f [n] [m] (xss: [n][m]i32) = flatten xss": "[n][m]i32 -> [m*n]i32",
    "def f (n: i64) (m: i64) = unflatten (iota (n * m))": "(n: i64) -> (m: i64) -> [n][m]i64",
    "def f (n: i64) (m: i64) = unflatten (iota (m * n))": "(n: i64) -> (m: i64) -> [m][n]i64",
    "def f (xs: [12]i32) : [3][4]i32 = unflatten xs": "[12]i32 -> [3][4]i32",
    "def f (xs: [12]i32) = (unflatten xs : [3][]i32)": "[12]i32 -> [3][4]i32",
    "def f : [3]i32 = rep 1": "[3]i32",
    "def f (n: i64) = replicate n (replicate 2 0i32)": "(n: i64) -> [n][2]i32",
    "def f (b: bool) (n: i64) = if b then iota n else iota n": "bool -> (n: i64) -> [n]i64",
    "def f (b: bool) (n: i64) = if b then iota n else [1]": "bool -> i64 -> ?[k].[k]i64",
    "def f (n: i64) = loop xs = iota n for i < 3 do map (+ i) xs": "(n: i64) -> [n]i64",
    "def f (n: i64) = loop xs = iota n for i < 3 do xs ++ xs": "i64 -> ?[k].[k]i64",
    "def f n = loop (a, b) = (iota n, iota 3) for i < 3 do (a, a)": (
        "(n: i64) -> ?[k].([n]i64, [k]i64)"
    ),
    "def f [n] (a: [n][n]i32) = loop a for i < 3 do transpose a": "[n][n]i32 -> [n][n]i32",
    "def f (n: i64) = let g x = map (+ 1) x in (g (iota n), g (iota 3))": (
        "(n: i64) -> ([n]i64, [3]i64)"
    ),
    "def f (xs: []i32) = let [k] (ys: [k]i32) = filter (> 0) xs in k": "[d]i32 -> i64",
    "def f (g: []i32 -> []i32) (xs: [3]i32) = g xs": (
        "([3]i32 -> ?[size].[size]i32) -> [3]i32 -> ?[k].[k]i32"
    ),
    "def f [n] (xs: [n]i32) = map (\\x -> iota n) xs": "[n]i32 -> [n][n]i64",
    "def f [n] (as: [n]i32) = map2 (+) (init as) as[1:]": "[n]i32 -> [n - 1]i32",
    "def f (n: i64) : [n / 2]i64 = iota (n / 2)": None,
    "def f (n: i64) = iota (n / 2)\ndef g (m: i64) : [m / 2]i64 = f m": None,
    "type t [n] = [n][n]f32\ndef f (x: t [2]) = x[0]": "[2][2]f32 -> [2]f32",
    "type~ t = []f32\ndef f (x: t) = x": "[d]f32 -> [d]f32",
    "def f = [x + y | x <- [1, 2i64] | y <- iota 2]": "[2]i64",
    "def f = length [x | x <- iota 9, x < 4]": "i64",
    "def f [n] (xs: [n]i32) = [x * 2 | x <- xs]": "[n]i32 -> [n]i32",
    "def f (n: i64) = [(x, y) | x <- 1..<n, y <- x..<n, x * y == n]": None,
    "def f (xs: []i32) = [(k, s) | x <- xs, group by k = x % 3 into s = (+) 0 x]": None,
}


def test_types() -> None:
    """The type of f, up to the numbers of names; None stands for any."""
    shown: dict[str, str | None] = {}
    for text, expected in ACCEPTED.items():
        own = [d for d in typing(text).definitions.values() if d.dec.name == "f"]
        shown[text] = None if expected is None else _plain(show(own[0].scheme.type))
    assert shown == ACCEPTED


def _plain(text: str) -> str:
    """``k_12`` as ``k``, ``?k`` as ``k``, ``*t`` as ``t``."""
    text = re.sub(r"(?<![\w\[])\*(?=[\[(a-z])", "", text)
    return re.sub(r"\b([A-Za-z]+)_\d+\b", r"\1", re.sub(r"\?(?=[a-z])", "", text))


# ---------------------------------------------------------------------- the tables


def test_no_type_is_left_open() -> None:
    """Every expression and pattern has a type, without metavariables."""
    text = "def f [n] (xs: [n]i32) = let ys = map (\\x -> (x, [])) xs in map (.0) ys"
    found = typing(text)
    own = found.definitions["f"].dec
    todo: list[Type] = [found.types[own.exp], found.types[own.params[0]], *found.types.values()]
    while todo:
        t = todo.pop()
        assert not isinstance(t, Meta)
        todo += children(t)


def test_every_binder_has_a_name_of_its_own() -> None:
    """Shadowing is gone."""
    found = typing("def f (x: i32) = let x = x + 1 let x = x * 2 in (\\x -> x) x")
    names = [n for key, n in found.names.items() if isinstance(key, ast.PVar)]
    assert len(names) == len(set(names))
    assert {"x", "x_1", "x_2", "x_3"} <= set(names)


def _refs(found: Typing, source: str) -> list[LocalRef | GlobalRef | BuiltinRef]:
    return [r for q, r in found.refs.items() if str(q) == source and q.at.file == "test.fut"]


def test_explicit_sizes_are_passed() -> None:
    """A size that the callee does not find in its arguments is an argument."""
    found = typing("def f (n: i64) : [n + 1]i32 = rep 0")
    (ref,) = _refs(found, "rep")
    assert isinstance(ref, GlobalRef)
    assert [str(s) for s in ref.sizes] == ["n + 1"]
    assert (
        found.definitions[ref.name].scheme.explicit_sizes
        == found.definitions[ref.name].scheme.sizes
    )


def test_implicit_sizes_are_not_passed() -> None:
    """``map`` finds n in its argument."""
    found = typing("def f [n] (xs: [n]i32) = map (+ 1) xs")
    (ref,) = _refs(found, "map")
    assert isinstance(ref, GlobalRef)
    assert ref.sizes == (None,)
    assert found.definitions["f"].scheme.implicit_sizes == {"n"}


def test_unknown_size_has_a_witness() -> None:
    """What ``filter`` gives has a length, which a variable knows."""
    found = typing(
        "def f (xs: []i32) = let ys = filter (> 0) xs let zs = replicate (length ys) 1i32\n"
        "let us: [2][]i32 = [ys, rep 3] in us"
    )
    (ref,) = _refs(found, "rep")
    assert isinstance(ref, GlobalRef)
    (size,) = ref.sizes
    assert size is not None
    name = size.as_name
    assert name is not None
    assert found.meanings[name] == Witness(Name("ys"), 0)


def test_size_of_a_value_is_an_expression() -> None:
    """``n / 2`` is no polynomial: its name stands for the expression."""
    found = typing("def f (n: i64) : [n / 2]i32 = rep 0")
    (ref,) = _refs(found, "rep")
    assert isinstance(ref, GlobalRef)
    (size,) = ref.sizes
    assert size is not None
    name = size.as_name
    assert name is not None
    means = found.meanings[name]
    assert isinstance(means, Computed)
    assert isinstance(means.exp, ast.BinOp)


def test_types_name_only_sizes_in_scope() -> None:
    """Outside of ``let m`` nothing is of size m."""
    found = typing("def f (g: i64 -> i64) = let xs = (let m = g 3 in iota m) in length xs")
    lets = {e: t for e, t in found.types.items() if isinstance(e, ast.Let)}
    assert "[]i64" in {show(t) for t in lets.values()}


def test_local_functions() -> None:
    """A local function has type parameters only where it is used at several types."""
    found = typing("def f = let p x = (x, x) let q x = [x] in (p 1i32, q 1i32, q true)")
    schemes = {e.name: s for e, s in found.local_schemes.items()}
    assert schemes["p"].types == ()
    assert len(schemes["q"].types) == 1
    assert [len(r.types) for r in _refs(found, "q") if isinstance(r, LocalRef)] == [1, 1]


def test_definitions_come_after_what_they_use() -> None:
    """Of the prelude only what is reached is there."""
    found = typing("def main (xs: []i32) = all (> 0) xs")
    order = list(found.definitions)
    for name, d in found.definitions.items():
        used = _globals(found, d.dec.exp)
        assert all(order.index(u) < order.index(name) for u in used if u != name)
    assert "flatten" not in order


def _globals(found: Typing, e: ast.Exp) -> set[str]:
    match e:
        case ast.Var(q):
            ref = found.refs[q]
            return {ref.name} if isinstance(ref, GlobalRef) else set()
        case ast.App(fn, arg):
            return _globals(found, fn) | _globals(found, arg)
        case ast.Lambda(_, _, body):
            return _globals(found, body)
        case _:
            return set()


def test_whole_prelude() -> None:
    """Every definition of the prelude is checked, not trusted."""
    found = check(load_text("def main = 1", "test.fut"), PRELUDE, all=True)
    names = {d.dec.name for d in found.definitions.values()}
    assert {d.name for d in PRELUDE} <= names


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.fut")), ids=lambda p: p.name)
def test_the_prelude_is_cut_where_definitions_begin(path: Path) -> None:
    """Piece by piece it is what it is as a file, places included; nothing is defined twice."""
    text = path.read_text("utf-8")
    whole = parse(text, path.name).decs
    pieces = tuple(stated(text, path.name))
    assert [repr(d.dec) for d in pieces] == [repr(d) for d in whole]
    assert [d.name for d in pieces] == [d.name for d in whole if isinstance(d, ast.ValDec)]
    assert len({d.name for d in PRELUDE}) == len(PRELUDE)


def test_of_the_prelude_only_what_is_reached_is_parsed() -> None:
    """It is what most of the time of a small program would go to."""
    load_prelude.cache_clear()
    prelude = load_prelude()
    check(load_text("def main (xs: []i32) = map (+ 1) xs", "test.fut"), prelude)
    assert {d.name for d in prelude if d.read is not None} == {"map"}


def test_a_piece_of_the_prelude_is_one_definition() -> None:
    """What begins otherwise would be lost in the piece before it."""
    for text in ("def f = 1\ntype t = i32", "def f = 1\nlet g = 2"):
        (piece,) = stated(text, "x.fut")
        with pytest.raises(SourceError, match="not one definition of `f`"):
            assert piece.dec


def test_entries() -> None:
    """``entry`` and ``main`` of the root file, in order."""
    files = {"lib.fut": "entry other (x: i32) = x"}
    found = typing('import "lib"\nentry one = 1\ndef two = 2\ndef main = other 3', files)
    assert found.entries == ["one", "main"]


# ---------------------------------------------------------------------- files


def test_imports() -> None:
    """Relative to the importing file; opened, or as a module; ``local`` hides."""
    files = {
        "lib/a.fut": 'import "../b"\ndef twice x = double x\nlocal def hidden = 1\ntype t = i64',
        "b.fut": "def double (x: i64) = x + x",
    }
    text = 'import "lib/a"\nmodule b = import "b"\ndef f (x: t) = twice (b.double x)'
    found = typing(text, files)
    assert show(found.definitions["f"].scheme.type) == "i64 -> i64"
    with pytest.raises(Exception, match="no variable `hidden`"):
        typing('import "lib/a"\ndef f = hidden', files)
    with pytest.raises(Exception, match="no variable `double`"):
        typing('import "lib/a"\ndef f = double 1', files)


def test_open_import_hands_on() -> None:
    """``open import`` offers what the file offers; ``local`` hides that, too."""
    files = {
        "a.fut": "def x = 1i32\nmodule n = { def y = 2i32 }\ntype t = i64",
        "b.fut": 'open import "a"\ndef z = x',
        "hiding.fut": 'local open import "a"\ndef z = x',
    }
    found = typing('import "b"\ndef f (q: t) = (q, x + z + n.y)', files)
    assert show(found.definitions["f"].scheme.type) == "i64 -> (i64, i32)"
    found = typing('module m = { open import "a" def q = x }\ndef f (q: m.t) = m.x + m.n.y', files)
    assert show(found.definitions["f"].scheme.type) == "i64 -> i32"
    with pytest.raises(Exception, match="no variable `x`"):
        typing('import "hiding"\ndef f = x', files)


def test_files_are_read_once() -> None:
    """Two ways to one file are one file."""
    read: list[str] = []
    files = {
        "main.fut": 'import "a"\nimport "b"\ndef main = x + y',
        "a.fut": 'import "c"\ndef x = z',
        "b.fut": 'import "c"\ndef y = z',
        "c.fut": "def z = 1i32",
    }

    def reader(path: str) -> str:
        read.append(path)
        return files[path]

    check(load("main.fut", reader), PRELUDE)
    assert sorted(read) == sorted(files)


def test_long_chains_need_no_stack() -> None:
    """2,000 lets under each other."""
    lines = [f"  let x{k + 1} = x{k} + 1" for k in range(2000)]
    typing("\n".join(["def main (x0: i32) =", *lines, "  in x2000"]))
