"""Many generated programs as entry points of one file: Futhark's C compiler is slow to start."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import define, field

from funmem.testing.futhark import FutProgram
from tests.against_futhark.judge import Call, Trial
from tests.against_futhark.outcome import Refused
from tests.against_futhark.peer import Executable, Peer, line_of


@define
class Batch:
    """The answers of Futhark for some programs."""

    peer: Peer
    programs: Sequence[FutProgram]
    refused: dict[int, str] = field(factory=dict)
    """Seed -> why."""
    executables: dict[int, Executable] = field(factory=dict)

    def build(self) -> None:
        """Compile all that is accepted."""
        self._build(list(self.programs))

    def _build(self, programs: list[FutProgram]) -> None:
        """All programs as one file; whoever is guilty of an error goes out of it."""
        rest = list(programs)
        while rest:
            path, starts = self._write(rest)
            message = self.peer.check(path)
            if message is None:
                break
            line = line_of(message)
            guilty = None if line is None else _at(rest, starts, line)
            if guilty is None:
                self._bisect(rest, message)
                return
            self.refused[guilty.seed] = message
            rest.remove(guilty)
        if not rest:
            return
        made = self.peer.compile(path)
        if isinstance(made, Executable):
            self.executables.update(dict.fromkeys((p.seed for p in rest), made))
        else:
            self._bisect(rest, made)

    def _bisect(self, programs: list[FutProgram], message: str) -> None:
        if len(programs) == 1:
            self.refused[programs[0].seed] = message
            return
        middle = len(programs) // 2
        self._build(programs[:middle])
        self._build(programs[middle:])

    def _write(self, programs: Sequence[FutProgram]) -> tuple[Path, list[int]]:
        path = self.peer.folder / f"batch_{programs[0].seed}_{len(programs)}.fut"
        starts: list[int] = []
        lines: list[str] = []
        for p in programs:
            starts.append(len(lines) + 1)
            lines += [f"-- seed {p.seed}", *p.text.splitlines(), ""]
        path.write_text("\n".join(lines))
        return path, starts

    def trials(self) -> Iterator[Trial]:
        """The programs, with what Futhark made of them."""
        for p in self.programs:
            theirs = self.executables.get(p.seed) or Refused(self.refused[p.seed])
            path = self.peer.folder / f"seed{p.seed}.fut"
            calls = tuple(Call(p.entry, args) for args in p.args)
            yield Trial(path.name, path, p.text, calls, theirs)


def _at(programs: Sequence[FutProgram], starts: Sequence[int], line: int) -> FutProgram | None:
    before = [p for p, s in zip(programs, starts, strict=True) if s <= line]
    return before[-1] if before else None
