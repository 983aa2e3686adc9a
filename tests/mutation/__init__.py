"""Does the suite notice if a rule of the trusted core is wrong?  ``python -m tests.mutation``.

The code that everything rests on is changed mechanically, one place after the other: the LMAD
algebra (eq. 1-3), race-freedom (eq. 4), the safety conditions of the passes.  The tests that are
responsible must then fail.  A change that no test notices is a hole in the tests, or it changes
nothing: then it stands in :mod:`tests.mutation.equivalent` with the reason.

The premises of the type rules have a test of their own (tests/test_check_mutation.py).
"""
