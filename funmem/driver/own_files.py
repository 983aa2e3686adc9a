"""The files that the compiler consists of, for those who must know whether it is the same one."""

import os
from collections.abc import Collection, Iterator
from importlib import import_module

ROOMS = ("ir", "passes", "interp", "codegen")
"""Folders beside funmem/ in a checkout, and inside of it where it is installed."""


def own_files() -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Each file except bytecode, with its name in an installed copy: ``passes/mem/hoist.py``."""
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
