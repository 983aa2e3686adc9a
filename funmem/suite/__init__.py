"""``funmem test``: check programs against the expectations in their test comments.

The modules, in the order of the data flow:

    files             paths on the command line -> program files
    reader            test comments -> spec; posix translates regular expressions
    spec              the contents of test comments
    program           a program's text -> entry points that can be run; the only compilation
    values            arguments and expected values, and how values are compared
    script            inputs that a script computes
    reference         reference results for ``auto output``
    check             one program against its test comments
    errors            the status of an error; the text in which an expected error is searched
    futhark_messages  Futhark's wording of our error messages
    verdict           the results of checking a program
    worker            a process that checks one program after another
    pool              the workers: time limits, crashes
    report            output for people and for machines
"""
