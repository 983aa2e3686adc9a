"""Around the kernels: plans as JSON, devices, caches, buffers, artifacts, linker, Oclgrind."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from attrs import evolve

from funmem.ir.diagnostics import DeviceError, FunmemError, UsageError
from funmem.ir.names import Name
from funmem.ir.text import parse_imp
from tests.support.opencl_programs import PROGRAMS, f32
from tests.support.paths import ROOT

pytest.importorskip("pyopencl")
from funmem.codegen import artifact, program
from funmem.codegen.buffers import Pool
from funmem.codegen.c import compile_c
from funmem.codegen.c_library import COptions, build
from funmem.codegen.cache import Cache, key_of
from funmem.codegen.device import POCL, Device, DeviceInfo, choose, list_devices, open_device
from funmem.codegen.folders import private_folder
from funmem.codegen.memory_limits import human
from funmem.codegen.opencl import compile_imp
from funmem.codegen.plan import Alias, Alloc, For, Free, Steps
from funmem.codegen.plan_json import PlanError, dumps, loads
from funmem.codegen.runtime import Executable
from funmem.codegen.toolchain import ensure_linker
from funmem.driver.compilation import machine_code
from funmem.driver.options import Options
from funmem.driver.source import read
from tests.support.devices import has_oclgrind, held
from tests.support.sampling import sampled

pytestmark = pytest.mark.opencl
DOUBLE_BUFFER = PROGRAMS["double buffering on the host"].text


@pytest.fixture(scope="module")
def pocl() -> Device:
    if not any(d.is_pocl for d in list_devices()):
        pytest.skip("PoCL is not installed (pip install pocl-binary-distribution)")
    return open_device(POCL)


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def python(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A script in a process of its own; the checkout is importable there."""
    path = os.pathsep.join(p for p in (str(ROOT), os.environ.get("PYTHONPATH")) if p)
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path, **env},
        capture_output=True,
        text=True,
        timeout=120,
    )


# ---------------------------------------------------------------------- plans


@pytest.mark.parametrize("name", sampled(PROGRAMS, 6))
def test_plan_json_round_trip(name: str) -> None:
    for safe in (False, True):
        plan = compile_imp(parse_imp(PROGRAMS[name].text, "p.imp"), safe=safe).plan
        assert loads(dumps(plan)) == plan


def broken(path: tuple[str | int, ...], value: object) -> str:
    """The JSON of a plan with one value replaced."""
    data = json.loads(dumps(compile_imp(parse_imp(DOUBLE_BUFFER)).plan))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a plan"),
        ("[" * 100_000, "not a plan"),
        ("[]", "plan has version None"),
        (broken(("version",), 0), "plan has version 0; funmem reads version 9"),
        (broken(("safe",), 1), r"plan\.safe: expected bool"),
        (broken(("entries",), {}), r"plan\.entries: expected a list"),
        (broken(("entries", 0, "name"), "a b"), r"entries\[0\]\.name: expected a name"),
        (broken(("entries", 0, "steps", 0), 7), r"steps\[0\]: expected SetScalar or Alias or"),
        (broken(("entries", 0, "steps", 0, "is"), "Span"), r"steps\[0\]: expected SetScalar"),
        (broken(("entries", 0, "steps", 0, "size"), [["n"]]), r"size: expected \[coefficient"),
        (broken(("entries", 0, "steps", 0, "more"), 1), "Alloc must have the fields x, size, at"),
        (broken(("entries", 0, "params", 0, "elem"), "f8"), "elem: expected a ScalarType"),
        (broken(("entries", 0, "params", 0, "known_as"), "a b"), "known_as: expected a name"),
    ],
)
def test_text_that_is_no_plan_is_refused(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        loads(text)


def test_buffers_are_freed_after_their_last_use() -> None:
    """Double buffering: the old buffer goes when the new one is computed, not when it arrives."""
    (entry,) = compile_imp(parse_imp(DOUBLE_BUFFER)).plan.entries
    assert outline(entry.steps) == [
        "Alloc a",
        "Launch",
        "Free x",
        ["Alloc b", "Launch", "Free a", "Alias a", "Free b"],
    ]


def outline(steps: Steps) -> list[object]:
    """The steps in brief."""
    found: list[object] = []
    for step in steps:
        match step:
            case For(_, _, body):
                found.append(outline(body))
            case Free(xs):
                found.append(f"Free {' '.join(xs)}")
            case Alloc(x) | Alias(x):
                found.append(f"{type(step).__name__} {x}")
            case _:
                found.append(type(step).__name__)
    return found


# ---------------------------------------------------------------------- devices


def info(index: int, platform: str, kind: str) -> DeviceInfo:
    return DeviceInfo(
        index=index, platform=platform, name=f"d{index}", kind=kind, version="", driver="",
        units=1, max_block=1, max_total=1, fp64=True, rounds_division=True,
    )  # fmt: skip


SIMULATOR = info(0, "Oclgrind", "CPU")
CPU = info(1, "Some CPU", "CPU")
POCL_CPU = info(2, POCL, "CPU")
GPU = info(3, "Some GPU of 2.1 GHz", "GPU")


@pytest.mark.parametrize(
    ("devices", "spec", "chosen"),
    [
        ((SIMULATOR, CPU, POCL_CPU, GPU), None, GPU),
        ((SIMULATOR, CPU, POCL_CPU), None, POCL_CPU),
        ((SIMULATOR, CPU), None, CPU),
        ((SIMULATOR, CPU, POCL_CPU, GPU), "oclgrind", SIMULATOR),
        ((SIMULATOR, CPU, POCL_CPU, GPU), "0", SIMULATOR),
        ((SIMULATOR, CPU, POCL_CPU, GPU), "1", CPU),
        ((SIMULATOR, CPU, POCL_CPU, GPU), "2", POCL_CPU),
        ((SIMULATOR, CPU, POCL_CPU, GPU), "PORTABLE", POCL_CPU),
        ((SIMULATOR, CPU, POCL_CPU, GPU), "d3", GPU),
    ],
)
def test_device_choice(
    devices: tuple[DeviceInfo, ...],
    spec: str | None,
    chosen: DeviceInfo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FUNMEM_DEVICE", raising=False)
    monkeypatch.setattr("funmem.codegen.device.list_devices", lambda: devices)
    assert choose(spec) is chosen
    monkeypatch.setenv("FUNMEM_DEVICE", str(CPU.index))
    if spec is None and CPU in devices:
        assert choose(None) is CPU


@pytest.mark.parametrize(
    ("devices", "spec", "message"),
    [
        ((), None, "no OpenCL device was found"),
        ((SIMULATOR,), None, "device found is a simulator"),
        ((SIMULATOR, CPU), "nvidia", "no OpenCL device is called `nvidia`"),
    ],
)
def test_no_device(
    devices: tuple[DeviceInfo, ...],
    spec: str | None,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FUNMEM_DEVICE", raising=False)
    monkeypatch.setattr("funmem.codegen.device.list_devices", lambda: devices)
    with pytest.raises(DeviceError, match=message) as caught:
        choose(spec)
    assert caught.value.diagnostic.hint


def test_f64_on_a_device_without_it(pocl: Device) -> None:
    text = "entry f [n] (x : [n]f32) {{ x[0] : f32 <- {}; return (x : [n]f32) }}"
    poor = evolve(pocl, info=evolve(pocl.info, fp64=False))
    Executable.load(compile_imp(parse_imp(text.format("1.5f32 / 3.0f32"))), poor)
    double = compile_imp(parse_imp(text.format("f32(f64(1.5f32) / 3.0)")))
    with pytest.raises(DeviceError, match="the program uses f64"):
        Executable.load(double, poor)


# ---------------------------------------------------------------------- cache

RUN = """
from funmem.ir.text import parse_imp
from funmem.codegen.cache import Cache
from funmem.codegen.device import POCL, open_device
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
exe = Executable.load(compile_imp(parse_imp(TEXT)),
                      open_device(POCL), Cache.default())
print(exe.built.from_cache)
"""


@pytest.mark.exhaustive
@pytest.mark.usefixtures("pocl")
def test_a_second_process_does_not_build_again(cache_folder: Path) -> None:
    script = f"TEXT = {PROGRAMS['map'].text!r}\n" + RUN
    for cached in ("False", "True"):
        done = python(script)
        assert (done.stdout.strip(), done.returncode) == (cached, 0), done.stderr
    files = list((cache_folder / "kernels").iterdir())
    assert [f.suffix for f in files] == [".bin"]
    for folder in (cache_folder, cache_folder / "kernels"):
        assert folder.stat().st_mode & 0o777 == 0o700
    files[0].write_bytes(files[0].read_bytes()[:-1])  # cut short: a miss, not a crash
    assert python(script).stdout.strip() == "False"


def test_the_key_depends_on_every_part(pocl: Device) -> None:
    assert key_of("ab", "c") != key_of("a", "bc") != key_of("abc")
    one, two = (
        program.build(pocl, f"__kernel void k(__global int *x) {{ x[0] = {n}; }}", None)
        for n in (1, 2)
    )
    assert one.key != two.key
    assert not one.from_cache


@pytest.mark.parametrize("mode", [0o777, 0o720])
def test_a_folder_others_may_write_to_is_refused(cache_folder: Path, mode: int) -> None:
    cache_folder.mkdir()
    cache_folder.chmod(mode)
    with pytest.raises(UsageError, match="can be written to by other users") as caught:
        Cache.default()
    assert "FUNMEM_CACHE" in caught.value.diagnostic.hint


def test_a_folder_of_another_user_is_refused(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_folder.mkdir(mode=0o700)
    owner = cache_folder.stat().st_uid
    monkeypatch.setattr("os.getuid", lambda: owner + 1)
    with pytest.raises(UsageError, match="belongs to another user"):
        Cache.default()


def test_a_file_in_the_place_of_the_folder_is_refused(cache_folder: Path) -> None:
    cache_folder.write_text("")
    with pytest.raises(UsageError, match="cache folder"):
        private_folder(cache_folder)


def test_what_cannot_be_written_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache on a read-only disk."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    Cache(tmp_path).put("key", b"code")
    for name in ("os.utime", "os.replace"):
        monkeypatch.setattr(name, refuse)
    Cache(tmp_path).put("other", b"code")
    assert [Cache(tmp_path).get(k) for k in ("key", "other")] == [b"code", None]


def test_old_builds_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("funmem.codegen.cache.LIMIT_BYTES", 250)
    cache = Cache(tmp_path)
    for k in range(4):
        cache.put(str(k), bytes(68))  # with its hash: 100 bytes
        os.utime(tmp_path / f"{k}.bin", (k, k))
    assert [cache.get(str(k)) is not None for k in range(4)] == [False, False, True, True]


# ---------------------------------------------------------------------- buffers


def test_buffers_are_reused_between_calls(pocl: Device) -> None:
    exe = Executable.load(compile_imp(parse_imp(DOUBLE_BUFFER)), pocl)
    exe(f32(1000), 10)
    made = pocl.pool.made
    for _ in range(3):
        exe(f32(1000), 10)
    assert pocl.pool.made == made
    assert exe.entry().stats.peak_bytes == 2 * 4000
    assert exe.entry().stats.launches == 11
    assert held(pocl) == 0


def test_the_pool_keeps_no_more_than_its_cap(pocl: Device) -> None:
    pool = Pool(pocl.context, pocl.info.max_block, 10_000, cap=1500)
    a, b, empty = pool.take(1000), pool.take(1000), pool.take(-5)
    assert (pool.live, pool.peak, empty.size) == (2000, 2000, 0)
    for buffer in (a, b, empty):
        pool.drop(buffer)
    assert (pool.live, pool.kept, pool.made) == (0, 1000, 3)
    assert pool.take(1000).handle is a.handle
    with pytest.raises(DeviceError, match=r"needs 10\.74 KiB, the device has 9\.766 KiB"):
        pool.take(10_000)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (1 << 63, "8 EiB")],
)
def test_bytes_for_people(size: int, text: str) -> None:
    assert human(size) == text


# ---------------------------------------------------------------------- artifacts


@pytest.mark.usefixtures("pocl")
def test_artifact_round_trip(tmp_path: Path) -> None:
    text = PROGRAMS["map"].text + PROGRAMS["map"].text.replace("entry f", "entry lambda'")
    compiled = compile_imp(parse_imp(text, "p.imp"))
    path = artifact.write(compiled, tmp_path / "out", "my prog'")
    assert path.name == "my_prog_.py"
    assert artifact.load(tmp_path / "out", "my prog'") == compiled
    script = (
        "import sys, my_prog_, numpy as np\n"
        "x = np.arange(3, dtype=np.float32)\n"
        "print(my_prog_.f(x, 2.0).tolist(), my_prog_.lambda_(x, c=3.0).tolist())\n"
        "print(my_prog_.f.__doc__)\n"
        "print([m for m in sys.modules if m.startswith(('funmem.passes', 'funmem.ir.text'))])\n"
    )
    path_with = os.pathsep.join((str(ROOT), str(tmp_path / "out")))
    done = python(script, PYTHONPATH=path_with, FUNMEM_DEVICE=POCL)
    assert done.stdout.splitlines() == [
        "[1.0, 3.0, 5.0] [1.0, 4.0, 7.0]",
        "f [n] (x : [n]f32) (c : f32) -> (y : [n]f32).",
        "[]",
    ], done.stderr


def test_a_folder_without_a_program(tmp_path: Path) -> None:
    with pytest.raises(FunmemError, match="contains no compiled program"):
        artifact.load(tmp_path)
    (tmp_path / "program.cl").write_text("")
    (tmp_path / "program.plan.json").write_text("{}")
    with pytest.raises(PlanError):
        artifact.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "taken", "want"),
    [
        ("f", (), "f"),
        ("for", (), "x_for"),
        ("f'", ("f_",), "f__"),
        ("__x", (), "x"),
        ("9", (), "x_9"),
    ],
)
def test_names_of_python_functions(name: str, taken: tuple[str, ...], want: str) -> None:
    assert artifact.identifier(Name(name), taken) == want


# ---------------------------------------------------------------------- linker


def test_without_a_linker_both_ways_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("funmem.codegen.toolchain.find_spec", lambda _: None)
    with pytest.raises(DeviceError, match="`ld`") as caught:
        ensure_linker()
    assert "binutils" in caught.value.diagnostic.hint
    assert "ziglang" in caught.value.diagnostic.hint


def test_ziglang_stands_in_for_the_linker(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("funmem.codegen.toolchain.find_spec", lambda _: "found")
    ensure_linker()
    shim = cache_folder / "toolchain" / "ld"
    assert os.environ["PATH"] == f"{shim.parent}{os.pathsep}/nowhere"
    assert shim.stat().st_mode & 0o777 == 0o700
    assert shim.read_text().endswith('-m ziglang ld.lld "$@"\n')


@pytest.mark.usefixtures("pocl")
@pytest.mark.skipif(find_spec("ziglang") is None, reason="ziglang is not installed")
def test_pocl_builds_with_ziglangs_linker(tmp_path: Path) -> None:
    script = f"TEXT = {PROGRAMS['map'].text!r}\n" + RUN
    script += "print(exe([1.0, 2.0], 1.0).tolist())"
    done = python(script, PATH="/nowhere", POCL_CACHE_DIR=str(tmp_path))
    assert done.stdout.splitlines() == ["False", "[2.0, 3.0]"], done.stderr


WIDE = """
import sys
from funmem.bench.tasks import Choice, tasks
from funmem.codegen.device import open_device
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.driver.compilation import machine_code
from funmem.driver.options import Options
from funmem.driver.source import read
for task in tasks(read(sys.argv[1]), Choice(scale=0.1)):
    imp, _ = machine_code(task.program, Options())
    exe = Executable.load(compile_imp(imp), open_device("Portable"))
    exe.entry(task.signature.name).run(task.args)
"""
CPUINFO = Path("/proc/cpuinfo")
FLAGS = CPUINFO.read_text().split() if CPUINFO.is_file() else []
REGISTERS = {"opencl": "zmm" if "avx512f" in FLAGS else "ymm", "c": "[yz]mm"}
"""gcc prefers vectors of 32 bytes on some processors that have those of 64."""
WIDE_PROGRAMS = ("hotspot", "mandelbrot", "black_scholes", "matmul")


def objects(via: str, name: str, folder: Path) -> list[Path]:
    """Build a benchmark program, and return the files of its object code."""
    (path,) = (ROOT / "papers" / "benchmarks" / name).glob("*.fut")
    if via == "c":
        imp, _ = machine_code(read(str(path)).parse(), Options())
        library = folder / "program.so"
        library.write_bytes(build(compile_c(imp, "program"), COptions(), None))
        return [library]
    script = f"import sys; sys.argv = ['-', {str(path)!r}]\n" + WIDE
    done = python(script, POCL_CACHE_DIR=str(folder))
    assert done.returncode == 0, done.stderr
    return list(folder.rglob("k0_*.so"))


@pytest.mark.usefixtures("pocl")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="there is no objdump")
@pytest.mark.skipif("avx2" not in FLAGS, reason="there is no AVX2")
@pytest.mark.parametrize(
    ("via", "name"), sampled([(v, n) for v in ("opencl", "c") for n in WIDE_PROGRAMS], 0, slow=4)
)
def test_whole_vector_registers(via: str, name: str, tmp_path: Path) -> None:
    """The speed of these kernels depends on it; a scalar loop would give the same results."""
    arithmetic = re.compile(rf"v(add|sub|mul)p[sd] .*%{REGISTERS[via]}")
    shown = [
        subprocess.run(["objdump", "-d", k], capture_output=True, text=True, check=True).stdout
        for k in objects(via, name, tmp_path)
    ]
    assert any(len(arithmetic.findall(text)) > 20 for text in shown)


# ---------------------------------------------------------------------- Oclgrind

SIMULATE = """
import sys
import numpy as np
from funmem.ir.text import parse_imp
from funmem.codegen.device import open_device
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from tests.support.opencl_programs import PROGRAMS
device = open_device("oclgrind")
for name, (text, arguments) in PROGRAMS.items():
    for safe in (False, True):
        exe = Executable.load(compile_imp(parse_imp(text), safe=safe, gpu=True), device)
        for args in arguments:
            exe(*(a[:20] if isinstance(a, np.ndarray) else a for a in args))
"""

needs_oclgrind = pytest.mark.skipif(not has_oclgrind(), reason="Oclgrind is not installed")


@needs_oclgrind
@pytest.mark.slow
def test_oclgrind_finds_nothing() -> None:
    done = python(SIMULATE, OCLGRIND_DATA_RACES="1")
    assert (done.returncode, done.stderr) == (0, "")


@needs_oclgrind
def test_oclgrind_would_find_something() -> None:
    script = SIMULATE.replace("PROGRAMS.items()", "[('bad', (BAD, [(np.zeros(3, 'f4'),)]))]")
    bad = "entry f [n] (x : [n]f32) { kernel i < n do x[i + 1] <- x[i] : f32; done return }"
    done = python(f"BAD = {bad!r}\n" + script, OCLGRIND_DATA_RACES="1")
    assert "Invalid write of size 4" in done.stderr
    assert "data race" in done.stderr
