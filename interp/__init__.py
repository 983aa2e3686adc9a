"""The reference interpreters, one per language: values (FUN), heap (FUNMEM) and IMP."""
