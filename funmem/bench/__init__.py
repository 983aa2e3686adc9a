"""Benchmarks: programs against peers, in turns, each verified in the run that measures it.

    tasks        what is measured: a program's entry point, arguments, and what is right
    ours         funmem's engines as contenders: what compiling, building, transfer and runs cost
    peers        the same in numpy, numba, jax, C, and Futhark, as far as they are there
    apart        peers in processes of their own, which end when they take too long
    futhark      Futhark's compiled libraries, called through their C interface
    rounds       contenders in turns
    limits       what this machine can do at most: memory traffic, multiplications with additions
    work         what a program must move and compute at least
    rows         the answers, as JSON, and compared with earlier ones
    table, plot  for people

Times of different runs cannot be compared on a machine that others use too.  What is reported are
ratios, the median of those of the rounds, in each of which every contender ran.
"""
