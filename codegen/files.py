"""Writes files atomically: under a temporary name in the same folder, and then renames them.

A process that has loaded or opened the old file keeps the old content.  A full disk, an interrupted
command or a crash leaves the old file as it was.  A symbolic link is replaced and not followed.
A path that is not a regular file (``/dev/null``, a pipe) is written directly, not replaced.

funmem writes all files through this module (``tests/codegen/test_files.py`` enforces it).
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError

_SYSTEM = ("/dev/", "/proc/")
"""Folders whose entries refer to open files and devices, and are never replaced."""


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """Yield a file to write, which replaces ``path`` if the block ends without an exception.

    Its permissions are ``mode``, or those of the replaced file, or those of a new file.  Raises
    OSError.
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
    """Return the status of a path, or None if it does not exist or cannot be accessed."""
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


@contextmanager
def written(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """Yield a file to write, like ``replacing``, for a path that the user has given.

    Raises UsageError, which names the file, instead of OSError.
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
    """Write a file from bytes, or from text as UTF-8.  Raises UsageError."""
    with written(path) as f:
        f.write(_bytes(content))


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write files that belong together into a folder, which is created if needed.

    No file is renamed before all of them are complete; the first one is renamed last.  Raises
    UsageError.
    """
    make_folder(folder)
    with ExitStack() as stack:
        for name, content in contents.items():
            f = stack.enter_context(written(folder / name))
            with _named(folder / name):
                f.write(_bytes(content))
                f.flush()


def append(path: Path, text: str) -> None:
    """Append a text to a file.  Raises UsageError."""
    with _named(path), path.open("a", encoding="utf-8") as f:
        f.write(text)


def make_folder(path: Path) -> None:
    """Create a folder and its parents if needed.  Raises UsageError."""
    with _named(path):
        path.mkdir(parents=True, exist_ok=True)


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
