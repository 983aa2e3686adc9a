"""The real Futhark: finding it, compiling many programs as one, running entry points."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from funmem.ir.diagnostics import InputError
from funmem.ir.values import ArgValue, elem_type
from funmem.values.futhark_data import read_all, show_array, show_scalar, write_binary
from tests.against_futhark.outcome import Failed, Outcome, Results, TookTooLong

COMPILE_SECONDS = 600
RUN_SECONDS = 20
INTERPRETER_SECONDS = 60


def find(option: str | None) -> Path | None:
    """The compiler: what the option says, or FUTHARK, or the PATH; None where there is none."""
    for name in (option, os.environ.get("FUTHARK"), "futhark"):
        if name and (found := shutil.which(name)):
            return Path(found).resolve()
    return None


@frozen
class Peer:
    """The compiler, and a folder to work in."""

    futhark: Path
    folder: Path

    def version(self) -> str:
        """``0.25.32``."""
        said = self._call("--version", seconds=20)
        m = re.search(r"\d+\.\d+\.\d+", said.stdout)
        return m[0] if m else "?"

    def check(self, path: Path) -> str | None:
        """None if the program is well typed, else what is said about it."""
        said = self._call("check", "-w", str(path), seconds=COMPILE_SECONDS)
        return None if said.returncode == 0 else _errors(said.stderr + said.stdout)

    def compile(self, path: Path) -> "Executable | str":
        """An executable beside the program, or why there is none."""
        binary = self.folder / path.stem
        try:
            said = self._call("c", "-w", str(path), "-o", str(binary), seconds=COMPILE_SECONDS)
        except subprocess.TimeoutExpired:
            return "the compiler takes too long"
        if said.returncode != 0:
            return _errors(said.stderr + said.stdout)
        return Executable(binary)

    def interpret(self, path: Path, entry: str, args: Sequence[ArgValue]) -> Outcome:
        """The answer of Futhark's interpreter, which optimises nothing."""
        given = "\n".join(map(show_value, args))
        try:
            said = subprocess.run(
                [self.futhark, "run", "-w", "-e", entry, path],
                input=given,
                capture_output=True,
                text=True,
                timeout=INTERPRETER_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TookTooLong()
        if said.returncode != 0:
            return Failed(message_of(said.stderr), places_of(said.stderr))
        try:
            return _results(said.stdout.encode())
        except InputError as error:
            return Failed(f"unreadable results: {error}")

    def _call(self, *args: str, seconds: float) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(self.futhark), *args],
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            env={**os.environ, "CFLAGS": "-O0"},
        )


@frozen
class Executable:
    """A compiled program."""

    path: Path

    def run(self, entry: str, args: Sequence[ArgValue]) -> Outcome:
        """What an entry point answers."""
        given = b"".join(write_binary(np.asarray(a)) for a in args)
        try:
            said = subprocess.run(
                [self.path, "-b", "-e", entry],
                input=given,
                capture_output=True,
                timeout=RUN_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TookTooLong()
        if said.returncode != 0:
            said_so = message_of(said.stderr.decode("utf-8", "replace"))
            return Failed(said_so or f"ended with {said.returncode}")
        return _results(said.stdout)


@frozen(eq=False)
class Interpreted:
    """A program that the interpreter has run already, with what it answered."""

    answers: Sequence[tuple[tuple[ArgValue, ...], Outcome]]

    def run(self, entry: str, args: Sequence[ArgValue]) -> Outcome:
        """What the entry point answered; the arguments are those objects that it was given."""
        return next(said for given, said in self.answers if given is args)


def message_of(stderr: str) -> str:
    """The message of a run-time error, without the name of the program and the backtrace.

    The interpreter has the backtrace first, and no message for errors in the prelude.
    """
    text = stderr.split("Backtrace:")[0].strip()
    first, *lines = text.splitlines() or [""]
    if first.strip() == "Error at":
        return "\n".join(x for x in lines if not re.match(r"(->)?\s*#\d+\s", x)).strip()
    m = re.search(r"Error(?: at\s+[^\n]*?)?:\s*(.*)", text, re.DOTALL)
    return (m[1] if m else text).strip()


def places_of(stderr: str) -> tuple[str, ...]:
    """The places in the backtrace of a run-time error."""
    return tuple(re.findall(r"#\d+\s+\S+?\.fut:(\d+:\d+)", stderr))


def _errors(text: str) -> str:
    """What the compiler says, without warnings."""
    at = text.find("Error at")
    return text[at:] if at >= 0 else text


def line_of(message: str) -> int | None:
    """The line that an error of the compiler is about."""
    m = re.search(r"Error at\s+\S*\.fut:(\d+):\d+", message)
    return int(m[1]) if m else None


def _results(said: bytes) -> Results:
    return Results(tuple(map(np.asarray, read_all(said, "results", exact=True))))


def show_value(a: ArgValue) -> str:
    """A value in the Futhark data format."""
    data = np.asarray(a)
    t = elem_type(data.dtype)
    assert t is not None
    return show_array(data, None) if data.ndim else show_scalar(data.item(), t)
