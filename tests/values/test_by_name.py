"""``funmem/values/by_name.py``: records, tuples and sums as arguments and results."""

import inspect
import pickle
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import funmem
from funmem import Variant
from funmem.api import Via
from funmem.driver.entry_points import signature_of
from funmem.ir.signature import signature
from funmem.values.by_name import called_by_name
from tests.support.devices import needs_compiler

TEXT = """
type point = {x: f32, y: f32}
type option = #none | #some i32
type nest = #pair i32 f32 | #both f32 f32 | #inner option i32 | #at point | #nothing

entry half (o: option) : option =
  match o case #none -> #none
          case #some v -> if v % 2 == 0 then #some (v / 2) else #none

entry same (v: nest) : nest = v

entry turned (v: nest) : nest =
  match v case #pair i f   -> #both f (f32.i32 i)
          case #both f g   -> #at {x = g, y = f}
          case #inner o k  -> #inner (match o case #none -> #some k case #some v -> #some (v + k)) 7
          case #at p       -> #pair (i32.f32 p.x) p.y
          case #nothing    -> #inner #none 1

entry moved (p: point) (k: (i32, i64)) : {at: point, n: (i64, i32), lambda: f32} =
  {at = {x = p.x + 1, y = p.y}, n = (k.1, k.0), lambda = 2}

entry area [n] (s: #disc f32 | #poly ([n]f32) i64) (xs: [n]f32) : f32 =
  match s case #disc r -> r * reduce (+) 0 xs
          case #poly ys k -> ys[k] + reduce (+) 0 (map2 (*) xs ys)

entry shifted [n] (ps: [n]point) : [n]point = map (\\p -> {x = p.x + 1, y = p.y}) ps

entry halves [n] (os: [n]option) : [n]option =
  map (\\o -> match o case #none -> #none case #some v -> #some (v / 2)) os
"""
POINT = namedtuple("POINT", "x y")
VIA: list[Any] = ["core", "value", pytest.param("c", marks=needs_compiler)]


@pytest.fixture(scope="module")
def program() -> Any:
    return funmem.parse(TEXT, "fut")


@pytest.fixture(scope="module")
def compiled(program: Any) -> funmem.CompiledProgram:
    return funmem.compile(program, target="c")


@pytest.mark.parametrize("via", VIA)
def test_variants_in_and_out(program: Any, via: Via, request: pytest.FixtureRequest) -> None:
    """Finds slots in another order than the passes', and payloads that share a slot."""

    def run(entry: str, *args: Any) -> Any:
        if via == "c":
            return request.getfixturevalue("compiled").entry(entry)(*args)
        source = TEXT if via == "core" else program
        return funmem.run(source, *args, entry=entry, via=via, language="fut")

    assert run("half", Variant("some", 6)) == Variant("some", 3)
    assert run("half", Variant("some", 7)) == run("half", Variant("none")) == Variant("none")
    turned = {
        Variant("pair", 3, 0.5): Variant("both", 0.5, 3.0),
        Variant("both", 1.0, 2.0): Variant("at", POINT(2.0, 1.0)),
        Variant("inner", Variant("none"), 4): Variant("inner", Variant("some", 4), 7),
        Variant("inner", Variant("some", 2), 4): Variant("inner", Variant("some", 6), 7),
        Variant("at", {"x": 2, "y": 3}): Variant("pair", 2, 3.0),
        Variant("nothing"): Variant("inner", Variant("none"), 1),
    }
    for given, wanted in turned.items():
        assert run("turned", given) == wanted
        assert run("same", wanted) == wanted
    xs = np.arange(1, 4, dtype=np.float32)
    assert run("area", Variant("disc", 2.0), xs) == 12, "the unused slot has the size of xs"
    assert run("area", Variant("poly", xs, 1), xs) == 16


@needs_compiler
def test_records_by_name(compiled: funmem.CompiledProgram) -> None:
    """Finds fields in the order of the argument instead of the type."""

    @dataclass
    class Point:
        y: float
        x: float

    pair = namedtuple("pair", "y x")
    for p in ({"y": 2, "x": 1}, Point(y=2, x=1), pair(y=2, x=1)):
        found = compiled.moved(p, k=(3, 4))
        assert found == ((2.0, 2.0), 2.0, (4, 3)), "fields in the type's order"
        assert (found.at.x, found.at.y, found.n, found.x_lambda) == (2.0, 2.0, (4, 3), 2.0)
    assert compiled.moved(found.at, (3, 4)).at.x == 3.0, "results are arguments"
    assert compiled.moved(1, 2, 3, 4).n == (4, 3), "an argument for each part"
    xs = np.arange(2, dtype=np.float32)
    points = compiled.shifted({"x": xs, "y": xs})
    assert points.x.tolist() == [1.0, 2.0]
    assert points.y.tolist() == [0.0, 1.0]
    tags, slots = compiled.halves((np.array([0, 1], np.int8), np.array([0, 8], np.int32)))
    assert (tags.tolist(), slots.tolist()) == ([0, 1], [0, 4])


@needs_compiler
def test_what_it_says_of_itself(compiled: funmem.CompiledProgram) -> None:
    assert compiled.half.signature == "(o: #none | #some i32) -> #none | #some i32"
    text = (
        "(p: {x: f32, y: f32}, k: (i32, i64)) -> {at: {x: f32, y: f32}, lambda: f32, n: (i64, i32)}"
    )
    assert compiled.moved.signature == str(compiled.signature("moved")) == text
    assert list(inspect.signature(compiled.moved).parameters) == ["p", "k"]
    area = "(s: #disc f32 | #poly f32[n] i64, xs: f32[n]) -> f32"
    assert repr(compiled.area) == f"<funmem entry point area{area} on C>"
    inner = "#at {x: f32, y: f32} | #both f32 f32 | #inner (#none | #some i32) i32"
    assert compiled.same.signature.startswith(f"(v: {inner} | #nothing | #pair i32 f32) -> ")
    assert compiled.halves.signature == "(os: (i8[n], i32[n])) -> (i8[n], i32[n])"


WRONG: list[tuple[str, tuple[Any, ...], str, str]] = [
    ("half", (Variant("sum", 1),), "`o`: there is no constructor `#sum`", "are `#none`, `#some`"),
    ("half", (Variant("some"),), "`o`: `#some` takes 1 value(s), got 0", ""),
    ("half", (Variant("some", 1.5),), "`o.payload[0]`: expected i32, got the float 1.5", ""),
    ("half", ([3],), "`o`: expected a Variant, got a list", "funmem.Variant('some', …)"),
    ("half", (1, 2, 3), "`half` takes 1 argument(s), got 3", "(o: #none | #some i32) -> "),
    ("same", (Variant("at", {"x": 1}),), "`v.payload[0]`: expected a record of `x`, `y`", ""),
    ("same", (Variant("inner", 3, 4),), "`v.payload[0]`: expected a Variant, got an int", ""),
    ("moved", ({"x": 1, "z": 2}, (1, 2)), "of `x`, `y`, got one of `x`, `z`", "a dict"),
    ("moved", ({"x": 1, "y": "a"}, (1, 2)), "`p.y`: expected f32, got a str", ""),
    ("moved", ({"x": 1, "y": 2}, (1, 2, 3)), "`k`: expected a tuple of 2, got one of 3", ""),
    ("moved", ({"x": 1, "y": 2}, (1, 2.5)), "`k[1]`: expected i64, got the float 2.5", ""),
]


@needs_compiler
@pytest.mark.parametrize(("entry", "args", "message", "hint"), WRONG)
def test_arguments_that_do_not_fit(
    compiled: funmem.CompiledProgram, entry: str, args: tuple[Any, ...], message: str, hint: str
) -> None:
    with pytest.raises(funmem.InputError) as caught:
        compiled.entry(entry)(*args)
    found = caught.value.diagnostic
    assert message in found.message
    assert hint in found.hint


@pytest.mark.slow
@needs_compiler
def test_written_modules(compiled: funmem.CompiledProgram, tmp_path: Path) -> None:
    """Finds results that are built in another order than the engine returns them."""
    path = compiled.write(tmp_path, "named")
    names: dict[str, Any] = {"__file__": str(path), "__name__": "named"}
    exec(path.read_text(), names)
    found = names["moved"]({"y": 2, "x": 1}, k=(3, 4))
    assert found == ((2.0, 2.0), 2.0, (4, 3))
    assert type(found.at) is names["MovedAt"]
    assert names["moved"](found.at, [3, 4]).at.x == 3.0, "results are arguments"
    xs = np.arange(3, dtype=np.float32)
    assert names["shifted"]({"y": xs, "x": xs}).x.tolist() == [1.0, 2.0, 3.0]
    assert names["area"](Variant("poly", xs, 2), xs) == 7
    for v in (Variant("inner", Variant("some", 2), 4), Variant("at", {"x": 2, "y": 3})):
        assert names["turned"](v) == compiled.turned(v)
    with pytest.raises(funmem.InputError, match="`o`: there is no constructor `#sum`"):
        names["half"](Variant("sum", 1))


NOVA = """((m : Maybe) (x : int) (X : vector vector int) (t : (int, int)))
(types (Maybe : (+ (Some : int) (None : unit))))
((case m (Some y (if (> y x) then (Some (* 2 y)) else (None nil))) (None u (Some x))),
 (map (map (lambda (x : int) (x, (* x (t . 1))))) X))
"""


def test_nova() -> None:
    """Finds a unit that is taken for a payload, and offsets that are taken for parts.

    An engine returns offsets and elements where an interpreter returns rows.
    """
    program = funmem.parse(NOVA, "nova")
    args = Variant("None"), 3, [[1, 2], [], [3]], (7, 10)
    wanted = [[[1, 2], [], [3]], [[10, 20], [], [30]]]
    by_core = funmem.run(NOVA, *args, language="nova", via="core")
    ends, elements = np.array([0, 2, 2, 3]), np.array([1, 2, 3], np.int32)
    flat = 0, 3, ends, elements, ends, 10 * elements
    by_engine = called_by_name(lambda *_: flat, signature_of(program, None))(*args)
    for none, rows in (funmem.run(program, *args), by_core, by_engine):
        assert none == Variant("Some", 3)
        assert [[x.tolist() for x in part] for part in rows] == wanted
    some, _ = funmem.run(program, Variant("Some", 3), 3, [[1], [2]], (0, 1))
    assert some == Variant("None")
    text = "(m: #Some i32 | #None, x: i32, X: i32[][], t: (i32, i32)) -> "
    text += "(#Some i32 | #None, (i32[][], i32[][]))"
    assert str(signature_of(program, None)) == text


EFFECT = """
effect count (token) : (token, u64)
entry one (t : token) (x : i64) : (token, u64) = effect count (t) : (token, u64)
entry two (t : token) (p : {x : i64, y : bool}) : (token, {a : u64, b : i64}, i64) =
  let (s : token) (n : u64) = effect count (t) : (token, u64)
  in (s, {a = n, b = p.x}, 3)
"""


def test_callers_see_no_tokens() -> None:
    """Finds a tuple of one that a token leaves behind, and labels that a token shifts."""
    one, two = funmem.parse(EFFECT, "core").entries
    assert signature(one).text == "(x: i64) -> u64"
    assert signature(one).interface is None
    assert signature(two).text == "(p: {x: i64, y: bool}) -> ({a: u64, b: i64}, i64)"


def test_a_variant_is_a_value() -> None:
    some = Variant("some", np.arange(3))
    assert repr(Variant("some", 3)) == "Variant('some', 3)"
    assert some == Variant("some", [0, 1, 2]) != Variant("some", [0, 1, 3])
    assert some != Variant("none")
    assert pickle.loads(pickle.dumps(some)) == some
    assert {Variant("a", 1): 2}[Variant("a", 1)] == 2
    match Variant("pair", 1, (2, 3)):
        case Variant("pair", (x, (y, _))):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("the pattern matches")
    with pytest.raises(AttributeError, match="a Variant does not change"):
        some.name = "none"


def test_the_interface_is_no_part_of_the_program(program: Any) -> None:
    """Finds one that the text form would have to have; passes on memory keep it."""
    again = funmem.parse(funmem.show(program))
    assert again == program
    memory = funmem.Pipeline.parse("allocate").run(program)
    assert funmem.run(memory, Variant("some", 6), entry="half", via="heap") == Variant("some", 3)
    assert funmem.run(funmem.erase(memory), Variant("none"), entry="half") == Variant("none")
    assert funmem.run(again, 1, 6, entry="half") == (1, 3)
