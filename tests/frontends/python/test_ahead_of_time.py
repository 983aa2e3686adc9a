"""``funmem compile module.py`` and ``fm.export``: what is written runs without the compiler."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import funmem as fm
from funmem.cli import main
from funmem.codegen.python_by_name import functions_of
from funmem.codegen.python_module import Loader, texts
from funmem.driver.compilation import compile_c_program
from funmem.driver.options import Options
from funmem.suite.files import find_programs
from tests.support.devices import has_pocl, needs_compiler
from tests.support.paths import ROOT

KERNELS = '''\
from dataclasses import dataclass

import numpy as np

import funmem as fm


@dataclass
class Bodies:
    x: fm.f32["n"]
    m: fm.f32["n"]


@fm.jit
def dot(x: fm.f32["n"], y: fm.f32["n"], scale: fm.f32 = 2.0):
    """Return the scaled product."""
    return fm.reduce(lambda a, b: a + b, 0.0, x * y) * scale


square = fm.jit(lambda x: x * x + 1)


@fm.jit
def stats(b: Bodies, *, k: fm.f32):
    return {"sum": b.x.sum(), "both": (square(b.x), [square(b.m) + k]), "n": b.x.shape[0]}


@fm.jit
def moved(b: Bodies):
    return Bodies(b.x + b.m, b.m)


def _helper(x):
    return x
'''

USE = """\
import sys


class Refused:
    def find_spec(self, name, path=None, target=None):
        room = ".".join(name.split(".")[:2])
        if room in {REFUSED}:
            raise ImportError(name + " is refused")


sys.meta_path.insert(0, Refused())
import numpy as np
import fast

x = np.arange(4, dtype="f4")
d = fast.dot(x, y=x)
assert type(d) is np.float32 and d == 28, d
assert fast.dot(x, x, scale=1.0) == 14
b = fast.Bodies(x, 2 * x)
s = fast.stats(b, k=3.0)
assert type(s["sum"]) is np.float32 and s["n"] == 4
assert list(np.asarray(s["both"][0])) == [1, 2, 5, 10]
assert list(np.asarray(s["both"][1][0])) == [4, 8, 20, 40]
m = fast.moved(b)
assert type(m) is fast.Bodies and list(np.asarray(m.x)) == [0, 3, 6, 9]
import funmem.values.by_name, funmem.values.variants  # what modules with records and sums import
"""
REFUSED = (
    *("sympy", "click", "rich", "futhark_data", "funmem.passes", "funmem.frontends"),
    *("funmem.interp", "funmem.driver", "funmem.api"),
)


def written(folder: Path, target: str) -> None:
    (folder / "kernels.py").write_text(KERNELS)
    args = ["compile", str(folder / "kernels.py"), "--target", target, "--name", "fast"]
    done = CliRunner().invoke(main, [*args, "-o", str(folder)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("c", marks=needs_compiler),
        pytest.param(
            "opencl",
            marks=[
                pytest.mark.opencl,
                pytest.mark.exhaustive,
                pytest.mark.skipif(not has_pocl(), reason="needs PoCL"),
            ],
        ),
    ],
)
def test_the_module_runs_without_the_compiler(target: str, tmp_path: Path) -> None:
    """Trees of arguments and results keep their structure, scalars are numpy's."""
    written(tmp_path, target)
    script = USE.replace("{REFUSED}", repr(set(REFUSED)))
    env = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


USER = """\
import numpy as np

import fast

x = np.ones(4, np.float32)
a: np.float32 = fast.dot(x, x, scale=1.0)
b: fast.Bodies = fast.moved(fast.Bodies(x, m=x))
fast.dot("x", x)  # an error
"""


NAMED = """
type option = #none | #some i32
type point = {x: f32, lambda: i64}
entry half (o: option) : option = match o case #none -> #none case #some v -> #some (v / 2)
entry moved [n] (ps: [n]point) (k: (i32, bool)) : {at: {x: f32, y: [n]f32}, n: (i64, i32)} =
  {at = {x = 1, y = map (.x) ps}, n = (ps[0].lambda, k.0)}
"""
USER_BY_NAME = """\
from dataclasses import dataclass

import numpy as np
from funmem import Variant
from numpy.typing import NDArray

import named


@dataclass
class Points:
    x: NDArray[np.float32]
    x_lambda: NDArray[np.int64]


p = Points(np.ones(2, np.float32), np.ones(2, np.int64))
a: named.Moved = named.moved(p, (1, True))
b: NDArray[np.float32] = named.moved({"x": p.x, "lambda": p.x_lambda}, (np.int8(1), True)).at.y
c: int = a.n[1]
d: Variant = named.half(Variant("some", 3))
named.moved({"x": p.x}, (1, True))  # an error
named.moved(p, (1, True, 2))  # an error
named.half(3)  # an error
"""


def stub_of(text: str) -> str:
    """Return the stub of a module with the entry points of a program; nothing is built."""
    program = fm.parse(text, "fut")
    plan = compile_c_program(program, "named", Options())[0].plan
    loader = Loader("", "funmem.codegen.c_artifact", "CArtifact")
    return texts(loader, "named", plan.entries, functions_of(program)).stub


@pytest.mark.slow
@needs_compiler
def test_mypy_accepts_the_stub_and_finds_a_wrong_argument(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    written(tmp_path, "c")
    (tmp_path / "use.py").write_text(USER)
    (tmp_path / "named.pyi").write_text(stub_of(NAMED))
    (tmp_path / "by_name.py").write_text(USER_BY_NAME)
    own = tmp_path / "funmem" / "values"  # mypy need not read the rest of funmem
    own.mkdir(parents=True)
    shutil.copy(ROOT / "funmem" / "values" / "variants.py", own)
    (own / "__init__.py").touch()
    (own.parent / "__init__.py").write_text("from funmem.values.variants import Variant as Variant")
    files = ["fast.pyi", "use.py", "named.pyi", "by_name.py"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    wrong = [x.split(": error")[0] for x in done.stdout.splitlines() if ": error" in x]
    assert sorted(wrong) == [*(f"by_name.py:{k}" for k in (21, 22, 23)), "use.py:8"], done.stdout
    assert "use.py:8: error: Argument 1 to" in done.stdout


@needs_compiler
def test_export_writes_the_functions_that_are_given(tmp_path: Path) -> None:
    @fm.jit
    def twice(x: fm.i32["n"]) -> fm.i32["n"]:
        return x * 2

    @fm.jit
    def total(x: fm.i32["n"]):  # type: ignore[no-untyped-def]
        return x.sum()

    path = fm.export([twice, total], tmp_path, name="both", target="c")
    names: dict[str, Any] = {"__file__": str(path), "__name__": "both"}
    exec(path.read_text(), names)
    xs = np.array([1, 2, 3], np.int32)
    np.testing.assert_array_equal(names["twice"](xs), [2, 4, 6])
    assert names["total"](xs) == 6
    assert path.with_suffix(".pyi").read_text().count("def ") == 2


# ---------------------------------------------------------------------- what is refused

HEAD = "import numpy as np\nimport funmem as fm\nT = np.ones(3)\n"

WRONG = {
    "no type": (
        '@fm.jit\ndef f(x: fm.f32["n"], y):\n    return x\n',
        ":5:23: error[type]: the parameter `y` of `f` has no type",
    ),
    "none has a type": (
        "@fm.jit\ndef f(y):\n    return y\n",
        ":5:7: error[type]: the parameter `y` of `f` has no type",
    ),
    "static": (
        "@fm.jit(static=('k',))\ndef f(x: fm.f32['n'], k):\n    return x\n",
        ":5:23: error[type]: the parameter `k` of `f` is static",
    ),
    "variadic": (
        "@fm.jit\ndef f(*xs: fm.f32['n']):\n    return xs[0]\n",
        ":5:8: error[type]: the number of `f`'s arguments is not fixed",
    ),
    "captured array": (
        "@fm.jit\ndef f(x: fm.f64['n']):\n    return x * T[0]\n",
        "error[unsupported]: `f` uses the array `T`",
    ),
    "default": (
        "@fm.jit\ndef f(x: fm.f64['n'] = T):\n    return x\n",
        ":5:7: error[unsupported]: the default of `x` is no number",
    ),
    "keys": (
        "@fm.jit\ndef f(x: fm.f64['n']):\n    return {1: x}\n",
        "error[unsupported]: a compiled module cannot make a dict whose keys are no texts",
    ),
    "no function": ("x = 1\n", "error[no-entry]: `m` defines no function under @funmem.jit"),
    "an exception": ("1 / 0\n", ":4:1: error[raised]: ZeroDivisionError: division by zero"),
    "syntax": ("def f(:\n", ":4:7: error[syntax]: invalid syntax"),
    "an exit": ("raise SystemExit(3)\n", ":4:1: error[raised]: SystemExit: 3"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_compiled_is_said_at_its_place(what: str, tmp_path: Path) -> None:
    text, expected = WRONG[what]
    (tmp_path / "m.py").write_text(HEAD + text)
    for command in (["check"], ["compile", "-o", str(tmp_path / "out")]):
        done = CliRunner().invoke(main, [*command, str(tmp_path / "m.py")])
        assert done.exit_code == 1, done.output
        assert expected in done.output
    assert not (tmp_path / "out").exists()


def test_check_reports_every_wrong_function(tmp_path: Path) -> None:
    wrong = (WRONG["no type"], WRONG["captured array"])
    (tmp_path / "m.py").write_text(
        HEAD + "".join(t.replace("f(", f"f{k}(") for k, (t, _) in enumerate(wrong))
    )
    done = CliRunner().invoke(main, ["check", str(tmp_path / "m.py")])
    assert "`f0`" in done.output
    assert "`f1`" in done.output


def test_the_commands_take_a_module(tmp_path: Path) -> None:
    """A module is a program: its entry points run, and are printed, explained and verified."""
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    run = CliRunner().invoke
    args = ["--entry", "dot", "-i", "[1, 2]", "-i", "[3, 4]", "-i", "2"]
    assert run(main, ["run", str(path), *args]).output == "22.0f32\n"
    assert "entry moved [n]" in run(main, ["opt", str(path), "-p", "simplify"]).output
    assert "def square" in run(main, ["core", str(path)]).output


def test_folders_are_not_searched_for_modules(tmp_path: Path) -> None:
    """Reading one executes it, so `funmem test FOLDER` must not touch what lies there."""
    (tmp_path / "kernels.py").write_text("raise SystemExit")
    (tmp_path / "p.fut").write_text("def main (x: i32) = x")
    assert find_programs([str(tmp_path)]) == [str(tmp_path / "p.fut")]
