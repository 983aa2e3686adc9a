"""The front ends: the languages in which programs are written, by their name and file suffix.

A third-party package declares in its ``pyproject.toml``

    [project.entry-points."funmem.frontends"]
    lisp = "my_package.lisp:FRONT_END"

and every command reads files ``….lisp``; ``--language lisp`` reads other texts.
"""

from collections.abc import Mapping
from types import MappingProxyType

from funmem.frontends.front_end import FrontEnd
from funmem.ir.plugins import Plugins

TABLE: Mapping[str, str] = MappingProxyType(
    {
        "fut": "funmem.frontends.futhark.front_end:FRONT_END",
        "nova": "funmem.frontends.nova.front_end:FRONT_END",
        "kfc": "funmem.frontends.harlan.front_end:FRONT_END",
        "kfc64": "funmem.frontends.harlan.front_end:FRONT_END_64",
        "py": "funmem.frontends.python.front_end:FRONT_END",
        "core": "funmem.frontends.texts:CORE",
        "fun": "funmem.frontends.texts:FUN",
        "funmem": "funmem.frontends.texts:FUNMEM",
        "imp": "funmem.frontends.texts:IMP",
    }
)
"""Name -> module and the name of the :class:`FrontEnd` in it."""

EXECUTED = frozenset({"py"})
"""Languages whose programs are executed when they are read: folders are not searched for them."""

FRONT_ENDS = Plugins("funmem.frontends", FrontEnd, "language", TABLE, "language")


def names() -> tuple[str, ...]:
    """Return the names of all languages, those of funmem first."""
    return FRONT_ENDS.names()


def find(name: str) -> FrontEnd:
    """Return the front end of a language.  Raises a UsageError that lists the languages."""
    return FRONT_ENDS.find(name)


def is_language(name: str) -> bool:
    """True if there is a front end of that name."""
    return name in TABLE or (name.isidentifier() and name in FRONT_ENDS.foreign())
