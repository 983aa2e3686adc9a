r"""closure-convert: functions that are chosen at run time become data (Core -> Core).

*Why.*  defunctionalise replaces a function by its code, so it must know which function is meant.
Functions in arrays, and those that ``if``, ``match``, loops and recursion give, are values instead.

*Before -> after.*

    entry main (k : i64) (b : bool) : []i64 =
      let (fs : []i64 -> i64) = [\(x : i64) -> x + k, \(x : i64) -> 2 * x] in
      map (\(f : i64 -> i64) -> f 10) (fs)

    data closure_1 = #fn0 i64 | #fn1
    def apply_1 : closure_1 -> i64 -> i64 =
      \(f : closure_1) (x : i64) -> match f { #fn0 k -> x + k; #fn1 -> 2 * x }
    entry main (k : i64) (b : bool) : []i64 =
      let (fs : []closure_1) = [#fn0 k, #fn1] in
      map (\(f : closure_1) -> apply_1 f 10) (fs)

*The condition for staying static* is ``static_functions`` (condition.py).  A program that meets it
is not changed at all.  In others, only the classes that are values at run time are converted
(classes.py); functions of other classes stay as they are, and defunctionalise finds them.

*Rules.*  (1) Functions that are known are brought to where they are called (normalise.py).  (2) The
functions that may be at one place form a class (flows.py); where values meet, their classes are
united.  (3) A class that is data has one constructor for each lambda; its fields are what the
lambda captures, sizes first.  A class of one lambda is a tuple of what this captures.  (4) An
application of such a function is a call of the class's dispatch function.  (5) An operand is a
lambda that calls it.

*Precondition*: monomorphic, names unique in an entry point or definition, no ``mu``.
*Postcondition*: the same, and ``static_functions``.

A function that captures functions of its own class becomes data that contains itself, which
``tables`` stores.  Raises SourceError (``not-supported``) for an entry point whose parameter or
result holds a function inside of a data type.
"""

from funmem.ir.core import CoreProgram
from funmem.ir.names import Fresh
from funmem.passes.core.closure_convert.condition import static_functions
from funmem.passes.core.closure_convert.convert import Conversion
from funmem.passes.core.closure_convert.normalise import normalised

__all__ = ["closure_convert", "static_functions"]


def closure_convert(p: CoreProgram) -> CoreProgram:
    """Run the pass; see the package's docstring."""
    if static_functions(p) is None:
        return p
    fresh = Fresh([d.name for d in p.defs])
    known = normalised(p, fresh)
    return Conversion(known, fresh).program(known)
