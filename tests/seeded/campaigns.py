"""The campaigns of seeded bugs: after how many programs each is found (tests/find_seeded.py)."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from attrs import evolve, frozen

from funmem.passes.framework import AnyProgram, Pass
from funmem.passes.runner import Pipeline, Step
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.selection import Selection, files_of, select
from funmem.testing.campaign.trial import run_trial, trial
from funmem.testing.corpus.samples import Corpus
from tests.seeded.judge import PROGRAMS
from tests.seeded.reach import ALWAYS, REACHED
from tests.seeded.table import BUGS
from tests.seeded.world import Crashed, faulty

ORDERS = Orders.MIXED


@frozen
class Row:
    """What became of a bug's campaign; ``seen`` is empty if no program showed it."""

    name: str
    programs: int
    seconds: float
    seen: str
    own: bool = False
    """Whether the program was made of the one by which the bug is known."""

    def __str__(self) -> str:
        mark = "*" if self.own else " "
        seen = self.seen or "not found"
        return f"{self.name:36}{self.programs:6d}{mark}{self.seconds:8.1f} s  {seen}"


def campaigns(
    names: Sequence[str],
    programs: int,
    limit: float,
    first: int,
    corpus: Corpus | None = None,
    *,
    once: bool = False,
) -> list[Row]:
    """The campaigns of several bugs, which share what the right compiler does.

    A bug that was found by its own program is looked for once more, and has two rows then; but not
    if ``once`` is enough.
    """
    bugs = [b for b in BUGS if b.name in names]
    left = {b.name: faulty(b, {}) for b in bugs}
    sources = {b.name: str((PROGRAMS / b.program).resolve()) for b in bugs}
    rows, seconds, done = list[Row](), 0.0, 0
    trial(first, orders=ORDERS, corpus=corpus)  # what it needs is imported
    for seed in range(first, first + programs):
        if not left or seconds > limit:
            break
        start = time.process_time()
        right = trial(seed, orders=ORDERS, corpus=corpus)
        seconds += time.process_time() - start
        done += 1
        if right.disagreements:
            print(f"seed {seed} disagrees without a bug")
            continue
        s = select(seed, ORDERS, corpus=corpus)
        used = {str(Path(file).resolve()) for file in s.files}
        ways = [(p, tuple(_way(s.case.program, p))) for p in s.pipelines]
        known = {r.name for r in rows}
        for name, bad in tuple(left.items()):
            own = sources[name] in used
            if own and name in known:
                continue
            if seen := next(filter(None, (_shows(s, *w, bad, name) for w in ways)), ""):
                rows.append(Row(name, done, seconds, seen, own))
                print(rows[-1], flush=True)
                if once or not own:
                    del left[name]
    return rows + [Row(name, done, seconds, "") for name in left]


def own_campaigns(
    names: Sequence[str], programs: int, limit: float, first: int, corpus: Corpus
) -> list[Row]:
    """Of several bugs' campaigns those programs only that may be made of the bug's own: what they
    show, the whole campaign shows as soon or sooner.  ``limit`` is for one bug.
    """
    rows = list[Row]()
    for b in (b for b in BUGS if b.name in names):
        bad, source = faulty(b, {}), str((PROGRAMS / b.program).resolve())
        start, seen, done = time.process_time(), "", 0
        while not seen and done < programs and time.process_time() - start < limit:
            seed, done = first + done, done + 1
            if source in {str(Path(file).resolve()) for file in files_of(seed, corpus)}:
                s = select(seed, ORDERS, corpus=corpus)
                ways = ((p, tuple(_way(s.case.program, p))) for p in s.pipelines)
                seen = next(filter(None, (_shows(s, *w, bad, b.name) for w in ways)), "")
                if seen and trial(seed, orders=ORDERS, corpus=corpus).disagreements:
                    print(f"seed {seed} disagrees without a bug")
                    seen = ""
        rows.append(Row(b.name, done, time.process_time() - start, seen, own=True))
        print(rows[-1], flush=True)
    return rows


Move: TypeAlias = tuple[Step, AnyProgram, AnyProgram, frozenset[str]]
"""A step, the program before and after it, and the bugs that it may come across."""


def _way(p: AnyProgram, passes: Pipeline) -> Iterator[Move]:
    """Each step of the right compiler."""
    for step in passes.steps:
        REACHED.clear()
        after = Pipeline((step,)).run(p, verify=False)
        yield step, p, after, frozenset(REACHED | ALWAYS)
        p = after


def _shows(
    s: Selection,
    passes: Pipeline,
    way: Sequence[Move],
    bad: Pass,
    name: str,
) -> str:
    """What a campaign says of a program, if anything."""
    own = (w for w in way if w[0].what.name == bad.name and name in w[3])
    if not any(_differs(evolve(t, what=bad), p, after) for t, p, after, _ in own):
        return ""
    steps = (evolve(t, what=bad) if t.what.name == bad.name else t for t in passes.steps)
    found = run_trial(s.case, Pipeline(tuple(steps)), further=s.further).disagreements
    return f"{found[0].engine}: {found[0].code}" if found else ""


def _differs(step: Step, before: AnyProgram, after: AnyProgram) -> bool:
    try:
        return Pipeline((step,)).run(before, verify=False) != after
    except Crashed:
        return True
