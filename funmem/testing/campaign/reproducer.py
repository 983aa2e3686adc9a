"""Reproducers: one file with the program, its input as a test comment, and the failure.

    -- A failing program; `funmem reduce --replay FILE` says whether it still fails.
    -- pipeline: allocate,expand
    -- engine: heap
    -- code: access outside its block
    -- message: bytes 0 to 3 are not all inside block `zeros_2_mem_1` of 0 bytes
    -- seed: 5
    -- passes: my-pass in /home/me/my_passes.py
    -- versions: funmem 0.1.0, Python 3.11.7, numpy 1.26.4, Linux x86_64
    -- by hand: funmem run FILE -p allocate,expand --via heap --against value -i '[0i32, 0i32]'
    -- ==
    -- entry: main
    -- input { [0i32, 0i32] }
    entry main …

Every command reads the file as an ordinary program, and ``funmem test`` runs it.  The line
``passes`` lists passes that do not belong to an installed package.  No command runs a file because
a reproducer names it; the environment variable FUNMEM_PASSES does (:mod:`funmem.passes.registry`).
"""

import os
import platform
import re
import shlex
from collections.abc import Mapping, Sequence

import numpy as np

import funmem
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.foreign import NONE
from funmem.ir.fun import MemProgram
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.signature import Signature, signature
from funmem.ir.text import show
from funmem.ir.values import ArgValue, Tolerance, bind
from funmem.passes import registry
from funmem.passes.framework import Pass
from funmem.passes.runner import Pipeline
from funmem.suite.reader import read_spec
from funmem.suite.spec import Inline
from funmem.testing.generator.foreign import foreign_code
from funmem.testing.judge.devices import Device, NamedDevice, device_of
from funmem.testing.judge.isolated import OCLGRIND
from funmem.testing.judge.program import Case
from funmem.testing.reduce import Reduced
from funmem.testing.reduce.inputs import entry_of
from funmem.values.arguments import show_value

TITLE = "A failing program; `funmem reduce --replay FILE` says whether it still fails."


ROUNDED = "up to rounding"
"""Floats are compared up to rounding instead of by their bits."""

FREE = "free"
"""A fold may apply its operator in any order, since the operator may not be associative."""


def reproducer(r: Reduced, file: str = "FILE") -> str:
    """Return the text of the file; ``file`` is its name in the command ``by hand``."""
    s = signature(entry_of(r.case))
    args = show_arguments(s, r.case.args)
    passes = str(r.pipeline)
    own = local_passes(r.pipeline)
    by_hand: list[str] = []
    if r.case.foreign is NONE:  # only a campaign has the generator's foreign functions
        by_hand = _by_hand(r.failure.engine, file, passes, s.name, args)
    head = {
        "pipeline": passes,
        "engine": r.failure.engine,
        "code": r.failure.code,
        "message": r.failure.message.strip().splitlines()[-1 if r.failure.engine == "crash" else 0],
        "seed": str(r.case.seed),
        "floats": "" if r.case.tolerance is None else ROUNDED,
        "order": FREE if r.case.any_order else "",
        "passes": ", ".join(map(_origin, own)),
        "versions": versions(),
        "by hand": by_hand and shlex.join([*with_passes(own), *by_hand]),
    }
    lines = [TITLE, *(f"{key}: {_one_line(value)}" for key, value in head.items() if value)]
    lines += ["==", f"entry: {s.name}", f"input {{ {' '.join(args)} }}"]
    return "".join(f"-- {line}\n" for line in lines) + show(r.case.program)


def local_passes(p: Pipeline) -> list[Pass]:
    """Return the passes that another process does not find by name."""
    every = {s.what.name: s.what for s in p.steps}
    return [what for what in every.values() if not registry.is_found_anywhere(what)]


def with_passes(own: Sequence[Pass]) -> list[str]:
    """Return the words of a shell command's prefix that makes these passes known."""
    files = dict.fromkeys(str(f) for p in own if (f := registry.file_of(p)) is not None)
    return ["env", f"{registry.FILES}={os.pathsep.join(files)}"] if files else []


def _origin(p: Pass) -> str:
    file = registry.file_of(p)
    return f"{p.name} of a session without a file" if file is None else f"{p.name} in {file}"


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def show_arguments(s: Signature, args: tuple[ArgValue, ...]) -> list[str]:
    """Return the arguments in the data format, which reads back exactly."""
    _, values = bind(s, args)
    return [show_value(v, p) for v, p in zip(values, s.params, strict=True)]


def versions() -> str:
    """Return the versions of funmem, Python and numpy, and the platform."""
    python = f"Python {platform.python_version()}, numpy {np.__version__}"
    return f"funmem {funmem.__version__}, {python}, {platform.system()} {platform.machine()}"


def _by_hand(engine: str, file: str, passes: str, entry: str, args: list[str]) -> list[str]:
    """Return an ordinary command that shows the failure, or an empty list if only
    a campaign can.
    """
    given = [word for a in args for word in ("-i", a)]
    via = {"imp forwards": "imp", "value": "value", "heap": "heap", "opencl": "opencl"}
    match engine:
        case "types" | "promises" | "pass" | "crash":
            command = ["funmem", "opt", file, "-p", passes]
        case _ if engine in via:
            how = ["--entry", entry, "--via", via[engine], "--against", "value"]
            command = ["funmem", "run", file, "-p", passes, *how, *given]
        case _ if isinstance(named := device_of(engine), NamedDevice):
            how = ["--entry", entry, "--via", "opencl", "--device", named.spec]
            command = ["funmem", "run", file, "-p", passes, *how, "--against", "value", *given]
        case Device.OCLGRIND.value:
            settings = (f"{k}={v}" for k, v in OCLGRIND.items())
            how = ["--entry", entry, "--via", "opencl", "--device", engine, "--safe"]
            command = ["env", *settings, "funmem", "run", file, "-p", passes, *how, *given]
        case _:
            return []
    return command


# ---------------------------------------------------------------------- reading it


@frozen(eq=False)
class ReproducerFields:
    """The contents of a reproducer besides the program; None for absent fields."""

    pipeline: Pipeline | None = None
    entry: Name | None = None
    args: tuple[ArgValue, ...] | None = None
    seed: int = 0
    kind: tuple[str, str] | None = None
    tolerance: Tolerance | None = None
    any_order: bool = False


_FIELD = re.compile(r"-- ([a-z ]+): (.*)")


def read_reproducer(text: str, name: str) -> ReproducerFields:
    """Return a reproducer's fields; for other programs, the first input in their test comments.

    Raises SourceError if a test comment is malformed, UsageError if the pipeline is.
    """
    lines = text.splitlines()
    fields: dict[str, str] = {}
    if lines and lines[0] == f"-- {TITLE}":
        for line in lines[1:]:
            m = _FIELD.fullmatch(line)
            if m is None:
                break
            fields[m[1]] = m[2]
    pipeline = _pipeline(fields) if fields.get("pipeline") else None
    kind = (fields["engine"], fields["code"]) if {"engine", "code"} <= fields.keys() else None
    seed = int(fields["seed"]) if re.fullmatch("[0-9]{1,20}", fields.get("seed", "")) else 0
    tolerance = Tolerance() if fields.get("floats") == ROUNDED else None
    free = fields.get("order") == FREE
    for block in read_spec(text, name).blocks:
        for case in block.cases:
            if isinstance(case.input, Inline):
                entry = Name(block.entries[0]) if block.entries else None
                return ReproducerFields(
                    pipeline, entry, case.input.values, seed, kind, tolerance, free
                )
    return ReproducerFields(pipeline, None, None, seed, kind, tolerance, free)


def _pipeline(fields: Mapping[str, str]) -> Pipeline:
    try:
        return Pipeline.parse(fields["pipeline"])
    except UsageError as error:
        if error.diagnostic.code != "unknown-pass" or "passes" not in fields:
            raise
        hint = f"there is {fields['passes']}: {registry.FILES}=FILE.py makes those of a file known"
        raise UsageError(evolve(error.diagnostic, hint=hint)) from None


def case_of(
    program: MemProgram,
    entry: str,
    args: Sequence[ArgValue],
    seed: int = 0,
    tolerance: Tolerance | None = None,
) -> Case:
    """Return a case with the arguments as values.  Raises InputError if they do not fit."""
    chosen = next((e for e in program.entries if e.name == entry), None)
    if chosen is None:
        raise UsageError(Diagnostic(NOWHERE, "entry", f"there is no entry point `{entry}`"))
    _, values = bind(signature(chosen), args)
    foreign = foreign_code(program)
    return Case(program, chosen.name, values, seed, tolerance, foreign=foreign)
