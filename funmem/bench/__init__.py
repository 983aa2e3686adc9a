"""Benchmarks: programs and their peers, measured in turns, each verified in the measuring process.

    tasks         a task: a program's entry point, its arguments, and the expected results
    ours          funmem's engines as contenders; times of compiling, building, transfer and runs
    peers         the same task in numpy, numba, jax, C and Futhark, if these are installed
    apart         peers in separate processes, which are killed when they exceed a time limit
    futhark_peer  Futhark's compiled libraries, called through their C interface
    rounds        contenders in turns
    limits        the machine's limits: memory bandwidth and floating-point operations per second
    work          lower bounds on the bytes that a program moves and the operations it computes
    rows          results, as JSON, and compared with earlier ones
    table, plot   results as text and as a picture

On a machine that also does other work, times of different runs are not comparable.  Therefore
ratios are reported.  A ratio is the median over the rounds, in each of which every contender runs.
"""
