"""Generated and own programs through funmem and through the real Futhark.

    python -m tests.against_futhark -n 3000                      generated programs
    python -m tests.against_futhark --programs tests/programs    own ones, with their test inputs

Futhark is what ``--futhark`` names, or the environment variable FUTHARK, or what is on the PATH;
without it there is nothing to compare, and the command says so.  Programs must be accepted or
refused alike, give the same results (floats up to rounding) and the same run-time errors.

Generated programs that may trap are compiled by Futhark, for the messages; the others it
interprets, which is several times faster and not subject to the faults of its optimiser
(``--compiled``: all are compiled).  ``--via`` names our engine; engines that compile get a batch
as one program.  ``--shrink`` makes programs that differ smaller, ``--out`` keeps them.  The end of
the report says which constructs and library functions the programs had.

    peer      Futhark: compiling, running, its interpreter
    ours      funmem
    outcome   what each says, and how that differs
    order     which of two errors comes first
    known     differences that are explained, with the reason
    batch     many generated programs as one, for the C compiler's sake
    programs  own programs
    judge     one program
    report    what people are told, and files that repeat a difference
    shrink    a smaller program that differs in the same way
    coverage  which constructs and functions the programs had

    python -m tests.against_futhark.mutants -n 1000 tests/programs     mutants of own programs

    mutants    a command of its own: both must refuse a mutant, or both accept it
    mutations  what is changed
"""
