"""Generator of well-typed `.fut` programs: :func:`generate`.

types        types and schemes, and how they match library      the functions of the library, with
their types scope        the variables and sizes that an expression may use generator    an
expression of a given type: the core scalars, arrays, functional, control    the producers of
expressions table        all producers, with their weights declarations types, constants, operators
and functions of a program program      whole programs and their arguments
"""

from funmem.testing.fut_generator.program import FutProgram, generate

__all__ = ["FutProgram", "generate"]
