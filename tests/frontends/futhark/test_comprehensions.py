"""Array comprehensions mean what Python's mean, run as flat code, and say so when they do not.

Protects the elaboration of comprehensions (``elaborate/comprehension.py``, ``sizing.py``,
``rows.py``, ``sorting.py``).  Every form is a program with expected values in
``tests/programs/comprehensions``; here random comprehensions are compared with Python's, the
programs of ``papers/comprehensions`` with numpy, and the shape of the code is looked at.
"""

import importlib.util
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import funmem
from funmem.driver.options import Engine
from funmem.driver.source import Source
from funmem.frontends.futhark.elaborate.context import Elaboration
from funmem.frontends.futhark.elaborate.exp import expression
from funmem.frontends.futhark.elaborate.functions import function
from funmem.frontends.futhark.program import to_fun, typed
from funmem.ir import core as c
from funmem.ir.arith import exp_size
from funmem.ir.core_traverse import parts
from funmem.ir.diagnostics import Diagnostic, SourceError, Trap
from funmem.ir.fun import Bin, Body, Const, For, FunProgram, If, Kernel, Loop, Stm, While
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp
from funmem.ir.sizes import Size, var
from funmem.passes.framework import as_tree
from funmem.passes.runner import Pipeline
from tests.support.command_line import say
from tests.support.comprehension_oracle import by_core, by_engine
from tests.support.comprehension_programs import made
from tests.support.paths import ROOT
from tests.support.sampling import sampled

PAPER = ROOT / "papers" / "comprehensions"


# ---------------------------------------------------------------------- against Python


@pytest.mark.parametrize("batch", sampled(range(30), 0, slow=30))
def test_as_in_python(batch: int) -> None:
    """More: ``python -m tests.support.comprehension_oracle 0 5000``."""
    for seed in range(10 * batch, 10 * batch + 10):
        assert not by_engine(made(seed), Engine.VALUE)


@pytest.mark.parametrize("seed", sampled(range(1000, 1006), 0, slow=18))
def test_as_in_python_with_memory(seed: int) -> None:
    assert not by_engine(made(seed), Engine.HEAP)
    assert not by_engine(made(seed), Engine.IMP)


@pytest.mark.opencl
@pytest.mark.parametrize("seed", sampled(range(1100, 1106), 6, 3))
def test_as_in_python_on_a_device(seed: int) -> None:
    assert not by_engine(made(seed), Engine.OPENCL)


@pytest.mark.parametrize("batch", range(2))
def test_core_as_in_python(batch: int) -> None:
    """What elaboration made of it, before any pass."""
    for seed in range(1200 + 15 * batch, 1215 + 15 * batch):
        assert not by_core(made(seed))


# ---------------------------------------------------------------------- the paper's programs


def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", PAPER / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(name: str) -> FunProgram:
    return as_tree(funmem.load(PAPER / f"{name}.fut"))


@pytest.mark.parametrize(
    "name", sampled(["points_of_lines", "filled_triangles", "filled_circles"], 3, slow=6)
)
def test_images(name: str) -> None:
    numbers = {"points_of_lines": 4, "filled_triangles": 6, "filled_circles": 3}[name]
    ref, p = reference(), program(name)
    for seed in range(12):
        height, width, shapes = ref.shapes(seed, numbers)
        if name == "filled_circles":
            shapes[:, 2] = abs(shapes[:, 2])
        image = funmem.run(p, height, width, shapes, entry="main")
        np.testing.assert_array_equal(image, getattr(ref, name)(height, width, shapes))


@pytest.mark.parametrize("entry", sampled(["main", "row_by_row", "expanded"], 3))
def test_sparse_matrix_times_vector(entry: str) -> None:
    ref, p = reference(), program("spmv")
    for seed in range(6):
        args = ref.csr(seed)
        np.testing.assert_allclose(funmem.run(p, *args, entry=entry), ref.spmv(*args), rtol=1e-12)


def test_sieve() -> None:
    ref, p = reference(), program("sieve")
    for n in (0, 1, 2, 3, 4, 5, 9, 10, 100, 257):
        np.testing.assert_array_equal(funmem.run(p, n, entry="main"), ref.sieve(n))


def test_triples() -> None:
    ref, p = reference(), program("pythagorean")
    for n in (1, 2, 5, 6, 30, 45):
        for ours, theirs in zip(funmem.run(p, n, entry="main"), ref.pythagorean(n), strict=True):
            np.testing.assert_array_equal(ours, theirs)


# ---------------------------------------------------------------------- the code


def outside(body: Body) -> Iterator[Stm]:
    """The statements that no kernel surrounds."""
    for s in body.stms:
        yield s
        match s.exp:
            case If(_, then, orelse):
                yield from outside(then)
                yield from outside(orelse)
            case Loop(body=inner):
                yield from outside(inner)
            case _:
                pass


def after(name: str, passes: str) -> list[Stm]:
    (entry,) = (
        e for e in as_tree(Pipeline.parse(passes).run(program(name))).entries if e.name == "main"
    )
    return list(outside(entry.body))


NESTED = "simplify,fuse,nest,simplify"
SCHEDULED = "simplify,fuse,nest,schedule,simplify"


def test_triples_are_flat() -> None:
    """No loop surrounds a kernel, or stands outside of kernels at all."""
    stms = after("pythagorean", NESTED)
    assert not [s for s in stms if isinstance(s.exp, Loop)]
    assert any(isinstance(s.exp, Kernel) for s in stms)


def test_scheduled_triples_have_no_sequential_outer_loop() -> None:
    """What scheduling adds combines the results of a fixed number of chunks, and scans what is left
    when the elements are dealt out to them.  The chunks of rows find their first row by a search,
    and the elements that are left lie in few rows.
    """
    stms = after("pythagorean", SCHEDULED)
    lengths = {s.pat[0].name: s.exp for s in stms if isinstance(s.exp, Bin)}
    loops = [s.exp for s in stms if isinstance(s.exp, Loop)]
    over_rows = [e for e in loops if isinstance(e.form, While)]
    inside = [s for e in over_rows for s in outside(e.body)]
    assert not [s for s in inside if isinstance(s.exp, Kernel)]
    for loop in loops:
        if not isinstance(loop.form, For) or any(s.exp is loop for s in inside):
            continue
        assert loop.form.bound.as_const is not None or is_rest(loop.form.bound, lengths)
        assert not [s for s in outside(loop.body) if isinstance(s.exp, Kernel | Loop)]


def is_rest(d: Size, lengths: Mapping[Name, Bin]) -> bool:
    """Whether d is ``n - threads * length`` for ``length = n / threads``: less than ``threads``."""
    for x in d.free() & lengths.keys():
        match lengths[x]:
            case Bin(BinOp.DIV, n, Const(int(threads))):
                whole = exp_size(n)
                return whole is not None and d == whole - threads * var(x)
    return False


@pytest.mark.parametrize(
    "name", sampled(["points_of_lines", "filled_triangles", "filled_circles", "spmv"], 4)
)
def test_the_others_are_flat(name: str) -> None:
    assert not [s for s in after(name, NESTED) if isinstance(s.exp, Loop)]


def core_text(e: str) -> tuple[c.Exp, list[Diagnostic]]:
    """What an expression over xs and n becomes, and the remarks."""
    typing = typed(f"def main [k] (n: i64) (xs: [k]i64) (m: [k][k]i64) = {e}\n", "x.fut")
    ctx = Elaboration(typing, expression)
    (d,) = (d for d in typing.definitions.values() if d.dec.name == "main" and not d.prelude)
    body = function(ctx, d.dec.params, d.dec.ret, d.dec.exp, ctx.exp, d.dec.at, d.scheme)
    return body, ctx.remarks


def nodes(e: c.Exp) -> Iterator[c.Exp]:
    yield e
    for part in parts(e):
        yield from nodes(part)


def count(e: str, kind: type) -> int:
    return sum(isinstance(node, kind) for node in nodes(core_text(e)[0]))


@pytest.mark.parametrize(
    "source",
    [
        "y <- xs",
        "y <- 0..<n",
        "y <- x..<x + 4",
        "y <- iota n",
        "y <- m[x]",
        "y <- [x, 2 * x]",
        "y <- map (+ x) xs",
        "y <- indices xs",
        "row <- m, y <- row",
    ],
)
def test_regular_sources_make_nests(source: str) -> None:
    assert count(f"[ x + y | x <- xs, {source} ]", c.Scan) == 0
    assert count(f"[ x + y | x <- xs, {source} ]", c.Flatten) >= 1


@pytest.mark.parametrize(
    "source",
    ["y <- 0..<x", "y <- iota x", "y <- xs[x:]", "y <- take x xs", "y <- map (* x) (1...x)"],
)
def test_irregular_sources_are_expanded(source: str) -> None:
    assert count(f"[ x + y | x <- xs, {source} ]", c.Segmented) == 1
    assert count(f"[ x + y | x <- xs, {source} ]", c.Loop) == 0


def test_groups_of_a_nest_are_regular_reductions() -> None:
    nest = "[ s | i <- 0..<n, x <- xs, group by i into s = (+) 0 (i * x) ]"
    assert count(nest, c.Scan) == 0
    assert count(nest, c.Loop) == 0
    filtered = "[ s | i <- 0..<n, x <- xs, x > i, group by i into s = (+) 0 (i * x) ]"
    assert count(filtered, c.Loop) == 0, "rows in order are not sorted"
    assert count("[ s | x <- xs, group by x into s = (+) 0 x ]", c.Loop) == 2


# ---------------------------------------------------------------------- remarks, errors


def test_row_by_row_is_remarked() -> None:
    _, remarks = core_text("[ y | x <- xs, y <- filter (> x) xs ]")
    (remark,) = remarks
    assert remark.severity == "remark"
    assert "row by row" in remark.message
    assert (remark.at.line, remark.at.col) == (1, 68)
    _, remarks = core_text("[ z | x <- xs, y <- 0..<x, z <- xs[y:], z > n, order by z ]")
    assert not remarks


@pytest.mark.parametrize(
    ("e", "message"),
    [
        (
            "[ s | x <- xs, group by x into s = (+) x x ]",
            "a neutral element that depends on the row",
        ),
        (
            "[ s | x <- xs, group by x into s = (\\a b -> a + b * x) 0 x ]",
            "an operator that depends",
        ),
    ],
)
def test_not_supported(e: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        core_text(e)


@pytest.mark.parametrize(
    ("e", "code"),
    [
        ("[ x | x <- 3 ]", "type-mismatch"),
        ("[ x | x <- xs, x ]", "type-mismatch"),
        ("[ x | y <- xs, group by y ]", "unknown-name"),
        ("[ y | y <- xs, group by y ]", "grouped-variable"),
        ("[ x | x <- xs | x <- xs ]", "duplicate-name"),
        ("[ s | x <- xs, group by s = x into s = (+) 0 x ]", "duplicate-name"),
        ("[ s | x <- xs, group by x into s = (+) 0 x into s = (*) 1 x ]", "duplicate-name"),
        ("[ key | x <- xs, group by x into key = (+) 0 x ]", "duplicate-name"),
        ("[ x | x <- xs, order by m ]", "key-type"),
        ("[ x | x <- xs | y <- xs, order by x ]", "unknown-name"),
        ("[ x | x <- xs, 28i64 <- xs ]", "refutable-pattern"),
        ("[ x | (x, 3) <- zip xs xs ]", "refutable-pattern"),
    ],
)
def test_wrong_programs(e: str, code: str) -> None:
    with pytest.raises(SourceError) as error:
        core_text(e)
    assert error.value.diagnostic.code == code


# ---------------------------------------------------------------------- remarks


@pytest.mark.parametrize(
    ("drawn", "rows"),
    [
        ("filter (> x) ys", ["e.fut:1:61: comprehension"]),
        ("x..<10", []),
        ("ys, y > x", []),
    ],
)
def test_a_remark_says_what_runs_row_by_row(drawn: str, rows: list[str]) -> None:
    text = f"entry main (xs: []i64) (ys: []i64) : []i64 = [ y | x <- xs, y <- {drawn} ]"
    remarks: list[Diagnostic] = []
    Source("e.fut", text, "fut").parse(remarks)
    assert [f"{d.at}: {d.code}" for d in remarks] == rows


def test_check_shows_remarks(tmp_path: Path) -> None:
    file = tmp_path / "e.fut"
    file.write_text("entry f (xs: []i64) : []i64 = [ y | x <- xs, y <- filter (> x) xs ]")
    said = say(f"funmem check {file}")
    assert said.code == 0
    assert "remark[comprehension]: this comprehension runs row by row" in said.err


# ---------------------------------------------------------------------- errata of the paper


def value(e: str, n: int, before: str = "") -> list[object]:
    """What ``e`` is, an expression over n, by the value interpreter."""
    result = funmem.run(to_fun(f"{before}\nentry main (n: i64) = {e}\n", "e.fut"), n)
    return np.asarray(result).tolist()


def test_erratum_1_a_range_in_brackets() -> None:
    assert value("[x | x <- [1..<n]]", 3) == [1, 2]
    assert value("[i64.sum x | x <- ([1..<n])]", 3) == [3]


def test_erratum_2_a_generator_of_one_value() -> None:
    assert value("[x + p.0 | x <- 0..<n, p <- (10 * x, x)]", 3) == [0, 11, 22]
    with pytest.raises(SourceError, match="the source of `<-`") as caught:
        value("[x | x <- 5]", 3)
    assert "0..<n" in caught.value.diagnostic.hint


def test_erratum_3_the_undefined_function() -> None:
    text = (PAPER.parent.parent / "tests/programs/comprehensions/as_printed.fut").read_text()
    assert "i <- [0..<points_in_line line], p <- get_point_in_line line i" in text


def test_erratum_4_parts_of_tuples_count_from_0() -> None:
    assert value("[p.0 + 10 * p.1 | p <- [(n, 2)]]", 3) == [23]
    with pytest.raises(SourceError, match="no field `2`"):
        value("[p.2 | p <- [(n, 2)]]", 3)


def test_erratum_5_a_map_has_the_size_of_its_array() -> None:
    assert value("[y | x <- 0..<n, y <- map (+ 10) (iota x)]", 3) == [10, 10, 11]


def test_erratum_6_a_filter_in_the_first_place() -> None:
    assert value("[x | n > 2, x <- 0..<n]", 3) == [0, 1, 2]
    assert value("[x | n > 2, x <- 0..<n]", 2) == []


def test_erratum_7_a_zip_after_other_qualifiers() -> None:
    assert value("[x + y * z | x <- 0..<n, (y <- 0..<x | z <- 5..<5 + x)]", 3) == [1, 2, 8]
    with pytest.raises(Trap):
        value("[x + y * z | x <- 0..<n, (y <- 0..<x | z <- 0..<n)]", 3)


def test_erratum_8_expand_counts_in_i64() -> None:
    assert value("expand (\\(k: i64) -> k) (*) [2, 3, n]", 1) == [0, 2, 0, 3, 6, 0]


def test_every_erratum_has_a_test() -> None:
    named = re.findall(r"`(test_erratum_\d+_\w+)`", (PAPER / "errata.md").read_text())
    assert named == [name for name in globals() if name.startswith("test_erratum_")]
