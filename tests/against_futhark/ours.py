"""funmem's answers."""

import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import accumulate
from types import FrameType

from funmem.driver.options import Engine
from funmem.driver.source import Source
from funmem.ir.diagnostics import FunmemError, InputError, Trap
from funmem.ir.signature import Parameter
from funmem.ir.values import ArgValue, Value
from funmem.suite.errors import unsupported
from funmem.suite.program import Compiled, compile_source
from funmem.suite.values import known
from tests.against_futhark.outcome import Crashed, Failed, Outcome, Refused, Results, TookTooLong

SECONDS = 20
"""For compiling a program, and for each run."""


class _Late(BaseException):
    """No ``Exception``: nobody catches it by accident."""


@contextmanager
def _limited(seconds: float = SECONDS) -> Iterator[None]:
    """What takes longer raises _Late."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Ours:
    """One program through funmem; ``above`` are the lines of a text before the program."""

    def __init__(self, text: str, name: str, via: str = "value", seconds: float = SECONDS) -> None:
        self.rejection: Outcome | None = None
        self._via = via
        self._above = 0
        try:
            with _limited(seconds):
                self._compile(text, name)
        except _Late:
            self.rejection = TookTooLong()
        except FunmemError as error:
            self.rejection = Refused(f"{error.diagnostic.code}: {error.diagnostic.message}")
            if unsupported(error) is None:
                self.rejection = Crashed(_last(error))
        except Exception as error:
            self.rejection = Crashed(_last(error))

    def _compile(self, text: str, name: str) -> None:
        compiled = compile_source(Source(name, text, "fut"))
        if isinstance(compiled, Compiled):
            self._compiled = compiled
            self._runner = compiled.ready(Engine.named(self._via))
        else:
            d = compiled[0]
            self.rejection = Refused(f"{d.code}: {d.message}", d.code == "not-supported")

    def below(self, above: int) -> "Ours":
        """The same, for a program that stands that many lines down in the text."""
        part = copy(self)
        part._above = above
        return part

    def run(self, entry: str, args: Sequence[ArgValue]) -> Outcome:
        """What an entry point answers."""
        if self.rejection is not None:
            return self.rejection
        try:
            with _limited():
                values = self._runner.run(entry, args).values
            return Results(tuple(known(v, p)[0] for v, p in self._paired(entry, values)))
        except _Late:
            return TookTooLong()
        except (Trap, InputError) as trap:
            at = trap.diagnostic.at
            return Failed(trap.diagnostic.message, (f"{at.line - self._above}:{at.col}",))
        except Exception as error:
            return Crashed(_last(error))

    def _paired(self, entry: str, values: Sequence[Value]) -> list[tuple[Value, Parameter]]:
        return list(zip(values, self._compiled.entry(entry).results, strict=True))


def together(programs: Sequence[tuple[str, str]], via: str) -> list[Ours]:
    """Programs (name, text) compiled as one, if that can be; otherwise each alone."""
    if via == "value" or len(programs) < 2:
        return [Ours(text, name, via) for name, text in programs]
    above = list(accumulate((text.count("\n") + 1 for _, text in programs), initial=0))
    whole = "\n".join(text for _, text in programs)
    ours = Ours(whole, programs[0][0], via, SECONDS * len(programs))
    if ours.rejection is not None:
        return [Ours(text, name, via) for name, text in programs]
    return [ours.below(lines) for lines in above[:-1]]


def _last(error: Exception) -> str:
    """The error, and the place that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({'/'.join(frames[-1].filename.split('/')[-2:])}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}{at}"
