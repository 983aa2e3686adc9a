"""After how many programs does a campaign find each seeded bug, and in what time?

    python -m tests.find_seeded [--programs N] [--seconds S] [--first SEED] [--jobs N]
        [--once | --own] [--corpus PATH]... [NAME ...]

The programs and the pipelines are those of ``funmem fuzz [PATH]...``, with the bug in the pass
wherever it is run.  A program on which no pass that has the bug does anything else than the right
one cannot show it; the others are judged as in a campaign.  A bug's time is the processor time of
the campaign up to the program that shows it: the sum of what the trials took that the right
compiler passes.  So ways to generate programs can be compared.  The last lines have the medians,
and the mean time, in which a bug that is not found counts as if the next program would have shown
it.

The program by which a bug is known (tests/seeded) finds it at once if it is in the corpus, which
says little of bugs that nobody knows.  A bug that was found by a mutant of that program, which is
marked ``*``, is therefore looked for once more, without it, and there are two totals; but not with
``--once``, which takes a quarter of the time.  With ``--own`` nothing but the mutants of its own
program is looked at, and a bug's time is what that takes: a minute for most, instead of hours for
all.  After how many programs of a campaign a bug is found at the latest, that says as well.
"""

from tests.seeded import watched  # noqa: F401  # isort: skip  (before any pass is imported)

import resource
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import cpu_count, get_context
from statistics import mean, median

from funmem.testing.corpus.samples import read_corpus
from tests.seeded.campaigns import Row, campaigns, own_campaigns
from tests.seeded.table import BUGS


def main(argv: Sequence[str] | None = None) -> None:
    """The command."""
    parser = ArgumentParser(prog="python -m tests.find_seeded")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=600, help="of the campaign")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=cpu_count())
    parser.add_argument("--once", action="store_true", help="do not look for a bug a second time")
    parser.add_argument("--own", action="store_true", help="mutants of its own program only")
    parser.add_argument("--corpus", action="append", metavar="PATH")
    o = parser.parse_args(argv)
    names = [b.name for b in BUGS if not o.names or b.name in o.names]
    parts = [names[k :: o.jobs] for k in range(o.jobs)]
    corpus = read_corpus(o.corpus) if o.corpus else None
    given = {"programs": o.programs, "limit": o.seconds, "first": o.first}
    if o.own and corpus is None:
        parser.error("--own needs a --corpus with the programs of the bugs")
    work = (
        partial(own_campaigns, **given, corpus=corpus)
        if o.own
        else partial(campaigns, **given, corpus=corpus, once=o.once)
    )
    with ProcessPoolExecutor(o.jobs, get_context("spawn"), _limit_memory) as pool:
        rows = list(chain.from_iterable(pool.map(work, parts)))
    if rows:
        _report("found", rows)
        if not (o.once or o.own):
            _report("found without its own program", [r for r in rows if not r.own])


MEMORY = 4 << 30
"""Bytes of address space for each process: a faulty pass may ask for any number."""


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _report(what: str, rows: Sequence[Row]) -> None:
    """How many bugs were found, and how soon: the first row of each."""
    best: dict[str, Row] = {}
    for r in sorted(rows, key=lambda r: (not r.seen, r.programs)):
        best.setdefault(r.name, r)
    found = [r for r in best.values() if r.seen]
    number = median(r.programs if r.seen else float("inf") for r in best.values())
    seconds = median(r.seconds if r.seen else float("inf") for r in best.values())
    total = f"{len(found)} of {len(best)} {what}"
    print(f"{total}; medians {number:.0f} programs, {seconds:.2f} s; mean ", end="")
    print(f"{mean(r.seconds for r in best.values()):.2f} s")
    if missing := [r.name for r in best.values() if not r.seen]:
        print(f"  not {what}: {', '.join(missing)}")


if __name__ == "__main__":
    main()
