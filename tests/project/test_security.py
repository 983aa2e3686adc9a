"""What SECURITY.md promises: text of a program stays data, and files stay where they belong."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from funmem.codegen.artifact import write
from funmem.codegen.c import compile_c
from funmem.codegen.c_artifact import write_c
from funmem.codegen.c_library import CLibrary, COptions
from funmem.codegen.cache import Cache
from funmem.codegen.folders import private_folder
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.ir.diagnostics import InputError, Span, Trap, TrapKind, UsageError
from funmem.ir.fun import Bin, Const, MemType, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Check,
    Declare,
    Holds,
    ImpDim,
    ImpEntry,
    ImpProgram,
    KernelStm,
    Read,
    Write,
)
from funmem.ir.messages import literal
from funmem.ir.names import Name
from funmem.ir.scalars import F32, BinOp
from funmem.ir.sizes import var
from tests.support.devices import needs_compiler, pocl
from tests.support.opencl_programs import f32
from tests.support.paths import ROOT
from tests.support.sampling import sampled

HOSTILE = (
    "*/ #error x",
    "a\\\n#error x",
    "??/\n#error",
    "a\r\n#error x",
    "é\u2028#error",
    '"%s{}"',
    "// \\",
    "../../../x\0y",
    '"""\nimport os\n',
    "$(touch x)`touch y`",
)
"""Names, file names and messages that would be more than that if they were pasted somewhere."""


def program(text: str) -> ImpProgram:
    """Copies an array of numbers below 9; every name, place and message in it is ``text``."""
    at = Span(text, 1, 1, 2)
    n, x, y, v = (Name(text + c) for c in "nxyv")
    small = Holds(Bin(BinOp.LT, Var(v), Const(9.0, F32)))
    body = (
        Read(v, x, var(Name(text)), F32, at),
        Check(small, TrapKind.ASSERTION, literal(text), (), at),
        Write(y, var(Name(text)), Var(v), F32, at),
    )
    entry = ImpEntry(
        name=Name(text),
        sizes=(n,),
        params=(ArrayPort(x, F32, (var(n),)),),
        body=(
            Declare(y, MemType()),
            Allocate(y, 4 * var(n), at=at),
            KernelStm((ImpDim(Name(text), var(n)),), (Declare(v, F32), *body), at),
        ),
        results=(ArrayPort(y, F32, (var(n),)),),
    )
    return ImpProgram((entry,))


def harmless(source: str) -> None:
    """No line is a directive that the text brought along."""
    assert source.isascii()
    assert not any(line.lstrip().startswith("#error") for line in source.splitlines())


# ---------------------------------------------------------------------- program text


@pytest.mark.opencl
@pytest.mark.parametrize("text", sampled(HOSTILE, 6, slow=12))
def test_no_source_text_reaches_opencl_c(text: str) -> None:
    exe = Executable.load(compile_imp(program(text), safe=True), pocl())
    harmless(exe.source)
    np.testing.assert_array_equal(exe(f32(4)), f32(4))  # type: ignore[arg-type]
    with pytest.raises(Trap) as caught:
        exe(f32(10))
    assert caught.value.diagnostic.message == text


@needs_compiler
@pytest.mark.parametrize("text", sampled(HOSTILE, 6, slow=12))
def test_no_source_text_reaches_c(text: str) -> None:
    compiled = compile_c(program(text), text, safe=True)
    harmless(compiled.source)
    harmless(compiled.header)
    entry = CLibrary.load(compiled, COptions(optimise=False)).entry()
    np.testing.assert_array_equal(entry(f32(4)), f32(4))
    with pytest.raises(Trap) as caught:
        entry(f32(10))
    assert caught.value.diagnostic.message == text


@pytest.mark.parametrize("target", ["opencl", pytest.param("c", marks=needs_compiler)])
@pytest.mark.parametrize("text", sampled(HOSTILE, 6, slow=12))
def test_written_files_stay_in_their_folder(text: str, target: str, tmp_path: Path) -> None:
    """Also: the Python module defines one function and runs nothing of the text."""
    folder = tmp_path / "out" / "here"
    if target == "c":
        module = write_c(compile_c(program(text), text), folder, COptions(optimise=False))
    else:
        module = write(compile_imp(program(text)), folder, text)
    assert {p.parent for p in tmp_path.rglob("*") if p.is_file()} == {folder}
    tree = ast.parse(module.read_text(encoding="utf-8"))
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds == ["Expr", "ImportFrom", "ImportFrom", "Assign", "FunctionDef"]


# ---------------------------------------------------------------------- the cache


def test_what_was_changed_or_cut_short_is_built_again(tmp_path: Path) -> None:
    cache = Cache(private_folder(tmp_path / "cache"))
    cache.put("key", b"machine code")
    (file,) = cache.folder.iterdir()
    for damage in (b"", b"machine code", file.read_bytes()[:-1], file.read_bytes() + b"x"):
        content = file.read_bytes()
        file.write_bytes(damage)
        assert cache.get("key") is None
        file.write_bytes(content)
    assert cache.get("key") == b"machine code"


def test_what_belongs_to_another_key_is_not_used(tmp_path: Path) -> None:
    cache = Cache(private_folder(tmp_path / "cache"))
    cache.put("key", b"machine code")
    (cache.folder / "key.bin").rename(cache.folder / "another.bin")
    assert cache.get("another") is None


def test_a_link_in_the_cache_is_replaced_not_followed(tmp_path: Path) -> None:
    cache = Cache(private_folder(tmp_path / "cache"))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (cache.folder / "key.bin").symlink_to(victim)
    cache.put("key", b"machine code")
    assert victim.read_text() == "mine"
    assert not (cache.folder / "key.bin").is_symlink()
    assert cache.get("key") == b"machine code"


def test_a_link_to_a_folder_of_others_is_no_cache(tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (tmp_path / "link").symlink_to(open_to_all)
    with pytest.raises(UsageError, match="can be written to by other users"):
        private_folder(tmp_path / "link")


# ---------------------------------------------------------------------- what is read


def test_numpy_files_with_objects_are_refused(tmp_path: Path) -> None:
    from funmem.values.arguments import read_values

    np.save(tmp_path / "objects.npy", np.array([print]), allow_pickle=True)
    with pytest.raises(InputError):
        read_values(str(tmp_path / "objects.npy"))


# Letters that look like others, marks that turn text around, line ends: where text is shown, it is
# shown so that a person sees what is there.
LOOK_ALIKES = {
    "cyrillic a": "entry f (x : i64) -> (r : i64) = in (\u0430)",
    "right to left": "entry f (x : i64) -> (r : i64) = in (x\u202e)",
    "null": "entry f (x : i64) -> (r : i64) = in (x\0)",
    "zero width": "entry f (x : i64) -> (r : i64) = in (x\u200b)",
    "byte order": "entry \ufefff (x : i64) -> (r : i64) = in (x)",
}


@pytest.mark.parametrize("text", sampled(LOOK_ALIKES.values(), 3), ids=LOOK_ALIKES)
def test_characters_that_deceive_are_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "p.fun"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "funmem", "check", str(path)],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=60,
    )
    said = done.stderr.decode()
    assert done.returncode == 1
    assert "error[syntax]" in said
    assert not {"\u202e", "\0", "\u200b", "\ufeff"} & set(said), "shown as it was written"
