"""The command; see the package's docstring."""

import tempfile
import time
from pathlib import Path

import click
from attrs import evolve

from funmem.testing.fut_generator import generate
from tests.against_futhark.batch import Batch
from tests.against_futhark.judge import Trial, judge
from tests.against_futhark.ours import Ours, together
from tests.against_futhark.peer import Peer, find
from tests.against_futhark.programs import trials
from tests.against_futhark.report import Report
from tests.against_futhark.shrink import shrunk

SKIPPED = "skipped: there is no Futhark (give --futhark PATH, or set FUTHARK, or extend the PATH)"


@click.command()
@click.option("--futhark", metavar="PATH", help="Futhark.  Default: $FUTHARK, or the PATH.")
@click.option("--programs", type=click.Path(exists=True, path_type=Path), help="Own programs.")
@click.option("-n", "--count", type=int, default=100, help="Generated programs.  Default: 100.")
@click.option("--seed", type=int, default=0, help="The first seed.  Default: 0.")
@click.option("--batch", "size", type=int, default=25, help="Programs compiled as one.")
@click.option(
    "--via",
    default="value",
    help="funmem's engine: value, heap, imp, opencl.  Default: value; others compile batches, too.",
)
@click.option("--compiled", is_flag=True, help="Compile all; not only what may trap.")
@click.option("--shrink", is_flag=True, help="Make programs that differ smaller.")
@click.option("--out", type=click.Path(path_type=Path), help="A folder for what differs.")
def main(
    futhark: str | None,
    programs: Path | None,
    count: int,
    seed: int,
    size: int,
    via: str,
    compiled: bool,
    shrink: bool,
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

        def say(trial: Trial, ours: Ours) -> None:
            verdict = judge(trial, peer, ours)
            if shrink:
                found = [
                    f if f.difference.known else shrunk(f, peer, via) for f in verdict.findings
                ]
                verdict = evolve(verdict, findings=tuple(found))
            for line in report.add(trial, verdict):
                click.echo(line)

        if programs is not None:
            for trial in trials(programs, peer):
                if isinstance(trial, str):
                    click.echo(trial)
                else:
                    say(trial, Ours(trial.text, trial.name, via))
        else:
            for first in range(seed, seed + count, size):
                start = time.perf_counter()
                last = min(first + size, seed + count)
                batch = Batch(peer, [generate(s, f"p{s}_") for s in range(first, last)], compiled)
                batch.build()
                made = list(batch.trials())
                answers = together([(t.name, t.text) for t in made], via)
                for trial, ours in zip(made, answers, strict=True):
                    say(trial, ours)
                click.echo(f"seeds {first}-{last - 1}: {time.perf_counter() - start:.0f} s")
    click.echo("\n".join(report.summary()))
    raise SystemExit(1 if report.open else 0)


if __name__ == "__main__":
    main()
