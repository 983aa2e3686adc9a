"""Where funmem keeps things for later.

What programs keep for later lies in the user's folder for caches: ours in ``funmem``, what PoCL has
built in ``pocl``, pyopencl's in ``pytools``.  Where one of them cannot be written to (a home that
is not there, a disk that is read only, files of root's), PoCL offers no device and pyopencl raises;
then all three are kept in a private folder for temporary files, and a warning says so.
"""

import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from funmem.ir.diagnostics import NOWHERE, Diagnostic, FunmemWarning, UsageError


class Refused(NamedTuple):
    """A folder in which nothing can be kept, and why."""

    folder: Path
    why: str

    def __str__(self) -> str:
        return f"nothing can be kept in {self.folder}: {self.why}"


def cache_root() -> Path:
    """The folder that holds everything funmem keeps for later: ``FUNMEM_CACHE``, or the one for
    caches of this system, where nothing may be there yet.
    """
    if given := os.environ.get("FUNMEM_CACHE"):
        return Path(given)
    if _has_home():
        return (temporary() if refused_home() else _home()) / "funmem"
    from platformdirs import user_cache_path

    return user_cache_path("funmem", appauthor=False)


def _has_home() -> bool:
    """Whether this system's caches lie in one folder, which can be named."""
    return sys.platform == "linux" and "ANDROID_DATA" not in os.environ


def _home() -> Path:
    """The folder for caches, as platformdirs has it, which takes as long to load as a small program
    to compile.
    """
    place = os.environ.get("XDG_CACHE_HOME", "").strip()
    return Path(place or os.path.expanduser("~/.cache"))


USERS = {"funmem": "FUNMEM_CACHE", "pocl/kcache": "POCL_CACHE_DIR", "pytools": ""}
"""What is kept in the folder for caches, and the variable that names another place for it."""


def refused_home(users: Iterable[str] = USERS) -> Refused | None:
    """What cannot be used of the folder for caches; None if all can."""
    if not _has_home():
        return None
    places = (_home() / x for x in users if not os.environ.get(USERS[x]))
    return next((r for p in places if (r := refused(p))), None)


def refused(folder: Path) -> Refused | None:
    """Whether nothing can be kept in a folder, which need not be there yet."""
    for place in (folder, *folder.parents):
        try:
            mode = place.stat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            return Refused(folder, error.strerror or str(error))
        if not stat.S_ISDIR(mode):
            return Refused(folder, f"{place} is no folder")
        if not os.access(place, os.W_OK | os.X_OK):
            return Refused(folder, f"{place} cannot be written to")
        return None
    return Refused(folder, "it is nowhere")


def temporary() -> Path:
    """The user's folder for what cannot be kept elsewhere; it need not be there."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    try:
        return Path(tempfile.gettempdir()) / f"funmem-{user}"
    except OSError as error:
        message = f"there is no folder for temporary files: {error.strerror}"
        raise UsageError(Diagnostic(NOWHERE, "cache", message, "name one in TMPDIR")) from None


def settle_home(users: Iterable[str] = USERS) -> None:
    """Before anything is kept: where the folder for caches cannot be used, this process and its
    children use another one, which they find in ``XDG_CACHE_HOME``.

    Raises UsageError if that one belongs to somebody else.
    """
    wrong = refused_home(users)
    if wrong is None:
        return
    folder = private_folder(temporary(), link=False)
    os.environ["XDG_CACHE_HOME"] = str(folder)
    hint = "name a folder in XDG_CACHE_HOME, or one for funmem alone in FUNMEM_CACHE"
    said = Diagnostic(NOWHERE, "cache", f"{wrong}; {folder} is used", hint, "warning")
    warnings.warn(FunmemWarning(said), stacklevel=2)


def private_folder(path: Path, *, link: bool = True) -> Path:
    """The folder, made with mode 0700 if there is none; perhaps through a link.

    Raises UsageError for a folder that is not the user's own or that others may write to.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.stat() if link else path.lstat()
    except OSError as error:
        raise _bad(path, f"cannot be used: {error.strerror}") from None
    if not stat.S_ISDIR(found.st_mode):
        raise _bad(path, "is a link")
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise _bad(path, "belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _bad(path, "can be written to by other users")
    return path


def _bad(path: Path, why: str) -> UsageError:
    ways = "name another folder in FUNMEM_CACHE, make this one private (chmod 700), or use "
    message = f"cache folder {path} {why}"
    said = Diagnostic(NOWHERE, "cache", message, f"{ways}cache=False", command=f"{ways}--no-cache")
    return UsageError(said)
