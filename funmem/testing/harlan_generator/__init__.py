"""Generated `.kfc` programs (Harlan) and their judges.

A seed determines the text of a program (program.py, statements.py, expressions.py).  oracle.py
evaluates its syntax tree: vectors are references there, as the language says.  judge.py compares
the oracle, the interpreter of Core and the engines below it; shrink.py makes a failing program
small.
"""
