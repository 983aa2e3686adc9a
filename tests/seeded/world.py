"""The compiler with one line changed.

Inside :func:`patched` every module ``funmem.*`` is imported anew, one of them from changed source;
afterwards ``sys.modules`` is as it was.  The two worlds share no classes, so programs cross the
border as pickles: a class is looked up where the pickle is read.
"""

import pickle
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from attrs import evolve

from funmem.passes.framework import AnyProgram, Context, Pass
from funmem.passes.registry import find
from tests.seeded.bug import SeededBug
from tests.seeded.finder import Change, Finder


class Crashed(Exception):
    """The faulty pass raised an exception."""


def source(bug: SeededBug) -> str:
    """The text of the module that the bug is in."""
    spec = find_spec(bug.module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


def with_bug(bug: SeededBug) -> dict[str, Change]:
    """The module that a bug is in, changed."""

    def change(text: str) -> str:
        assert text.count(bug.old) == 1, bug.name
        return text.replace(bug.old, bug.new)

    return {bug.module: change}


def alone(module: str, old: str, new: str) -> ModuleType:
    """Return a module with one text replaced; all that it imports is shared with the real one."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    made = ModuleType(module)
    exec(compile(text.replace(old, new), spec.origin, "exec"), made.__dict__)
    return made


World: TypeAlias = dict[str, ModuleType]
"""The modules of a faulty compiler that were imported so far."""


@contextmanager
def patched(changes: Mapping[str, Change], world: World | None = None) -> Iterator[None]:
    """Within, ``funmem`` has these modules changed; ``world`` keeps it for the next time."""
    ours = _take_away()
    finder = Finder(changes)
    sys.meta_path.insert(0, finder)
    sys.modules.update(world or {})
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        theirs = _take_away()
        sys.modules.update(ours)
        if world is not None:
            world.update(theirs)


def _take_away() -> dict[str, ModuleType]:
    names = [x for x in sys.modules if x == "funmem" or x.startswith("funmem.")]
    return {x: sys.modules.pop(x) for x in names}


def faulty(bug: SeededBug, world: "World | None" = None) -> Pass:
    """The pass with the bug in it, to be used like the real one.

    With a ``world`` the faulty compiler is imported once and not for each use.
    """
    return changed(bug.pass_name, with_bug(bug), world)


def changed(name: str, changes: Mapping[str, Change], world: "World | None" = None) -> Pass:
    """A pass of a compiler in which these modules are changed."""
    real = find(name)

    def run(p: AnyProgram, ctx: Context) -> AnyProgram:
        given = pickle.dumps(p)
        with patched(changes, world):
            try:
                result = _run_there(name, given, ctx)
            except Exception as e:
                raise Crashed(f"{type(e).__name__}: {e}") from e
        after: AnyProgram = pickle.loads(result)
        return after

    return evolve(real, run=run)


def _run_there(name: str, program: bytes, ctx: Context) -> bytes:
    """The program after the pass; called where ``funmem`` is the faulty compiler."""
    what = import_module("funmem.passes.registry").find(name)
    options = {o.name: ctx.option(o.name) for o in what.options}
    return pickle.dumps(what.run(pickle.loads(program), what.context(options)))
