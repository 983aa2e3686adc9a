"""All Python files of the rooms keep the rules of source_rules.py, and import lower rooms only."""

from collections.abc import Callable
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.project.source_rules import (
    RULES,
    File,
    Found,
    mutable_fields,
    open_matches,
    options_in_hints,
    other_records,
    other_writers,
    survey,
    text_that_runs,
    wrong_imports,
)

LAYERS = (
    ("ir",),
    ("ir/regions",),
    ("ir/text",),
    ("ir/check",),
    ("ir/logic",),
    ("ir/verify",),
    ("interp",),
    ("interp/core",),
    ("codegen",),
    ("codegen/memory_plan",),
    ("passes",),
    ("passes/core", "passes/fun", "passes/imp"),
    ("passes/lower",),
    ("passes/mem",),
    ("funmem/frontends",),
    ("funmem/driver",),
    ("funmem/values",),
    ("funmem/suite", "funmem/explain", "funmem/verify"),
    ("funmem/frontends/python",),
    ("funmem/testing",),
    ("funmem/bench",),
    ("funmem/tune",),
    ("funmem",),
    ("funmem/commands",),
)
"""The rooms of the house, lowest first: a module imports its own room and rooms of earlier rows.

Imports inside functions count as well.  The registry of passes and the command line load modules by
name; nothing else does.
"""
LAYER = {room: k for k, row in enumerate(LAYERS) for room in row}


def room_of(path: str) -> str:
    """The room a module lies in: the first two folders, ``ir/text``, or the only one.

    The tracer runs what it compiles, so it is a room of its own, above the driver.
    """
    folders = Path(path).parts[:-1]
    inner = "/".join(folders[:3])
    return inner if inner in LAYER else "/".join(folders[:2])


@pytest.mark.slow
def test_every_file_keeps_the_rules() -> None:
    assert list(survey().broken) == [], [f"{r.__name__}: {r.__doc__}" for r in RULES]


@pytest.mark.slow
def test_a_room_imports_lower_rooms_only() -> None:
    found = survey()
    where = {name: room_of(path) for name, path in found.path.items()}
    assert set(where.values()) == LAYER.keys()
    wrong = sorted(
        f"{name} ({where[name]}) imports {other} ({where[other]})"
        for name, imported in found.imported.items()
        for other in imported
        if where[name] != where[other] and LAYER[where[other]] >= LAYER[where[name]]
    )
    assert wrong == []


@pytest.mark.slow
def test_imports_have_no_circles() -> None:
    """Also not among imports inside functions: a circle is one module in several files."""
    sorter = TopologicalSorter({name: some - {name} for name, some in survey().imported.items()})
    sorter.prepare()  # raises CycleError, which names the modules


# ---------------------------------------------------------------------- each rule finds its faults

HEAD = "from funmem.ir import core as c\nfrom funmem.ir.fun import Copy, Concat\n"

BROKEN: list[tuple[Callable[[File], Found], str, str]] = [
    (wrong_imports, "ir", "import funmem.passes"),
    (wrong_imports, "ir", "from funmem import interp"),
    (wrong_imports, "ir", "import funmem"),
    (wrong_imports, "passes", "from funmem.interp.heap import run"),
    (wrong_imports, "passes", "def f():\n import funmem.codegen.opencl as o"),
    (wrong_imports, "interp", "from funmem.passes import simplify"),
    (wrong_imports, "codegen", "import numpy, funmem.passes"),
    (wrong_imports, "codegen", "from funmem.cli import main"),
    (wrong_imports, "passes", "from ir import fun"),
    (wrong_imports, "passes", "from . import simplify"),
    (wrong_imports, "interp", "importlib.import_module('funmem.codegen')"),
    (wrong_imports, "funmem", "from tests import generate"),
    (mutable_fields, "ir", "@frozen\nclass Node:\n    xs: list[int]"),
    (mutable_fields, "ir", "@frozen\nclass Node:\n    xs: tuple['dict[str, int]', ...]"),
    (mutable_fields, "ir", "@frozen\nclass Node:\n    xs: typing.Any"),
    (other_records, "passes", "from attrs import frozen"),
    (other_records, "interp", "import os\nfrom dataclasses import dataclass"),
    (open_matches, "ir", HEAD + "match e:\n case Copy(): a\n case Concat(): b\n case _: c"),
    (open_matches, "ir", HEAD + "match e:\n case Copy() | Concat(): a\n case other: c"),
    (open_matches, "ir", HEAD + "match e:\n case Copy() as x: a\n case Concat(): b\n case y: c"),
    (open_matches, "ir", HEAD + "match e:\n case c.Map(): a\n case c.Scan(): b\n case _: c"),
    (open_matches, "ir", HEAD + "match e:\n case c.Control(): a\n case c.Map(): b\n case _: c"),
    (other_writers, "passes", "p.write_text('x')"),
    (other_writers, "passes", "Path(p).write_bytes(b'')"),
    (other_writers, "passes", "open(p, 'w')"),
    (other_writers, "passes", "p.open('ab')"),
    (other_writers, "passes", "p.open(mode='x')"),
    (other_writers, "papers", "gzip.open(p, 'wb')"),
    (other_writers, "papers", "os.open(p, os.O_WRONLY)"),
    (other_writers, "papers", "np.save(p, a)"),
    (other_writers, "papers", "figure.savefig(p)"),
    (other_writers, "papers", "os.replace(p, q)"),
    (other_writers, "papers", "p.replace(q)"),
    (other_writers, "papers", "tempfile.mkstemp()"),
    (text_that_runs, "ir", "import pickle"),
    (text_that_runs, "ir", "from pickle import loads"),
    (text_that_runs, "ir", "eval(text)"),
    (text_that_runs, "ir", "subprocess.run(text, shell=True)"),
    (text_that_runs, "ir", "np.load(p, allow_pickle=True)"),
    (text_that_runs, "ir", "os.system(text)"),
    (options_in_hints, "ir", "Diagnostic(a, b, c, 'use --fast')"),
    (options_in_hints, "codegen", "f(hint='try `-v`')"),
    (options_in_hints, "passes", "hint = 'run with -p x'"),
]
KEPT: list[tuple[Callable[[File], Found], str, str]] = [
    (wrong_imports, "ir", "from funmem.ir.names import Name"),
    (wrong_imports, "passes", "from funmem import ir"),
    (wrong_imports, "interp", "import numpy, funmem.ir.fun"),
    (wrong_imports, "funmem", "from funmem import __version__, passes"),
    (wrong_imports, "codegen", "import iris, funmemory"),
    (mutable_fields, "ir", "@frozen\nclass Node:\n    xs: tuple[int, ...]"),
    (open_matches, "ir", HEAD + "match e:\n case Copy(): a\n case _: c"),
    (open_matches, "ir", HEAD + "match e:\n case Copy(): a\n case Copy(x) if x: b\n case _: c"),
    (open_matches, "ir", HEAD + "match e:\n case Copy(): a\n case Concat(): b"),
    (open_matches, "ir", HEAD + "match e:\n case str(): a\n case int(): b\n case _: c"),
    (other_writers, "passes", "text.replace(a, b)\nopen(p)\nopen(p, 'rb')"),
    (text_that_runs, "ir", "re.compile(text)\nsubprocess.run([text])"),
    (options_in_hints, "ir", "Diagnostic(a, b, c, 'a `-1` is no size')"),
]


@pytest.mark.parametrize(("rule", "room", "text"), BROKEN)
def test_a_broken_rule_is_seen(rule: Callable[[File], Found], room: str, text: str) -> None:
    assert len(list(rule(File(f"{room}/x.py", text)))) == 1


@pytest.mark.parametrize(("rule", "room", "text"), KEPT)
def test_what_keeps_it_is_not(rule: Callable[[File], Found], room: str, text: str) -> None:
    assert not list(rule(File(f"{room}/x.py", text)))
