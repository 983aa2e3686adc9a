"""Generated and own programs through funmem and through the real Futhark.

    python -m tests.against_futhark -n 3000                      generated programs
    python -m tests.against_futhark --programs tests/programs    own ones, with their test inputs

Futhark is what ``--futhark`` names, or the environment variable FUTHARK, or what is on the PATH;
without it there is nothing to compare, and the command says so.  Programs must be accepted or
refused alike, give the same results (floats up to rounding) and the same run-time errors.

    peer      Futhark: compiling, running, its interpreter
    ours      funmem
    outcome   what each says, and how that differs
    known     differences that are explained, with the reason
    batch     many generated programs as one, for the C compiler's sake
    programs  own programs
    judge     one program
    report    what people are told, and files that repeat a difference
"""
