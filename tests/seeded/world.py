"""The compiler with one line changed.

Inside :func:`patched` every module ``funmem.*`` is imported anew, one of them from changed source;
afterwards ``sys.modules`` is as it was.  The two worlds share no classes, so programs cross the
border as pickles: a class is looked up where the pickle is read.
"""

import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from attrs import evolve

from funmem.passes.framework import AnyProgram, Context, Pass
from funmem.passes.registry import find
from tests.seeded.bug import SeededBug


class Crashed(Exception):
    """The faulty pass raised an exception."""


def source(bug: SeededBug) -> str:
    """The text of the module that the bug is in."""
    spec = find_spec(bug.module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


class _Loader(SourceFileLoader):
    def __init__(self, bug: SeededBug, path: str) -> None:
        super().__init__(bug.module, path)
        self.bug = bug

    def get_code(self, fullname: str):  # type: ignore[no-untyped-def]  # no cached bytecode
        text = Path(self.path).read_text(encoding="utf-8")
        assert text.count(self.bug.old) == 1, self.bug.name
        return compile(text.replace(self.bug.old, self.bug.new), self.path, "exec")


class _Finder(MetaPathFinder):
    """Finds the one module that is changed."""

    def __init__(self, bug: SeededBug) -> None:
        self.bug = bug

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.bug.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(self.bug, spec.origin)
        return spec


World: TypeAlias = dict[str, ModuleType]
"""The modules of a faulty compiler that were imported so far."""


@contextmanager
def patched(bug: SeededBug, world: World | None = None) -> Iterator[None]:
    """Within, ``funmem`` is the faulty compiler; ``world`` keeps it for the next time."""
    ours = _take_away()
    finder = _Finder(bug)
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
    real = find(bug.pass_name)

    def run(p: AnyProgram, ctx: Context) -> AnyProgram:
        given = pickle.dumps(p)
        with patched(bug, world):
            try:
                result = _run_there(bug.pass_name, given, ctx)
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
