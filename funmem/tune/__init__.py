"""Tuning: which numbers of :class:`funmem.passes.tuning.Tuning` make a program fast somewhere.

    values     which numbers are tried, for processors and for GPUs
    search     one parameter after the other, against the best so far, within a budget
    contest    two contenders in turns, and when one of them has won
    subject    a program whose candidates are compiled, built, compared with what is right
    report     for people, and as JSON

What is found is kept by :mod:`funmem.driver.stored_tunings`.
"""
