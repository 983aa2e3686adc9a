"""The compile cache: compiled programs, kept in the user's cache folder.

    program, compiler, kind of device, tunings  ->  plan, kernels or C

A second run of a program needs no passes.  The program's text is a key as well, so that it is not
parsed and checked again; a text that imports other files is not.

The key is a hash of the whole tree, including the source positions that errors name, and of
everything else that decides the result.  The compiler enters as the names, sizes and times of its
files, which takes a tenth of the time of reading them.  If these files have changed since the
process started, the process does not use the cache: the code that it runs is not in the files.

Only results of the default passes are kept.  A pass of a user has no name that another process
could look up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from attrs import fields

from funmem.driver.own_files import own_files
from funmem.driver.stored_tunings import Tunings, unspelled
from funmem.ir.depth import deep
from funmem.ir.fun import Program
from funmem.ir.record import frozen
from funmem.passes.framework import AnyProgram
from funmem.passes.runner import Pipeline

if TYPE_CHECKING:
    from funmem.codegen.c import CProgram
    from funmem.codegen.cache import Cache
    from funmem.codegen.plan import Compiled
    from funmem.driver.source import Source

FOLDER = "programs"
FORMAT = "3"

BEGAN = time.time_ns()
"""Nanoseconds since the epoch at which this process loaded the compiler."""

Passes: TypeAlias = Callable[[], Pipeline]
"""Return the passes that a program went through; they are parsed when called."""


Store: TypeAlias = "Callable[[], Cache]"

T = TypeVar("T", bound="Compiled | CProgram")


@frozen
class Text:
    """The text of a program, by which it is recalled without being parsed.

    ``words``: all of the options that decides the result, known before the program is; ``tunings``:
    those that were used, as text.
    """

    text: str
    words: tuple[str, ...]
    tunings: str = ""


def remember(
    kind: type[T],
    program: AnyProgram,
    words: Sequence[str],
    make: Callable[[], tuple[T, Pipeline]],
    store: Store | None,
    text: Text | None = None,
) -> tuple[T, Passes]:
    """Return the result of ``make``, or that of an earlier call for the same program and words.

    ``store`` is called only if the result can be kept; None: do not use the cache.  With a
    ``text``, :func:`recall` finds the result as well.  Raises what ``make`` raises.
    """
    files = compiler() if store is not None and isinstance(program, Program) else None
    if store is None or files is None:
        made, passes = make()
        return made, lambda: passes
    import json

    from funmem.codegen.cache import key_of

    kept, key = store(), key_of(FORMAT, kind.__name__, files, *words, _digest(program))
    if text is not None and not _has_rows(program):
        kept.put(_text_key(kind, files, text), f"{key} {text.tunings}".encode())
    if (known := _read(kind, kept.get(key))) is not None:
        return known
    made, passes = make()
    kept.put(key, json.dumps({"passes": str(passes), **_texts(made)}).encode())
    return made, lambda: passes


def recall(kind: type[T], text: Text, store: Store | None) -> tuple[T, Passes, Tunings] | None:
    """Return what :func:`remember` returned for a text, and the tunings that were used.

    None if it is not there.
    """
    files = compiler() if store is not None else None
    if store is None or files is None:
        return None
    kept = store()
    key, _, used = (kept.get(_text_key(kind, files, text)) or b"").decode().partition(" ")
    tunings = unspelled(used)
    if tunings is None or (known := _read(kind, kept.get(key))) is None:
        return None
    return (*known, tunings)


def text_of(source: Source) -> str:
    """Return the key for :func:`recall`, or an empty text if the program imports others."""
    name, text, language = source
    return "" if source.front_end.imports(text) else f"{language}:{name}:{text}"


def _has_rows(program: AnyProgram) -> bool:
    """True if an entry point has recursive data, whose interface a plan has not."""
    tables = [
        (e.interface.given, e.interface.returned)
        for e in (program.entries if isinstance(program, Program) else ())
        if e.interface is not None
    ]
    return any(x is not None for pair in tables for x in pair)


def _text_key(kind: type[T], files: str, text: Text) -> str:
    from funmem.codegen.cache import key_of

    return key_of(FORMAT, "text", kind.__name__, files, *text.words, text.text)


def _texts(made: Compiled | CProgram) -> dict[str, str]:
    from funmem.codegen.plan_json import dumps

    texts = {f.name: getattr(made, f.name) for f in fields(type(made))}
    return texts | {"plan": dumps(made.plan)}


def _read(kind: type[T], content: bytes | None) -> tuple[T, Passes] | None:
    """Return the decoded content, or None if there is none or it cannot be decoded."""
    if content is None:
        return None
    import json

    from funmem.codegen.plan_json import PlanError, loads

    try:
        texts = json.loads(content)
        if not all(isinstance(texts[f.name], str) for f in fields(kind)):
            return None
        passes = partial(Pipeline.parse, texts.pop("passes"))
        plan = loads(texts.pop("plan"))
        return kind(plan=plan, **texts), passes
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, PlanError):
        return None


def _digest(program: AnyProgram) -> str:
    """Return a hash of a tree and its source positions.

    The pickled bytes are hashed and dropped.  ``fast``: an object that occurs twice is written
    twice, so that equal trees give equal bytes.
    """
    from hashlib import sha256
    from io import BytesIO
    from pickle import Pickler

    written = BytesIO()
    pickler = Pickler(written, protocol=5)
    pickler.fast = True
    with deep():
        pickler.dump(program)
    return sha256(written.getbuffer()).hexdigest()


@cache
def compiler() -> str | None:
    """Return a hash of the compiler's files, or None if one changed after it was loaded."""
    from hashlib import sha256

    digest = sha256()
    for _, file in own_files():
        found = file.stat()
        if max(found.st_mtime_ns, found.st_ctime_ns) > BEGAN:
            return None
        stamp = f"{file.path}:{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}\n"
        digest.update(stamp.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
