"""Seeded bugs: one-line faults that the validity checks must catch.

A :class:`SeededBug` replaces text that occurs exactly once in one module.  ``world.py`` imports the
compiler anew with that module patched and runs one pass in there, so the code under test has no
switches; ``judge.py`` runs a pipeline with the faulty pass and says which check catches it.

To seed bugs of another pass, add a module ``bugs_….py`` with a tuple ``BUGS`` and name it in
``table.py``; programs are files of ``programs/``.
"""
