"""Cache folders of funmem, PoCL and pyopencl.

They lie in the user's cache folder: ``funmem``, ``pocl`` and ``pytools``.  If one of them cannot be
written to (a missing home, a read-only disk, files that belong to root), PoCL offers no device and
pyopencl raises an exception.  Then all three are moved to a private temporary folder, with a
warning.
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
    """A folder that cannot be used as a cache, and the reason."""

    folder: Path
    why: str

    def __str__(self) -> str:
        return f"cannot use the folder {self.folder}: {self.why}"


def cache_root() -> Path:
    """Return funmem's cache folder: ``FUNMEM_CACHE``, or one in the system's cache folder.

    It need not exist.
    """
    if given := os.environ.get("FUNMEM_CACHE"):
        return Path(given)
    if _has_home():
        return (temporary() if refused_home() else _home()) / "funmem"
    from platformdirs import user_cache_path

    return user_cache_path("funmem", appauthor=False)


def _has_home() -> bool:
    """True on a system whose caches share one folder that ``XDG_CACHE_HOME`` names."""
    return sys.platform == "linux" and "ANDROID_DATA" not in os.environ


def _home() -> Path:
    """Return the user's cache folder.

    It is the same as platformdirs', whose import takes as long as compiling a small program.
    """
    place = os.environ.get("XDG_CACHE_HOME", "").strip()
    return Path(place or os.path.expanduser("~/.cache"))


USERS = {"funmem": "FUNMEM_CACHE", "pocl/kcache": "POCL_CACHE_DIR", "pytools": ""}
"""Maps the folders in the cache folder to the environment variable that overrides each."""


def refused_home(users: Iterable[str] = USERS) -> Refused | None:
    """Return the first of the folders ``users`` that cannot be used; None if all can."""
    if not _has_home():
        return None
    places = (_home() / x for x in users if not os.environ.get(USERS[x]))
    return next((r for p in places if (r := refused(p))), None)


def refused(folder: Path) -> Refused | None:
    """Return the reason why a folder cannot be used as a cache; None if it can.

    The folder need not exist yet.
    """
    for place in (folder, *folder.parents):
        try:
            mode = place.stat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            return Refused(folder, error.strerror or str(error))
        if not stat.S_ISDIR(mode):
            return Refused(folder, f"{place} is not a folder")
        if not os.access(place, os.W_OK | os.X_OK):
            return Refused(folder, f"{place} cannot be written to")
        return None
    return Refused(folder, "none of its parent folders exists")


def temporary() -> Path:
    """Return the user's temporary cache folder, which need not exist.  Raises UsageError."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    try:
        return Path(tempfile.gettempdir()) / f"funmem-{user}"
    except OSError as error:
        message = f"there is no folder for temporary files: {error.strerror}"
        raise UsageError(Diagnostic(NOWHERE, "cache", message, "name one in TMPDIR")) from None


def settle_home(users: Iterable[str] = USERS) -> None:
    """Set ``XDG_CACHE_HOME`` to a temporary folder if the cache folder cannot be used, and warn.

    It affects this process and its children, and must be called before a cache is used.  Raises
    UsageError if the temporary folder belongs to another user.
    """
    wrong = refused_home(users)
    if wrong is None:
        return
    folder = private_folder(temporary(), link=False)
    os.environ["XDG_CACHE_HOME"] = str(folder)
    hint = "name a folder in XDG_CACHE_HOME, or one for funmem alone in FUNMEM_CACHE"
    message = f"{wrong}; {folder} is used instead"
    warning = Diagnostic(NOWHERE, "cache", message, hint, "warning")
    warnings.warn(FunmemWarning(warning), stacklevel=2)


def private_folder(path: Path, *, link: bool = True) -> Path:
    """Return the folder; create it with mode 0700 if it does not exist.

    ``link``: it may be a symbolic link.  Raises UsageError for a folder that belongs to another
    user or that others may write to.
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
    hint, command = f"{ways}cache=False", f"{ways}--no-cache"
    return UsageError(Diagnostic(NOWHERE, "cache", message, hint, command=command))
