"""Find the program files that a command line names."""

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from os.path import isdir, isfile, join, splitext

from funmem.frontends import registry
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError


def find_programs(paths: Sequence[str], pattern: str = "") -> list[str]:
    """Return the named files, and of folders all programs at any depth; each once, in order.

    A pattern keeps the files whose path contains it; a pattern with ``*``, ``?`` or ``[`` has to
    match the whole path.  Raises UsageError for a path that does not exist, and if no file is left.
    """
    found = list(dict.fromkeys(file for path in paths for file in _programs(path)))
    if not found:
        folders = ", ".join(f"`{p}`" for p in paths)
        hint = f"programs are files with the suffixes {', '.join(_suffixes())}"
        raise UsageError(Diagnostic(NOWHERE, "input", f"no program found in {folders}", hint))
    kept = [file for file in found if _matches(file, pattern)]
    if not kept:
        what = f"none of the {len(found)} program(s) matches `{pattern}`"
        raise UsageError(Diagnostic(NOWHERE, "input", what))
    return kept


def _suffixes() -> tuple[str, ...]:
    """Return the suffixes of programs; in folders, only files with these are programs."""
    return tuple(f".{x}" for x in registry.names() if x not in registry.EXECUTED)


def _programs(path: str) -> Iterator[str]:
    if isfile(path):
        yield path
    elif isdir(path):
        suffixes = _suffixes()
        for folder, folders, names in os.walk(path):
            folders.sort()
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from (join(folder, n) for n in sorted(names) if splitext(n)[1] in suffixes)
    else:
        raise UsageError(Diagnostic(NOWHERE, "input", f"there is no file or folder `{path}`"))


def _matches(file: str, pattern: str) -> bool:
    return fnmatch(file, f"*{pattern}*" if not set(pattern) & set("*?[") else pattern)
