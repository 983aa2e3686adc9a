"""Generated programs for ``@funmem.jit``: Python source that numpy runs as well.

A seed determines source and arguments (program.py, statements.py); numpy runs each statement when
it is made (eager.py).  judge.py compares numpy, the interpreter of Core and all engines, and
shortens a program that fails.
"""
