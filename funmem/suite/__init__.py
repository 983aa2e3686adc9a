"""``funmem test``: programs that say in comments what they should do.

The modules, as the data flows:

    files    which programs a command line means
    reader   test comments -> spec, with posix for regular expressions
    spec     what a test comment says
    program  a program's text -> entry points that can be run    (the only place that compiles)
    values   arguments and expected values, and how values are compared
    check    one program against its comments
    errors   whose fault an error is; what an expected one is searched in
    verdict  what is found out about a program
    worker   a process that checks one program after the other
    pool     the workers: time limits, crashes
    report   what people and machines are told
"""
