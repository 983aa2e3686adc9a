"""Mutants of own programs, accepted and refused as by the real Futhark.

    python -m tests.against_futhark.mutants --futhark PATH -n 1000 tests/programs examples

A type checker that accepts too much is unsound, one that accepts too little is in the way: of the
mutants that Futhark refuses all must be refused here, of those that it accepts at least 99 % must
be accepted.  Mutant k is the same in every run (``--first k -n 1`` repeats it).  A mutant that does
not parse here, or whose program Futhark does not accept as it is, is not counted.  Syntax is
another question; so are differences that known.py explains.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from attrs import define, field, frozen

from funmem.frontends.futhark.parser import parse
from funmem.frontends.futhark.program import typed
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError
from tests.against_futhark.__main__ import SKIPPED
from tests.against_futhark.known import left_out, mutant_reason
from tests.against_futhark.mutations import mutant, without_comments
from tests.against_futhark.peer import Peer, find

ALIKE = ("accepted by both", "refused by both")
CRASH = "crash"

ACCEPTED = 0.99
"""The part of what Futhark accepts that must be accepted here."""


@frozen
class Both:
    """What the two say about a program: None, or why they refuse it."""

    ours: Diagnostic | None
    theirs: str | None

    @property
    def kind(self) -> str:
        """In words, for the counts."""
        if self.ours is not None and self.ours.code == CRASH:
            return "crashes here"
        if (self.ours is None) == (self.theirs is None):
            return "accepted by both" if self.ours is None else "refused by both"
        return "accepted here only" if self.ours is None else "accepted there only"


def ours(text: str, file: str) -> Diagnostic | None:
    """Why the front end refuses a program, if it does; code ``crash``: it fails itself."""
    try:
        typed(text, file)
    except SourceError as error:
        return error.diagnostic
    except Exception as error:  # whatever it is, it is a finding
        return Diagnostic(NOWHERE, CRASH, type(error).__name__)
    return None


def parses(text: str) -> bool:
    """Whether the text is a program at all."""
    try:
        parse(text, "mutant.fut")
    except SourceError:
        return False
    return True


@define
class Campaign:
    """The programs, the peer, and what was found so far."""

    peer: Peer
    out: Path | None
    sources: dict[Path, str]
    good: dict[Path, bool] = field(factory=dict)
    counts: Counter[str] = field(factory=Counter)
    seen: set[str] = field(factory=set)

    def mutants(self, first: int) -> Iterator[tuple[int, Path, str]]:
        """Seeds, the programs that they change, and how."""
        paths = sorted(self.sources)
        seed = first
        while True:
            r = random.Random(seed)
            path = r.choice(paths)
            if self._is_good(path):
                text = mutant(r, self.sources[path])
                if text not in self.seen and parses(text):
                    self.seen.add(text)
                    yield seed, path, text
            seed += 1

    def _is_good(self, path: Path) -> bool:
        """Whether both accept the program as it is."""
        if path not in self.good:
            found = self.both(self.sources[path], path)
            self.good[path] = found.ours is None and found.theirs is None
        return self.good[path]

    def both(self, text: str, path: Path) -> Both:
        """What the two say about a text that stands where ``path`` does."""
        file = path.parent / "__mutant__.fut"
        placed = file if "import" in text else self.peer.folder / "mutant.fut"
        placed.write_text(text)
        try:
            return Both(ours(text, str(file)), self.peer.check(placed))
        finally:
            placed.unlink()

    def judge(self, seed: int, path: Path, text: str) -> list[str]:
        """Count a mutant; lines that tell of a difference."""
        found = self.both(text, path)
        why = mutant_reason(found.ours and found.ours.message, found.theirs)
        if why:
            self.counts[f"explained: {why}"] += 1
            return []
        self.counts[found.kind] += 1
        if found.kind in ALIKE:
            return []
        if self.out is not None:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / f"mutant_{seed}.fut").write_text(text)
        message = found.ours.message if found.ours is not None else found.theirs or ""
        place = f"{found.ours.at.line}:{found.ours.at.col} " if found.ours is not None else ""
        return [f"{seed} ({path}): {found.kind}", f"  {place}{message}", *self._change(path, text)]

    def _change(self, path: Path, text: str) -> list[str]:
        old, new = self.sources[path].split("\n"), text.split("\n")
        return [f"  - {x}" for x in old if x not in new] + [f"  + {x}" for x in new if x not in old]

    def summary(self) -> tuple[list[str], bool]:
        """The counts, and whether they are as they must be."""
        both, missed = self.counts["accepted by both"], self.counts["accepted there only"]
        share = both / max(both + missed, 1)
        lines = [f"{n:6} {kind}" for kind, n in sorted(self.counts.items())]
        lines.append(f"of what Futhark accepts, {100 * share:.1f} % is accepted")
        wrong = self.counts["accepted here only"] + self.counts["crashes here"]
        return lines, wrong == 0 and share >= ACCEPTED


def programs(paths: tuple[Path, ...]) -> dict[Path, str]:
    """The programs that are given, or lie in folders that are given, without comments."""
    files = [f for p in paths for f in (sorted(p.rglob("*.fut")) if p.is_dir() else [p])]
    return {
        f: without_comments(f.read_text("utf-8"))
        for f in files
        if not left_out(f.as_posix()) and "errors" not in f.parent.name
    }


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--futhark", metavar="PATH", help="Futhark.  Default: $FUTHARK, or the PATH.")
@click.option("-n", "--count", default=1000, help="How many mutants.  Default: 1000.")
@click.option("--first", default=0, help="The first seed.  Default: 0.")
@click.option("--out", type=click.Path(path_type=Path), help="A folder for what differs.")
def main(
    paths: tuple[Path, ...], futhark: str | None, count: int, first: int, out: Path | None
) -> None:
    """Mutants of the programs in PATHS, through the front end and through Futhark's."""
    found = find(futhark)
    if found is None:
        click.echo(SKIPPED)
        return
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Peer(found, Path(folder)), out, programs(paths))
        for k, (seed, path, text) in enumerate(campaign.mutants(first)):
            if k == count:
                break
            for line in campaign.judge(seed, path, text):
                click.echo(line)
    lines, good = campaign.summary()
    click.echo("\n".join(lines))
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
