"""Broken FUNMEM programs: each is caught, some by a type rule, the others by running them.

A file says in its first line what must be found -- a rule, a kind of memory fault, or that the
results differ from the value semantics' (a live array was overwritten) -- and in its second line
the arguments, as Python literals.  Deleting the annotations leaves a right program in every case.
"""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from funmem.interp.heap import run_heap
from funmem.interp.value import run
from funmem.ir.check import check_all
from funmem.ir.diagnostics import NOWHERE, Diagnostic, FaultKind, MemoryFault
from funmem.ir.erase import erase
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, agree

BROKEN = sorted((Path(__file__).parent / "broken").glob("*.funmem"))


def header(text: str) -> tuple[str, list[ArgValue]]:
    """What is to be found, and the arguments."""
    found, arguments = text.split("\n")[:2]
    kind = found.removeprefix("-- ").split(":", 1)[0]
    return kind, list(ast.literal_eval(f"[{arguments.removeprefix('-- input: ')}]"))


def judge(text: str, file: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a program: by its types, else by running it with and without memory."""
    program = parse_fun(text, file)
    _, args = header(text)
    if found := check_all(program):
        return found
    try:
        got = run_heap(program, "main", args).values
    except MemoryFault as fault:
        return (fault.diagnostic,)
    difference = agree(run(erase(program), "main", args), got)
    assert difference is not None, "nothing is wrong"
    return (Diagnostic(NOWHERE, FaultKind.CLOBBERED.value, difference),)


@pytest.mark.parametrize("path", BROKEN, ids=lambda p: p.stem)
def test_it_is_caught(path: Path, golden: Callable[[str, str], None]) -> None:
    text = path.read_text(encoding="utf-8")
    found = judge(text, path.name)
    assert found[0].code == header(text)[0]
    golden(f"../ir/check/broken/{path.stem}.err", "\n".join(d.render(text) for d in found) + "\n")


@pytest.mark.parametrize("path", BROKEN, ids=lambda p: p.stem)
def test_it_is_right_without_memory(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    kind, args = header(text)
    program = erase(parse_fun(text, path.name))
    assert kind == "T-CONSUME" or check_all(program) == ()
    run(program, "main", args)
