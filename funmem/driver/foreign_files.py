"""The sources of foreign functions: files beside a program, and files that the user names.

x.nova    x.foreign.c    x.foreign.cl        beside the program, used without being named
--foreign FILE                               .c or .cl, instead of the files beside the program

The raw functions of a Python module are part of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from funmem.driver.source import Source, content_of
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.foreign import NONE, ForeignCode

SUFFIXES = (".c", ".cl")


def foreign_code(source: Source, files: Sequence[str] = ()) -> ForeignCode:
    """Return the foreign functions of a program; none if there are no files.

    Raises SourceError if the program is wrong or a file is no text, UsageError for another kind of
    file or one that cannot be read.
    """
    stem, _ = os.path.splitext(source.name)
    beside = [f"{stem}.foreign{suffix}" for suffix in SUFFIXES]
    found = list(files) or [path for path in beside if os.path.isfile(path)]
    if not found:
        provided = source.front_end.provided
        return NONE if provided is None else provided(source.text, source.name)
    texts = dict.fromkeys(SUFFIXES, "")
    for path in found:
        suffix = os.path.splitext(path)[1]
        if suffix not in texts:
            message = f"`{path}` is neither C (.c) nor OpenCL C (.cl)"
            raise UsageError(Diagnostic(NOWHERE, "foreign", message))
        texts[suffix] += content_of(path)
    tree = source.tree()
    if not isinstance(tree, CoreProgram):
        message = f"a program in {source.language} declares no foreign functions"
        raise UsageError(Diagnostic(NOWHERE, "foreign", message, "declare them in Core"))
    from funmem.frontends.foreign import flat

    implement = source.front_end.foreign or flat
    return implement(tree.foreign, texts[".c"], texts[".cl"])
