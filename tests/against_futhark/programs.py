"""Own programs: each with the inputs of its test comments."""

from collections.abc import Iterator
from pathlib import Path

from funmem.ir.diagnostics import InputError, SourceError
from funmem.suite import values
from funmem.suite.reader import read_spec
from funmem.suite.spec import Script, Spec
from tests.against_futhark.judge import Call, Trial
from tests.against_futhark.known import left_out
from tests.against_futhark.outcome import Refused
from tests.against_futhark.peer import Executable, Peer


def trials(folder: Path, peer: Peer) -> Iterator[Trial | str]:
    """All programs of a folder that Futhark can be asked about; for the others, why not."""
    for path in sorted(folder.rglob("*.fut")) if folder.is_dir() else [folder]:
        text = path.read_text("utf-8")
        if "imports" in path.parts and "-- ==" not in text:
            continue  # a part of another program
        if why := left_out(path.as_posix()):
            yield f"{path}: left out: {why}"
            continue
        try:
            spec = read_spec(text, str(path))
        except SourceError as error:
            yield f"{path}: left out: {error.diagnostic.message}"
            continue
        yield _trial(path, text, spec, peer)


def _trial(path: Path, text: str, spec: Spec, peer: Peer) -> Trial:
    calls = tuple(_calls(spec, path.parent))
    made = peer.compile(path)
    theirs = made if isinstance(made, Executable) else Refused(made)
    return Trial(str(path), path, text, calls, theirs)


def _calls(spec: Spec, folder: Path) -> Iterator[Call]:
    for block in spec.blocks:
        for case in block.cases:
            if isinstance(case.input, Script):
                continue
            try:
                args = values.load(case.input, folder)
            except InputError:
                continue
            for entry in block.entries:
                yield Call(entry, tuple(args))
