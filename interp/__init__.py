"""The reference interpreters, one per language: values (FUN), heap (FUNMEM) and IMP."""

from funmem.interp.value import run

__all__ = ["run"]
