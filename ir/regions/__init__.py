r"""Core/r: Core with regions, as a non-semantic annotation (paper 000, sections 3 and 5).

    r   regions       'r: blocks of memory that grow; what lies in one dies at once
    t   types         scalar | token | {l : t, …} | #c t… | …  as in Core
                      at 'r [d]t                              an array lies in a region
                      at 'r (t -> t)                          so does all that a function has
                      T  |  T 'r                              a data type: all of its parts
    e   expressions   @at['r, …] (e)          e makes its arrays, or its function, there
                      @letregion['r, …] (e)   the regions begin before e and end after it
                      @endregion['r, …] (e)   the regions end before e
                      @f['r, …]               a definition at the regions of its parameters
                      all expressions of Core
    d   definitions   def f 'r … : t = e      data T 'r = t

The annotated program is a tree of Core, so it is printed, read and traversed as Core is.  Its Core
program is monomorphic: type parameters are gone, and the type variables of Core/r are regions.  A
program that defines ``at``, ``letregion`` or ``endregion`` itself has no regions.

``erase`` deletes the annotations.  What is left is the Core program, with the same meaning: regions
say only where values lie and how long.  A wrong annotation is no type error of Core, but an access
to a region that has ended; the rules (ir/check/regions) exclude it, and the interpreter
(interp/core/regions) executes the annotations and reports it.

    forms.py    the annotations: to make, to recognise and to take apart
    erasure.py  Core/r -> Core
"""

from funmem.ir.regions.erasure import erase

__all__ = ["erase"]
