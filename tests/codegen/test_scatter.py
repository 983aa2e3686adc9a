"""Stores without branches: what C stores, and where it keeps the branch.

Protects ``codegen/scatter.py`` and how it is printed: nothing outside the block is touched, what is
left out stays as it was, and sources that do not exist are not read.
"""

import numpy as np
import pytest

from funmem.codegen.c import compile_c
from funmem.codegen.c_library import CLibrary
from funmem.codegen.opencl import compile_imp
from funmem.interp.imp import run_imp
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue, agree
from tests.support.devices import has_pocl, needs_compiler, run_on_pocl
from tests.support.sampling import sampled

KEEP = """
entry f [n] [m] (x : [n]{elem}) (y : [m]{elem}) (size : i64) {{
  var places : mem;
  places <- alloc 8*n;
  kernel i < n do
    var keep : bool;
    keep <- i % 3 != 1;
    var place : i64;
    {chosen}
    places[i] : i64 <- place;
  done
  var z : mem;
  z <- alloc {bytes}*size;
  kernel i < size do
    z[i] <- x[0] : {elem};
  done
  kernel k < n do
    var to : i64;
    to <- places[k] : i64;
    var ok : bool;
    ok <- 0 <= to && to < size;
    if ok then
      {store}
    else
      {orelse}
    fi
  done
  return (z : [size]{elem})
}}"""
PARTS = {
    "chosen": "if keep then place <- 2 * i - 4; else place <- -1; fi",
    "store": "z[to] <- x[k] : {elem};",
    "orelse": "",
    "elem": "f32",
    "bytes": "4",
}


def text(**changed: str) -> str:
    parts = PARTS | changed
    parts["store"] = parts["store"].format(elem=parts["elem"])
    return KEEP.format(**parts)


def masks(source: str) -> int:
    return compile_c(parse_imp(source), "p").source.count("= rt_mask(")


def test_places_that_a_branch_chose() -> None:
    assert masks(text()) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"chosen": "place <- 2 * i - 4;"},  # mostly inside: the guess is right
        {"orelse": "z[0] <- x[0] : f32;"},
        {"store": "var v : f32; v <- x[k] : f32; z[to] : f32 <- v;"},  # may read what is not there
        {"store": "z[to] <- x[to] : f32;"},
        {"store": "z[k] <- x[k] : f32;"},
    ],
    ids=["computed", "else", "reads", "source", "no scatter"],
)
def test_where_the_branch_stays(changed: dict[str, str]) -> None:
    assert masks(text(**changed)) == 0


def test_only_kernels_for_processors() -> None:
    program = parse_imp(text())
    assert compile_imp(program).source.count("= rt_mask(") == 1
    assert "rt_mask" not in compile_imp(program, gpu=True).source


TYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "bool": np.bool_, "i64": np.int64}


@needs_compiler
@pytest.mark.parametrize(
    ("elem", "store"),
    sampled(
        [
            ("f32", PARTS["store"]),
            ("f64", PARTS["store"]),
            ("i8", PARTS["store"]),
            ("bool", PARTS["store"]),
            ("i64", "z[to] : i64 <- to;"),
            ("f32", "z[to] <- y[k] : f32;"),  # of which there is none where nothing is stored
        ],
        2,
    ),
)
def test_like_the_interpreter(elem: str, store: str) -> None:
    dtype = np.dtype(TYPES[elem])
    program = parse_imp(text(elem=elem, bytes=str(dtype.itemsize), store=store))
    compiled = compile_c(program, "p", safe=True)
    assert "= rt_mask(" in compiled.source
    entry = CLibrary.load(compiled).entry()
    for n, room in ((1, 0), (1, 3), (2, 1), (9, 5), (9, 30)):
        x = np.arange(1, n + 1).astype(dtype)
        some = any(i % 3 != 1 and 0 <= 2 * i - 4 < room for i in range(n))
        args: list[ArgValue] = [x, x if some else x[:0], np.int64(room)]
        assert agree(run_imp(program, "f", args), entry.run(args)) is None


@pytest.mark.skipif(not has_pocl(), reason="there is no PoCL")
@pytest.mark.parametrize("store", ["z[to] : i64 <- to;", "z[to] <- y[k] : i64;"])
def test_on_an_opencl_processor(store: str) -> None:
    """What is not stored touches nothing, and its source need not exist."""
    program = parse_imp(text(elem="i64", bytes="8", store=store))
    kept = np.arange(9)
    for y, room in ((kept, 30), (kept[:0], 0)):
        args: list[ArgValue] = [kept, y, np.int64(room)]
        assert agree(run_imp(program, "f", args), run_on_pocl(program, "f", args)) is None


CHOICE = """
entry f [n] (x : [n]{elem}) {{
  var z : mem;
  z <- alloc {bytes}*n;
  var sum : {elem};
  sum <- {zero};
  for i < n do
    var v : {elem};
    v <- x[i] : {elem};
    var less : bool;
    less <- {cond};
    var w : {elem};
    if less then
      w <- v;
    else
      w <- {other};
    fi
    {carried}
    z[i] : {elem} <- w;
  done
  return (z : [n]{elem})
}}"""
CHOSEN = {
    **{"elem": "i64", "bytes": "8", "zero": "0", "cond": "v < sum", "other": "sum"},
    "carried": "sum <- sum + v;",
}


def test_choices_in_a_recurrence() -> None:
    assert masks(CHOICE.format(**CHOSEN)) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"carried": "sum <- v;", "cond": "v < 3", "other": "7"},  # no iteration needs another one
        {"cond": "i < 5"},  # follows a pattern
        {"elem": "f64", "zero": "0.0"},
    ],
    ids=["independent", "index", "float"],
)
def test_choices_that_stay_branches(changed: dict[str, str]) -> None:
    assert masks(CHOICE.format(**CHOSEN | changed)) == 0


@needs_compiler
@pytest.mark.parametrize("elem", sampled(["i64", "u8", "i16"], 3))
def test_choices_like_the_interpreter(elem: str) -> None:
    dtype = np.dtype({"i64": np.int64, "u8": np.uint8, "i16": np.int16}[elem])
    zero = "0" if elem == "i64" else f"0{elem}"
    parts = {"elem": elem, "bytes": str(dtype.itemsize), "zero": zero}
    program = parse_imp(CHOICE.format(**CHOSEN | parts))
    compiled = compile_c(program, "p", safe=True)
    assert "= rt_mask(" in compiled.source
    args: list[ArgValue] = [np.array([3, 1, 120, 2, 7, 90, 5], dtype)]
    assert agree(run_imp(program, "f", args), CLibrary.load(compiled).entry().run(args)) is None
