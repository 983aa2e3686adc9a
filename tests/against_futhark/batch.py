"""Many generated programs as one file: Futhark is slow to start, and its C compiler is slow.

Programs that trap are compiled, for the compiler's messages are those that users know.  The others
are left to the interpreter, which is faster than compiling and has fewer faults: it gets the
program ``entry together = (main args, main args, …)``.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from attrs import define, field, frozen

from funmem.ir.values import ArgValue, Data
from funmem.testing.fut_generator import FutProgram
from tests.against_futhark.judge import Call, Trial
from tests.against_futhark.outcome import Failed, Outcome, Refused, Results, TookTooLong
from tests.against_futhark.peer import Executable, Interpreted, Peer, line_of


@frozen(eq=False)
class _Case:
    """One set of arguments of a program."""

    program: FutProgram
    number: int

    @property
    def args(self) -> tuple[ArgValue, ...]:
        return self.program.args[self.number]

    def call(self) -> str:
        """The call with its arguments in the language."""
        types = self.program.types[self.number]
        given = [literal(np.asarray(a), t) for a, t in zip(self.args, types, strict=True)]
        return " ".join([self.program.entry, *given])


@define
class Batch:
    """The answers of Futhark for some programs."""

    peer: Peer
    programs: Sequence[FutProgram]
    compiled: bool = False
    """All programs, not only those that trap."""
    refused: dict[int, str] = field(factory=dict)
    """Seed -> why."""
    executables: dict[int, Executable] = field(factory=dict)
    answers: dict[int, list[tuple[tuple[ArgValue, ...], Outcome]]] = field(factory=dict)

    def build(self) -> None:
        """Compile or interpret all that is accepted."""
        accepted = self._checked(list(self.programs))
        self._compile([p for p in accepted if p.traps or self.compiled])
        others = [p for p in accepted if not (p.traps or self.compiled)]
        self._interpret([_Case(p, k) for p in others for k in range(len(p.args))])

    def _checked(self, programs: list[FutProgram]) -> list[FutProgram]:
        """The programs that are accepted: whoever is guilty of an error goes out of the file."""
        rest = list(programs)
        while rest:
            path, starts = self._write(rest)
            message = self.peer.check(path)
            if message is None:
                break
            line = line_of(message)
            guilty = None if line is None else _at(rest, starts, line)
            if guilty is None:
                raise RuntimeError(f"no place in: {message}")
            self.refused[guilty.seed] = message
            rest.remove(guilty)
        return rest

    def _compile(self, programs: list[FutProgram]) -> None:
        """All programs as one file; halves of it where the compiler itself fails."""
        if not programs:
            return
        path, _ = self._write(programs)
        made = self.peer.compile(path)
        if isinstance(made, Executable):
            self.executables.update(dict.fromkeys((p.seed for p in programs), made))
        elif len(programs) == 1:
            self.refused[programs[0].seed] = made
        else:
            middle = len(programs) // 2
            self._compile(programs[:middle])
            self._compile(programs[middle:])

    def _interpret(self, cases: list[_Case]) -> None:
        """All calls in one program; halves of it where one fails."""
        if not cases:
            return
        said = self.peer.interpret(self._driver(cases), "together", ())
        match said:
            case Results(values):
                rest = list(values)
                for case in cases:
                    k = case.program.results
                    self._note(case, Results(tuple(rest[:k])))
                    del rest[:k]
                assert not rest
            case Failed() | TookTooLong() if len(cases) > 1:
                middle = len(cases) // 2
                self._interpret(cases[:middle])
                self._interpret(cases[middle:])
            case _:
                path, _ = self._write([cases[0].program])
                alone = self.peer.interpret(path, cases[0].program.entry, cases[0].args)
                self._note(cases[0], alone)

    def _note(self, case: _Case, said: Outcome) -> None:
        self.answers.setdefault(case.program.seed, []).append((case.args, said))

    def _driver(self, cases: Sequence[_Case]) -> Path:
        programs = list({id(c.program): c.program for c in cases}.values())
        path, _ = self._write(programs)
        lines: list[str] = []
        names: list[str] = []
        for k, case in enumerate(cases):
            xs = [f"r{k}_{i}" for i in range(case.program.results)]
            left = xs[0] if len(xs) == 1 else f"({', '.join(xs)})"
            lines.append(f"  let {left} = {case.call()}")
            names += xs
        result = names[0] if len(names) == 1 else f"({', '.join(names)})"
        driver = "\n".join(["entry together =", *lines, f"  in {result}\n"])
        path.write_text(path.read_text() + driver)
        return path

    def _write(self, programs: Sequence[FutProgram]) -> tuple[Path, list[int]]:
        path = self.peer.folder / f"batch_{programs[0].seed}_{len(programs)}.fut"
        starts: list[int] = []
        lines: list[str] = []
        for p in programs:
            starts.append(len(lines) + 1)
            lines += [f"-- seed {p.seed}", *p.text.splitlines(), ""]
        path.write_text("\n".join([*lines, ""]))
        return path, starts

    def trials(self) -> Iterator[Trial]:
        """The programs, with what Futhark made of them."""
        for p in self.programs:
            theirs: Executable | Interpreted | Refused
            if p.seed in self.executables:
                theirs = self.executables[p.seed]
            elif p.seed in self.answers:
                theirs = Interpreted(tuple(self.answers[p.seed]))
            else:
                theirs = Refused(self.refused[p.seed])
            path = self.peer.folder / f"seed{p.seed}.fut"
            calls = tuple(Call(p.entry, args) for args in p.args)
            yield Trial(path.name, path, p.text, calls, theirs)


def _at(programs: Sequence[FutProgram], starts: Sequence[int], line: int) -> FutProgram | None:
    before = [p for p, s in zip(programs, starts, strict=True) if s <= line]
    return before[-1] if before else None


# ---------------------------------------------------------------------- values in the language


def literal(data: Data, t: str) -> str:
    """A value as an argument."""
    if data.ndim == 0:
        return f"({_number(data.item(), t)})"
    elem = t[t.rindex("]") + 1 :]
    plain = re.fullmatch(r"(\[\d+\])*", t[: -len(elem)]) is not None
    return f"({_nested(data.tolist(), elem)} {':' if plain else ':>'} {t})"


def _nested(x: object, elem: str) -> str:
    if isinstance(x, list):
        return f"[{', '.join(_nested(y, elem) for y in x)}]"
    assert isinstance(x, int | float)
    return _number(x, elem)


def _number(x: float, t: str) -> str:
    """A number of a scalar type; f32 numbers are given by all their digits as f64."""
    if isinstance(x, bool):
        return str(x).lower()
    if isinstance(x, int):
        return f"{t}.lowest" if x < 0 and x == -(1 << (int(t[1:]) - 1)) else f"{x}{t}"
    if np.isnan(x):
        return f"{t}.nan"
    if np.isinf(x):
        return f"{t}.inf" if x > 0 else f"(-{t}.inf)"
    return f"{x!r}{t}".replace("e+", "e")
