"""Programs of the array language (`.fut`) as Core.

    text -> parser -> ast -> loader (imports) -> infer, sizes, consume -> typing tables
         -> elaborate -> Core (:mod:`funmem.ir.core`)

The prelude is a set of `.fut` files in ``prelude/``, of which a program gets what it uses.
"""
