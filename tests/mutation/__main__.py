"""Mutants of the trusted core, and the tests that notice: ``python -m tests.mutation lmad races``.

Of each mutant the tests that are responsible run until the first fails: first in a fork of a
process that has collected them once, and what is not noticed there from scratch, in a copy of the
checkout into which the mutant is written.  The table says how many were noticed; those that were
not are listed.  The exit code is 3 if there is one that is not known to mean the same.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, Queue

import click
from attrs import frozen

from tests.mutation import forked
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.operators import Mutant
from tests.mutation.targets import TARGETS, Target

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("funmem", "ir", "passes", "interp", "codegen", "tests", "examples", "papers")
SLOWEST = 300
"""Seconds; a mutant under which the tests run longer than that is noticed, too."""


@frozen
class Work:
    """The ``place``-th mutant of the ``number``-th target of a group."""

    group: str
    number: int
    place: int
    mutant: Mutant

    @property
    def target(self) -> Target:
        return TARGETS[self.group][self.number]


@frozen
class Found:
    """What became of a mutant."""

    group: str
    mutant: Mutant
    noticed: bool

    @property
    def excuse(self) -> str:
        """Why nobody needs to notice it, or nothing."""
        return EQUIVALENT.get(self.mutant.key, "")


def planned(groups: Sequence[str]) -> Iterator[Work]:
    """All mutants of some groups."""
    for group in groups:
        for number, target in enumerate(TARGETS[group]):
            for place, m in enumerate(forked.mutants_of(target, ROOT)):
                yield Work(group, number, place, m)


def checkout(folder: Path) -> Path:
    """A copy of what the tests need."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def passes(folder: Path, tests: Sequence[str]) -> bool:
    """Whether tests pass in a checkout."""
    for test in tests:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n0"]
        command += ["-m", ""]  # slow tests as well
        command += test.split()
        cache = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        env = {**os.environ, "PYTHONPATH": str(folder), **cache}
        try:
            done = subprocess.run(
                command, cwd=folder, env=env, capture_output=True, timeout=SLOWEST, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        if done.returncode not in (0, 1, 2):
            raise click.ClickException(f"{' '.join(command)}: {done.stdout.decode()[-2000:]}")
        if done.returncode:
            return False
    return True


def judge(folder: Path, group: str, target: Target, m: Mutant) -> Found:
    """Runs the tests of a target against a mutant."""
    path = folder / target.path
    original = path.read_text(encoding="utf-8")
    _write(path, m.source)
    try:
        return Found(group, m, not passes(folder, target.tests))
    finally:
        _write(path, original)


def _write(path: Path, text: str) -> None:
    """As if a second after it was last written: bytecode of what was there before is not used."""
    last = path.stat().st_mtime_ns // 10**9
    path.write_text(text, encoding="utf-8")
    os.utime(path, (last + 1, last + 1))


def soon(work: Sequence[Work], jobs: int) -> Iterator[tuple[Work, Found]]:
    """What can be said without starting pytest for each mutant (``forked.py``)."""
    for group, number in dict.fromkeys((w.group, w.number) for w in work):
        asked = {w.place: w for w in work if (w.group, w.number) == (group, number)}
        for place, noticed in forked.verdicts(ROOT, group, number, list(asked), jobs).items():
            found = Found(group, asked[place].mutant, noticed)
            if noticed or found.excuse:
                yield asked[place], found


def campaign(work: Sequence[Work], jobs: int, *, once: bool = False) -> list[Found]:
    """Judges all mutants; each job has a checkout of its own.  With ``once`` none is judged again
    from scratch, and those that are known to mean the same are not judged at all; those that no
    fork can judge, of functions that tests call while they are imported, are left as well.
    """
    from rich.progress import Progress

    if once:
        unnoticed = {w: Found(w.group, w.mutant, noticed=False) for w in work}
        asked = [w for w in work if not unnoticed[w].excuse]
        found = [*(unnoticed | dict(soon(asked, jobs))).values()]
        for one in found:
            if not one.noticed and not one.excuse:
                print(shown(one.mutant), flush=True)
        return found
    known = dict(soon(work, jobs))
    found = list(known.values())
    todo: Queue[Work] = Queue()
    for w in work:
        if w not in known:
            todo.put(w)
    with tempfile.TemporaryDirectory() as folder, Progress(disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("mutants", total=todo.qsize())

        def job(k: int) -> None:
            mine = checkout(Path(folder) / str(k))
            while True:
                try:
                    w = todo.get_nowait()
                except Empty:
                    return
                one = judge(mine, w.group, w.target, w.mutant)
                found.append(one)
                bar.advance(task)
                if not one.noticed and not one.excuse:
                    print(shown(one.mutant), flush=True)

        threads = [threading.Thread(target=job, args=(k,)) for k in range(jobs)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    return found


def shown(m: Mutant) -> str:
    """A mutant, in a line."""
    return f"{m.path}:{m.line}: {m.key}"


def table(found: Sequence[Found]) -> str:
    """Per group: mutants, how many were noticed, how many mean the same, how many are left."""
    every = Counter(f.group for f in found)
    noticed = Counter(f.group for f in found if f.noticed)
    same = Counter(f.group for f in found if not f.noticed and f.excuse)
    rows = [f"{'':<15}{'mutants':>8}{'noticed':>9}{'the same':>10}{'left':>6}"]
    for g in every:
        left = every[g] - noticed[g] - same[g]
        rows.append(f"{g:<15}{every[g]:8d}{noticed[g]:9d}{same[g]:10d}{left:6d}")
    return "\n".join(rows)


@click.command(help=__doc__)
@click.argument("groups", nargs=-1, type=click.Choice(list(TARGETS)))
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True)
@click.option("--every", default=1, show_default=True, help="only every K-th mutant")
@click.option("--only", metavar="REGEX", help="only mutants in whose line of --list it is found")
@click.option("--once", is_flag=True, help="what no fork has noticed, or can judge, is left")
@click.option("--list", "only_list", is_flag=True, help="list the mutants and run nothing")
def main(
    groups: tuple[str, ...],
    jobs: int,
    every: int,
    only: str | None,
    *,
    once: bool,
    only_list: bool,
) -> None:
    """Runs the campaign."""
    work = list(planned(groups or tuple(TARGETS)))[::every]
    if only:
        work = [w for w in work if re.search(only, shown(w.mutant))]
    if only_list:
        for w in work:
            print(shown(w.mutant))
        return
    for tests in {w.target.tests for w in work}:
        if not passes(ROOT, tests):
            raise click.ClickException(f"{' '.join(tests)} fail without any mutant")
    found = campaign(work, jobs, once=once)
    print(table(found))
    raise SystemExit(3 if any(not f.noticed and not f.excuse for f in found) else 0)


if __name__ == "__main__":
    main()
