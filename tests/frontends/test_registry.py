"""Front ends and targets of other packages: whatever takes a program takes theirs."""

import importlib.metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from funmem.codegen.files import write_files
from funmem.driver import targets
from funmem.driver.compilation import machine_code
from funmem.driver.options import Options
from funmem.driver.source import Source
from funmem.driver.targets import Target
from funmem.frontends import registry
from funmem.frontends.front_end import FrontEnd
from funmem.ir.core import Bin, Binder, Const, CoreProgram, Entry, EntryParam, Var
from funmem.ir.diagnostics import Diagnostic, SourceError, Span, UsageError
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.text import show
from funmem.passes.framework import AnyProgram
from funmem.passes.lower.fill import Filled
from funmem.passes.runner import Pipeline
from funmem.suite.check import Plan, check_file
from funmem.suite.files import find_programs
from funmem.suite.verdict import Status
from tests.support.command_line import say

NOTHING = FrontEnd("nothing", "A front end whose Core is ill typed.", lambda text, name: ILL_TYPED)
ILL_TYPED = CoreProgram((Entry(Name("main"), (), (), BOOL, Const(1, I64)),))


def parse(text: str, name: str) -> CoreProgram:
    """The sum of the parameter ``x`` and the numbers."""
    total: Var | Bin = Var(Name("x"))
    for k, line in enumerate(text.split("\n"), 1):
        for word in line.partition("#")[0].split():
            if not word.isdigit():
                at = Span(name, k, 1, len(line) + 1)
                raise SourceError(Diagnostic(at, "sum-syntax", f"`{word}` is no number", "1 2 3"))
            total = Bin(BinOp.ADD, total, Const(int(word), I64))
    return CoreProgram(
        (Entry(Name("main"), (), (EntryParam(Binder(Name("x"), I64)),), I64, total),)
    )


SUM = FrontEnd("sum", "Sums.", parse, comment="#")


def write(
    program: AnyProgram | Filled, folder: Path, name: str, options: Options
) -> tuple[Path, Pipeline]:
    imp, passes = machine_code(program, options)
    write_files(folder, {f"{name}.txt": show(imp)})
    return folder / f"{name}.txt", passes


LISTING = Target("listing", "The text of IMP.", write)
TEXT = "# ==\n# input { 1i64 } output { 6i64 }\n2 3\n"


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that declares two front ends, a target, and something else."""
    groups = {
        "funmem.frontends": {"sum": "SUM", "nothing": "NOTHING", "odd": "LISTING"},
        "funmem.targets": {"listing": "LISTING"},
    }

    def found(group: str) -> EntryPoints:
        named = groups.get(group, {})
        return EntryPoints(EntryPoint(x, f"{__name__}:{a}", group) for x, a in named.items())

    monkeypatch.setattr(importlib.metadata, "entry_points", found)


def test_names() -> None:
    assert registry.names()[-3:] == ("nothing", "odd", "sum")
    assert targets.TARGETS.names() == ("opencl", "c", "listing")
    for name in registry.TABLE:
        front_end = registry.find(name)
        assert (front_end.name, bool(front_end.summary)) == (name, True)
    for name in targets.TABLE:
        assert targets.find(name).name == name
    with pytest.raises(UsageError, match="language `odd` is not a FrontEnd but a Target"):
        registry.find("odd")
    with pytest.raises(UsageError, match=r"no language `funn`\nhint: did you mean fun"):
        registry.find("funn")


def test_a_front_end_of_another_package(tmp_path: Path) -> None:
    path = tmp_path / "p.sum"
    path.write_text(TEXT)
    assert say(f"funmem check {path}").out.startswith(f"{path}: FUN: main (x : i64)")
    for via in ("core", "value", "imp"):
        assert say(f"funmem run {path} -i 1 --via {via}").out == "6i64\n"
    assert check_file(str(path), Plan(("core", "value"))).status is Status.PASS
    assert "x + 2 + 3" in say(f"funmem core {path}").out
    assert "x + 2 + 3" in say(f"funmem opt {path} -p monomorphise").out
    assert Source.of("p", "1", "sum").parse().entries
    path.write_text(TEXT.replace("6i64", "7i64"))
    assert check_file(str(path), Plan(("core", "value"))).status is Status.FAIL
    assert find_programs([str(tmp_path)]) == [str(path)]
    path.write_text("1\ntwo\n")
    said = say(f"funmem run {path} -i 1")
    assert said.code == 1
    assert said.err.startswith(f"{path}:2:1: error[sum-syntax]: `two` is no number\n2 | two\n")


def test_the_core_of_a_front_end_is_checked(tmp_path: Path) -> None:
    """A bug of a front end is an error that names the broken rule, no traceback in a pass."""
    path = tmp_path / "p.nothing"
    path.write_text("")
    said = say(f"funmem run {path}")
    assert said.code == 1
    assert "error[C-ENTRY]" in said.err


def test_a_target_of_another_package(tmp_path: Path) -> None:
    path = tmp_path / "p.sum"
    path.write_text(TEXT)
    said = say(f"funmem compile {path} --target listing -o {tmp_path}/made")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"wrote {tmp_path}/made/p.txt: main (x : i64)")
    assert "return (t : i64)" in (tmp_path / "made" / "p.txt").read_text()
    said = say(f"funmem compile {path} --target lisp -o {tmp_path}/made")
    assert said.code == 2
    assert "there is no target `lisp`; there is opencl, c, listing" in said.err
