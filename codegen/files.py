"""How files are written: beside their place, and renamed into it when they are whole.

A file that is in use keeps its content for those who use it: a library that a process has loaded, a
file that another one reads.  A full disk, an interrupted command or a crash leaves what was there
before.  A link in the place is replaced and not followed.  What is no file (``/dev/null``,
``/dev/stdout``, a pipe) is written as it is: nothing can be renamed into its place.

Everything that funmem writes, it writes by this module (``tests/test_files.py`` looks for others).
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError

_SYSTEM = ("/dev/", "/proc/")
"""Folders of links to what is open: a name in them stands for what it leads to."""


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to be written, which takes the place of ``path`` at the end, or never.

    It has the permissions ``mode``, or else those of the file it replaces, or those of a new file.
    Raises OSError.
    """
    before = _stat(path)
    if os.path.abspath(path).startswith(_SYSTEM) or (before and not stat.S_ISREG(before.st_mode)):
        with path.open("wb") as f:
            yield f
        return
    if mode is None and before is not None and not path.is_symlink():
        mode = stat.S_IMODE(before.st_mode)
    beside = path.with_name(f".new-{os.urandom(8).hex()}")
    try:
        with beside.open("xb") as f:
            if mode is not None:
                os.chmod(beside, mode)
            yield f
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _stat(path: Path) -> os.stat_result | None:
    """What is in a place; None if nothing is, or nothing that can be looked at."""
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


@contextmanager
def written(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """The same, for a file that a user has named.

    Raises UsageError, which names the file, for every OSError of it.
    """
    with _named(path), replacing(path, mode) as f:
        yield f


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        message = f"cannot write to `{path}`: {why}"
        raise UsageError(Diagnostic(NOWHERE, "output", message)) from None


def write_file(path: Path, content: str | bytes) -> None:
    """Write a text, as UTF-8, or bytes.  Raises UsageError."""
    with written(path) as f:
        f.write(_bytes(content))


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write files that belong together into a folder, which is made if there is none.

    No place is touched before all of them are whole; the first one is put into its place last.
    Raises UsageError.
    """
    make_folder(folder)
    with ExitStack() as stack:
        for name, content in contents.items():
            f = stack.enter_context(written(folder / name))
            with _named(folder / name):
                f.write(_bytes(content))
                f.flush()


def append(path: Path, text: str) -> None:
    """Write a text behind what is there, of a file that grows.  Raises UsageError."""
    with _named(path), path.open("a", encoding="utf-8") as f:
        f.write(text)


def make_folder(path: Path) -> None:
    """Make a folder, and those it lies in.  Raises UsageError."""
    with _named(path):
        path.mkdir(parents=True, exist_ok=True)


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
