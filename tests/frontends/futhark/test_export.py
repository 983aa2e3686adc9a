"""``funmem/frontends/futhark/export``: Core as ``.fut`` text, which reads back with its meaning."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import funmem as fm
from funmem.cli import main
from funmem.frontends.futhark.export import show_fut
from funmem.ir.core import CoreProgram
from funmem.ir.text.read_core import parse_core

CORE = r"""
data shape = #disc f64 | #box {w : f64, h : f64}

def area : shape -> f64 =
  \(s : shape) ->
    match s { #disc (r : f64) -> r * r; #box (b : {w : f64, h : f64}) -> b.w * b.h; }

def twice 'a : ('a -> 'a) -> 'a -> 'a = \(f : 'a -> 'a) (v : 'a) -> f (f v)

def shifted : []i64 -> i64 -> []i64 =
  \(xs : []i64) (by : i64) ->
    let (n : i64) = size 0 xs
    let (ys : [n]i64) = map (\(x : i64) -> x + by) (xs)
    in ys

entry scalars (a : f32) (b : f32) (i : i32) (j : u8) (p : bool) (q : bool)
  : (f32, f32, i32, u8, u64, i32, bool, bool, i32, i64, f32, u32, i32) =
  (a % b, a %% b, i << 33i32, j >> u8(i), u64(i), i32(a), p ^ q, p < q, i32(p), i64(j), min(a, b),
   to_bits(a), ~i)

entry arrays [n] [m] (xs : [n][m]i64) (k : i64)
  : ([m][n]i64, [n][m][2]i64, []i64, [n]i64, [n + m][1]i64, [3]i64, i64, [n]i64) =
  let (t : [n][m][2]i64) = map (\(r : [m]i64) -> map (\(x : i64) -> [x, k] : i64) (r)) (xs)
  let (u : [2][m][n]i64) = rearrange (2, 1, 0) t
  let (flat : []i64) = flatten 2 xs
  let (again : [n][m]i64) = unflatten (n, m) flat
  let (sums : [n]i64) =
    map (\(r : [m]i64) -> reduce comm (\(x : i64) (y : i64) -> x + y) (0) (r)) (again)
  let (d : i64) = n + m
  let (both : [n + m]i64) = iota d k 2
  let (tall : i64) = n + m
  let (column : [n + m][1]i64) = unflatten (tall, 1) both
  let (few : [3]i64) = flat[0:3]
  let (changed : [n]i64) = update [0] sums 7
  in (u[0], t, filter (\(x : i64) -> x % 2 == 0) flat, sums, column, few, size 1 again, changed)

entry many [n] (a : [n]i64)
  : ([n]i64, [n]i64, [n]i64, [4]i64, [4]i64, i64, i64, [n]i64) =
  let (z : []i64) =
    map (\(x1 : i64) (x2 : i64) (x3 : i64) (x4 : i64) (x5 : i64) (x6 : i64) -> x1 + x2 * x6)
      (a, a, a, a, a, a)
  let (x : []i64) (y : []i64) =
    unzip (scan (\(p : i64) (q : i64) (r : i64) (s : i64) -> (p + r, max(q, s))) (0, 0) (a, z))
  let (h : []i64) (g : []i64) =
    hist (\(p : i64) (q : i64) (r : i64) (s : i64) -> (p + r, q * s)) (0, 1)
      (replicate 4 0, replicate 4 1) (map (\(v : i64) -> v % 5) (a)) (a, z)
  let (lo : i64) (hi : i64) =
    reduce comm (\(p : i64) (q : i64) (r : i64) (s : i64) -> (p + r, q + s)) (0, 0) (a, z)
  let (t : [n]i64) = iota n lo 1
  let (w : [n]i64) = scatter t (map (\(v : i64) -> n - 1 - v) (iota n 0 1)) t
  in (z, x, y, h, g, lo, hi, w)

entry loops [n] (a : [n]i64) (s : i64) : ([n]i64, [n]i64, i64, []i64, f64) =
  let (e : [n]i64) (t : i64) =
    loop (c : [n]i64) = a, (t : i64) = 0 for i < n do
      (update [i] c (c[i] + t), t + a[i])
  let (h : [n]i64) = loop (d : [n]i64) = scatter a (iota 2 0 1) (iota 2 5 1) for i < n do
      update [i] d i
  let (g : []i64) = loop (g : []i64) = [s] : i64 while size 0 g < 6 do concat g g
  let (f : f64) = @area (#box {w = 2.0, h = f64(s)} : shape) + @area (#disc 3.0 : shape)
  in (e, h, @twice[i64] (\(x : i64) -> x + t) s, @shifted g t, f)
"""


def program() -> CoreProgram:
    return parse_core(CORE, "test.core")


F, S, U = np.float32, np.int32, np.uint8
XS = np.arange(6).reshape(2, 3)
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("scalars", (F(-7.5), F(2), S(-3), U(200), True, False)),
    ("scalars", (F(3e9), F(-0.75), S(5), U(9), False, True)),
    ("scalars", (F(np.nan), F(np.inf), S(2**31 - 1), U(0), True, True)),
    ("scalars", (F(-2), F(np.inf), S(0), U(1), False, False)),
    ("arrays", (XS, 5)),
    ("many", (np.array([3, -1, 4, 1, 5, 9, 2]),)),
    ("loops", (np.array([3, 1, 4]), 2)),
]


def test_the_text_means_what_the_program_means() -> None:
    """Finds operators with another meaning in the language, and updates of shared arrays."""
    text = show_fut(program())
    for entry, args in CALLS:
        want = fm.run(CORE, *args, entry=entry, language="core", via="core")
        found = fm.run(text, *args, entry=entry, language="fut", via="core")
        for k, (a, b) in enumerate(zip(want, found, strict=True)):
            np.testing.assert_array_equal(a, b, f"{entry}, result {k}")
    copies = re.findall(r"copy (\w+)", text)
    assert copies == ["sums", "t_1", "a_2", "a_2"], "of arguments, and of what is used again"


LACKING = {
    "a foreign function": "foreign f (i64) : i64\nentry main (x : i64) : i64 = foreign f (x) : i64",
    "an effect": "effect f (token) : token\nentry main (t : token) : token = t",
    "`f`, a local recursive function": (
        "entry main (x : i64) : i64 = "
        r"(mu (f : i64 -> i64) \(x : i64) -> if x < 1 then 0 else f (x - 1)) x"
    ),
    "the recursive data type `list`": (
        "data list = #nil | #cons i64 list\n"
        "entry main (x : i64) : i64 =\n"
        "  match (#nil : list) { #nil -> x; #cons (y : i64) (r : list) -> y; }"
    ),
    "rows of different lengths": (
        r"entry main [n] (o : [n]i64) (m : i64) : []i64 = "
        r"segmented (\(i : i64) (k : i64) -> i) o m"
    ),
    "rows whose length is known only inside a `map`": (
        r"entry main [n] (xs : [n]i64) : [n][]i64 = map (\(x : i64) -> iota x 0 1) (xs)"
    ),
    "a tuple of one element": "entry main (x : i64) : (i64,) = (x,)",
}


@pytest.mark.parametrize("what", LACKING)
def test_what_the_language_lacks_is_named(what: str) -> None:
    with pytest.raises(fm.SourceError, match="not supported") as caught:
        show_fut(parse_core(LACKING[what], "test.core"))
    assert what in str(caught.value)


MODULE = """\
import funmem as fm


@fm.jit
def weight(d):
    return fm.where(abs(d) < 1.0, 1.0 - d * d, 0.0)


@fm.jit
def density(xs: fm.f32["n"], at: fm.f32["m"]):
    return fm.map(lambda a: fm.map(lambda x: weight(x - a), xs).sum(), at)
"""
DENSITY = r"""def weight_1 (d: f32) : f32 =
  let t_4 = f32.abs d
  let t_5 = t_4 < 1.0f32
  let t_6 = d * d
  let t_7 = 1.0f32 - t_6
  let t_8 = if t_5 then t_7 else 0.0f32
  in t_8

entry density [n] [m] (xs: [n]f32) (at: [m]f32) : [m]f32 =
  let t_14 = map (\t_1 ->
         let t_10 = map (\t_2 ->
                let t_3 = t_2 - t_1
                let t_9 = weight_1 t_3
                in t_9) xs
         let t_13 = reduce_comm (\t_11 t_12 -> t_11 + t_12) (0.0f32) t_10
         in t_13) at
  in t_14
"""


def test_jitted_functions_as_fut(tmp_path: Path) -> None:
    """The command, ``lower`` and ``export`` print the same text."""
    path = tmp_path / "density.py"
    path.write_text(MODULE)
    done = CliRunner().invoke(main, ["core", str(path), "--to", "fut"])
    assert done.output == DENSITY
    names: dict[str, Any] = {"__name__": "density"}
    exec(compile(MODULE, str(path), "exec"), names)
    own = DENSITY.replace("weight_1", "weight")  # no other function has the name
    assert names["density"].lower().fut + "\n" == own
    assert fm.export(names["density"], tmp_path / "density.fut").read_text() == own
