"""Translate programs of the array language (`.fut`) to Core.

    text -> parser -> ast -> loader (imports) -> infer, sizes, consume -> typing tables
         -> elaborate -> Core (:mod:`funmem.ir.core`)

The prelude is a set of `.fut` files in ``prelude/``; a program gets the definitions that it uses.
"""
