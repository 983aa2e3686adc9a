"""Does the suite notice if a rule of the trusted core is wrong?  ``python -m tests.mutation``.

The code that everything rests on is changed mechanically, one place after the other: the LMAD
algebra (eq. 1-3), race-freedom (eq. 4), the type rules, the static verifier, the safety conditions
of the passes.  The tests that are responsible must then fail.  A change that no test notices is a
hole in the tests, or it changes nothing: then it stands in :mod:`tests.mutation.equivalent` with
the reason.

That no premise of a type rule of FUN, FUNMEM and IMP can be dropped is also a test of every day
(tests/ir/check/test_check_mutation.py).
"""
