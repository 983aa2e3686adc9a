"""Trace Python functions to Core: ``@funmem.jit``.

    function -> jit (arguments, guards) -> a run on symbolic values: values, functions, tape
             -> Core (:mod:`funmem.ir.core`) -> lowered (texts, engines)

The Python function runs once for each combination of argument types.  Its arguments are symbolic
values (values.py); each operation on them appends one binding to a tape (tape.py).  The tape
becomes a Core program, which takes the way of all others.
"""
