"""Tuning: find the :class:`funmem.passes.tuning.Tuning` that makes a program fast on a device.

    values     the values to try, for processors and for GPUs
    search     the search: one parameter after the other, against the best so far, within a budget
    contest    two contenders measured in turns, and the test for a winner
    subject    a program whose candidates are compiled, built and checked
    machine    built-in kernels, by which the defaults of a machine are found
    report     results as text and as JSON

:mod:`funmem.driver.stored_tunings` stores the results.
"""
