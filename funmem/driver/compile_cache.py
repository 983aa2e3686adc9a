"""What the compiler made of a program before, kept in the user's cache: a second run of a program
needs no passes.

    program, compiler, device's kind, tunings  ->  plan, kernels or C

A program's text leads there, too, so that it need not be parsed and checked again; but not if it
imports others, whose texts it does not have.

The key is a hash of the whole tree, with the places that errors name, and of all that decides what
becomes of it.  The compiler's part of it are the files that it consists of: their names, sizes and
times, which takes a tenth of the time of reading them.  A process whose files changed since it was
started neither looks anything up nor keeps anything, for what it runs is not what they say.

Only what the default passes make is kept: a pass of one's own has no name that another process
would know.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from attrs import fields

from funmem.driver.own_files import own_files
from funmem.ir.fun import Program
from funmem.passes.core.depth import deep
from funmem.passes.framework import AnyProgram
from funmem.passes.runner import Pipeline

if TYPE_CHECKING:
    from funmem.codegen.c import CProgram
    from funmem.codegen.cache import Cache
    from funmem.codegen.plan import Compiled
    from funmem.driver.source import Source

FOLDER = "programs"
FORMAT = "2"

BEGAN = time.time_ns()
"""When this process loaded its compiler, as file systems count time."""

Passes: TypeAlias = Callable[[], Pipeline]
"""The passes that a program went through, parsed when somebody wants to see them."""


Store: TypeAlias = "Callable[[], Cache]"

T = TypeVar("T", bound="Compiled | CProgram")


def remember(
    kind: type[T],
    program: AnyProgram,
    words: Sequence[str],
    make: Callable[[], tuple[T, Pipeline]],
    store: Store | None,
    text: str = "",
) -> tuple[T, Passes]:
    """What ``make`` answers, or answered when it was called for the same program and words.

    ``store`` is asked for the cache only if something can be kept; without one nothing is.
    :func:`recall` finds it by ``text``, too.  Raises what ``make`` raises.
    """
    files = compiler() if store is not None and isinstance(program, Program) else None
    if store is None or files is None:
        made, passes = make()
        return made, lambda: passes
    import json

    from funmem.codegen.cache import key_of

    kept, key = store(), key_of(FORMAT, kind.__name__, files, *words, _digest(program))
    if text:
        kept.put(_text_key(kind, files, words, text), bytes.fromhex(key))
    if (known := _read(kind, kept.get(key))) is not None:
        return known
    made, passes = make()
    kept.put(key, json.dumps({"passes": str(passes), **_texts(made)}).encode())
    return made, lambda: passes


def recall(
    kind: type[T], text: str, words: Sequence[str], store: Store | None
) -> tuple[T, Passes] | None:
    """What :func:`remember` answered for a text and words, if it did."""
    files = compiler() if store is not None and text else None
    if store is None or files is None:
        return None
    kept = store()
    key = kept.get(_text_key(kind, files, words, text))
    return None if key is None else _read(kind, kept.get(key.hex()))


def text_of(source: Source) -> str:
    """What :func:`recall` finds a program by, or nothing if that would not do."""
    name, text, spoken = source
    return "" if spoken == "fut" and "import" in text else f"{spoken}:{name}:{text}"


def _text_key(kind: type[T], files: str, words: Sequence[str], text: str) -> str:
    from funmem.codegen.cache import key_of

    return key_of(FORMAT, "text", kind.__name__, files, *words, text)


def _texts(made: Compiled | CProgram) -> dict[str, str]:
    from funmem.codegen.plan_json import dumps

    texts = {f.name: getattr(made, f.name) for f in fields(type(made))}
    return texts | {"plan": dumps(made.plan)}


def _read(kind: type[T], content: bytes | None) -> tuple[T, Passes] | None:
    """What is kept, or None if nothing is, or something that nobody can read."""
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
    """A hash of a tree and its places; what is pickled is hashed and forgotten.

    ``fast``: an object that occurs twice is written twice, so that equal trees give equal bytes.
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
    """A hash of the compiler's files, or None if one of them changed after it was loaded."""
    from hashlib import sha256

    digest = sha256()
    for _, file in own_files():
        found = file.stat()
        if max(found.st_mtime_ns, found.st_ctime_ns) > BEGAN:
            return None
        stamp = f"{file.path}:{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}\n"
        digest.update(stamp.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
