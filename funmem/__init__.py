"""funmem: a research compiler in which memory is an annotation on a functional IR.

Importing this package loads nothing else: a public name is imported when it is first used, so
that a command pays only for what it needs (PEP 562).
"""

from importlib import import_module
from os.path import dirname, isfile, join
from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["__version__"]

# In a checkout the rooms lie beside this folder; in an installed copy they lie inside it.
_root = dirname(dirname(__file__))
if all(isfile(join(_root, r, "__init__.py")) for r in ("ir", "passes", "interp", "codegen")):
    __path__.append(_root)

if not TYPE_CHECKING:
    # Public name -> the module that defines it.  For type checkers, and in __all__, each name is
    # listed once more: `if TYPE_CHECKING: from funmem.x import y as y`.
    _PUBLIC: dict[str, str] = {}

    def __getattr__(name):
        if name not in _PUBLIC:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_PUBLIC})
