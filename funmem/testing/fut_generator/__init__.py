"""Generated well-typed `.fut` programs: :func:`generate`.

types        types and schemes, and how they match
library      what the library offers, with its types
scope        what an expression may use
generator    an expression of a type: the core
scalars, arrays, functional, control    the ways to an expression
table        all of them, with how often each is taken
declarations types, constants, operators, functions of a program
program      whole programs and their arguments
"""

from funmem.testing.fut_generator.program import FutProgram, generate

__all__ = ["FutProgram", "generate"]
