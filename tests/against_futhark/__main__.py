"""The command; see the package's docstring."""

import tempfile
import time
from pathlib import Path

import click

from funmem.testing.futhark import generate
from tests.against_futhark.batch import Batch
from tests.against_futhark.judge import Trial, judge
from tests.against_futhark.peer import Peer, find
from tests.against_futhark.programs import trials
from tests.against_futhark.report import Report

SKIPPED = "skipped: there is no Futhark (give --futhark PATH, or set FUTHARK, or extend the PATH)"


@click.command()
@click.option("--futhark", metavar="PATH", help="Futhark.  Default: $FUTHARK, or the PATH.")
@click.option("--programs", type=click.Path(exists=True, path_type=Path), help="Own programs.")
@click.option("-n", "--count", type=int, default=100, help="Generated programs.  Default: 100.")
@click.option("--seed", type=int, default=0, help="The first seed.  Default: 0.")
@click.option("--batch", "size", type=int, default=25, help="Programs compiled as one.")
@click.option("--via", default="value", help="funmem's engine.  Default: value.")
@click.option("--out", type=click.Path(path_type=Path), help="A folder for what differs.")
def main(
    futhark: str | None,
    programs: Path | None,
    count: int,
    seed: int,
    size: int,
    via: str,
    out: Path | None,
) -> None:
    """Generated programs, or those of a folder, through Futhark and funmem."""
    found = find(futhark)
    if found is None:
        click.echo(SKIPPED)
        return
    report = Report(out)
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(found, Path(folder))
        click.echo(f"Futhark {peer.version()}")
        if programs is not None:
            for trial in trials(programs, peer):
                _say(report, trial, peer, via)
        else:
            for first in range(seed, seed + count, size):
                start = time.perf_counter()
                last = min(first + size, seed + count)
                batch = Batch(peer, [generate(s, f"p{s}_") for s in range(first, last)])
                batch.build()
                for trial in batch.trials():
                    _say(report, trial, peer, via)
                click.echo(f"seeds {first}-{last - 1}: {time.perf_counter() - start:.0f} s")
    click.echo("\n".join(report.summary()))
    raise SystemExit(1 if report.open else 0)


def _say(report: Report, trial: Trial | str, peer: Peer, via: str) -> None:
    if isinstance(trial, str):
        click.echo(trial)
        return
    for line in report.add(judge(trial, peer, via)):
        click.echo(line)


if __name__ == "__main__":
    main()
