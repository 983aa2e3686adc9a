"""The files of the compiler itself, for keys that identify its version."""

import os
from collections.abc import Collection, Iterator
from importlib import import_module

ROOMS = ("ir", "passes", "interp", "codegen")
"""Folders beside funmem/ in a checkout, and inside it in an installed copy."""


def own_files() -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield each file except bytecode, with its path in an installed copy."""
    yield from _files("", import_module("funmem").__path__[0], but=ROOMS)
    for room in ROOMS:
        yield from _files(f"{room}/", import_module(f"funmem.{room}").__path__[0])


def _files(
    prefix: str, folder: str, but: Collection[str] = ()
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        for e in sorted(entries, key=lambda e: e.name):
            if e.is_dir():
                if e.name != "__pycache__" and e.name not in but:
                    yield from _files(f"{prefix}{e.name}/", e.path)
            elif not e.name.endswith(".pyc"):
                yield prefix + e.name, e
