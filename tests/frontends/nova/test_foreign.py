"""NOVA's foreign functions: the header, the adapters, and what is wrong with implementations.

The programs in ``tests/programs/nova/foreign`` run on all engines (test_programs.py).
"""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from funmem.driver.engines import prepare
from funmem.driver.foreign_files import foreign_code
from funmem.driver.options import Engine, Options
from funmem.driver.source import read
from funmem.driver.stages import to_fun
from funmem.frontends.nova.foreign import header, implement
from funmem.frontends.nova.foreign_vectors import function
from funmem.frontends.nova.program import to_core
from funmem.ir.check import check
from funmem.ir.diagnostics import SourceError, Trap, UsageError
from funmem.ir.foreign import ForeignCode
from funmem.ir.record import evolve
from funmem.ir.values import ArrayValue
from tests.support.command_line import say

TEXT = """((n : int))
(foreign (f : int -> (float, (bool, int8)) -> (int, double)) (g : unit -> bool))
(let (p (f n (1.0, ((g nil), 3)))) in (p . 0))
"""

C = """
void f(tuple_int_double *out, int a, tuple_float_tuple_bool_int8 b)
{
    out->_0 = a + (int)b._0 + 10 * b._1._0 + b._1._1;
    out->_1 = 0.5;
}
void g(int *out) { *out = 5; }
"""

TUPLE = "typedef struct { int _0; double _1; } tuple_int_double;"


def program(folder: Path, text: str = TEXT, c: str = C) -> Path:
    path = folder / "p.nova"
    path.write_text(text, encoding="utf-8")
    if c:
        (folder / "p.foreign.c").write_text(c, encoding="utf-8")
    return path


def test_header() -> None:
    text = header(to_core(TEXT, "p.nova").foreign)
    assert text.index("tuple_bool_int8;") < text.index("tuple_float_tuple_bool_int8;")
    assert TUPLE in text
    prototype = "static void f(tuple_int_double *out, int a0, tuple_float_tuple_bool_int8 a1);"
    assert prototype in text
    assert "static void g(int *out);" in text


@pytest.mark.parametrize("engine", [Engine.CORE, Engine.VALUE, Engine.C])
def test_the_file_beside_the_program_is_used(engine: Engine, tmp_path: Path) -> None:
    """A bool is an int in C: 5 is true, and is 1 when it is passed on."""
    source = read(str(program(tmp_path)))
    options = Options(foreign=foreign_code(source))
    assert prepare(source.tree(), engine, options).run("main", [7]).values == (7 + 1 + 10 + 3,)


def test_named_files_replace_those_beside_the_program(tmp_path: Path) -> None:
    source = read(str(program(tmp_path)))
    other = tmp_path / "other.c"
    other.write_text(C.replace("a +", "100 * a +"), encoding="utf-8")
    options = Options(foreign=foreign_code(source, [str(other)]))
    got = prepare(source.tree(), Engine.VALUE, options).run("main", [7]).values
    assert got == (700 + 14,)
    with pytest.raises(UsageError, match="neither C"):
        foreign_code(source, [str(tmp_path / "p.nova")])


def test_without_an_implementation_a_program_is_valid_but_does_not_run(tmp_path: Path) -> None:
    source = read(str(program(tmp_path, c=C[: C.index("void g")])))
    options = Options(foreign=foreign_code(source))
    with pytest.raises(SourceError, match="`g` has no C source") as e:
        prepare(source.tree(), Engine.C, options)
    assert e.value.diagnostic.code == "nova-foreign"


@pytest.mark.parametrize("engine", [Engine.VALUE, Engine.C])
def test_a_wrong_signature_is_a_compile_error(engine: Engine, tmp_path: Path) -> None:
    source = read(str(program(tmp_path, c=C.replace("int a,", "float a,"))))
    with pytest.raises(SourceError, match=r"conflicting types for .f.") as e:
        prepare(source.tree(), engine, Options(foreign=foreign_code(source)))
    assert e.value.diagnostic.code == "nova-foreign"


def test_compile_writes_the_header(tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = say(f"funmem compile {program(tmp_path)} --target c -o {out}")
    assert said.code == 0, said.err
    assert TUPLE in (out / "p_foreign.h").read_text(encoding="utf-8")


def test_header_of_nested_vectors() -> None:
    """Tuples of other types have other names."""
    text = """((x : vector vector int)) (foreign
    (f : vector vector int -> (vector float, (int, int), int) -> vector vector vector double)
    (g : ((int, int, int), int) -> vector (int8, vector int8))) x"""
    defs = to_core(text, "p.nova").foreign
    made = header(defs)
    assert "struct { int _0_length; float *_0; tuple_int_int _1; int _2; }" in made
    assert "tuple_vector_float_tuple_int_int_end_int" in made
    assert (
        "void f(int *out_length, int **out_offsets_offsets, int **out_offsets, double **out, "
        "int a0_length, const int *a0_offsets, const int *a0, "
        "tuple_vector_float_tuple_int_int_end_int a1);"
    ) in made
    assert "void g(int *out_length, tuple_int8_vector_int8 **out, " in made
    assert "tuple_tuple_int_int_int_end_int a0);" in made


def test_vectors_of_units_do_not_cross() -> None:
    defs = to_core("((x : int)) (foreign (f : vector unit -> int)) x", "p.nova").foreign
    with pytest.raises(SourceError, match=re.escape("`f` has a vector of units")):
        implement(defs, "", "")


WRONG_ROWS = """((X : vector vector int))
(foreign (f : vector vector int -> vector vector int)) (f X)"""
WRONG_ROWS_C = """
#include <stdlib.h>
static void f(int *n, int **offsets, int **out, int length, const int *at, const int *xs)
{
    *n = 2;
    *offsets = malloc(3 * sizeof(int));
    (*offsets)[0] = 0, (*offsets)[1] = at[1], (*offsets)[2] = 3;
    *out = calloc(3, sizeof(int));
}
"""


def test_offsets_of_results_are_checked(tmp_path: Path) -> None:
    source = read(str(program(tmp_path, WRONG_ROWS, WRONG_ROWS_C)))
    runner = prepare(source.tree(), Engine.CORE, Options(foreign=foreign_code(source)))
    (rows,) = runner.run("main", [[[1, 2], [3]]]).answers
    assert isinstance(rows, list)
    assert [np.asarray(r).tolist() for r in rows] == [[0, 0], [0]]
    with pytest.raises(Trap, match="unflatten: the segments descend"):
        runner.run("main", [[[1, 2, 3, 4], [3]]])


SUMS = """((k : int)) (types (T : (+ (No : unit) (Some : vector int))))
(foreign (f : int -> T)) (case (f k) (No e -1) (Some v (reduce + 0 v)))"""
SUMS_C = """
#include <stdlib.h>
static void f(sum_No_unit_end_Some_vector_int_end *out, int k)
{
    out->tag = k;
    out->as_Some = calloc(2, sizeof(int));
    out->as_Some[0] = out->as_Some_length = 2;
}
"""


def test_a_result_has_the_tag_of_a_constructor(tmp_path: Path) -> None:
    source = read(str(program(tmp_path, SUMS, SUMS_C)))
    runner = prepare(source.tree(), Engine.CORE, Options(foreign=foreign_code(source)))
    assert [runner.run("main", [k]).values for k in (0, 1)] == [(-1,), (2,)]
    with pytest.raises(Trap, match="f: a result has the tag 2, which is no constructor's"):
        runner.run("main", [2])


def test_recursive_data_do_not_cross() -> None:
    text = """((x : int)) (types (List : (+ (Nil : unit) (Cons : (int, List)))))
    (foreign (f : List -> int)) (f (Nil nil))"""
    with pytest.raises(SourceError, match="not supported: the foreign function `f` on"):
        implement(to_core(text, "p.nova").foreign, "", "")


VECTORS = """((xs : vector int) (k : int))
(foreign (f : vector int -> int -> vector int))
(let (ys (f xs k)) in (map (+ 1) (f ys k)))
"""


@pytest.mark.parametrize("engine", [Engine.CORE, Engine.VALUE, Engine.HEAP, Engine.IMP])
def test_a_reference_on_arrays_serves_all_interpreters(engine: Engine) -> None:
    """The elements cross one by one, in order, of each call its own."""
    program = to_core(VECTORS, "p.nova")
    given: list[list[int]] = []

    def reference(xs: Sequence[int], k: int) -> list[int]:
        given.append([int(x) for x in xs])
        return [10 * int(x) + k for x in xs][::-1]

    f = function(program.foreign[0])
    assert f is not None
    f = evolve(f, reference=reference)
    code = ForeignCode((), on_arrays=(f,))
    args = [np.array([1, 2, 3], np.int32), 5]
    (ys,) = prepare(program, engine, Options(foreign=code)).run("main", args).values
    assert isinstance(ys, ArrayValue)
    assert given == [[1, 2, 3], [35, 25, 15]]
    assert ys.data.tolist() == [156, 256, 356]


def test_vectors_do_not_cross_inside_kernels() -> None:
    text = """((xs : vector int)) (foreign (f : vector int -> int))
    (map (lambda (x : int) (f (range x))) xs)"""
    with pytest.raises(SourceError, match="an effect inside a kernel") as e:
        check(to_fun(to_core(text, "p.nova")))
    assert e.value.diagnostic.code == "T-EFFECT"
