"""The reference interpreters, one per language: values (FUN), heap (FUNMEM) and IMP.

============  =============  ====================================================================
``run``       value.py       the values of a program: the definition of its meaning
``run_heap``  heap.py        executes memory annotations; checks coherence, bounds, poison, races
``run_imp``   imp.py         a third, independent result after lowering
============  =============  ====================================================================

Core has an interpreter of its own, in ``core/``.
"""

from funmem.interp.heap import HeapResult, run_heap
from funmem.interp.heap_memory import HeapStats
from funmem.interp.imp import Order, run_imp
from funmem.interp.value import run

__all__ = ["HeapResult", "HeapStats", "Order", "run", "run_heap", "run_imp"]
