"""The reference interpreters, one per language: values (FUN), heap (FUNMEM) and IMP.

============  =============  ====================================================================
``run``       value.py       what a program means: the definition
``run_heap``  heap.py        the same with its memory: coherence, bounds, poison, races
``run_imp``   imp.py         the third opinion, after lowering
============  =============  ====================================================================
"""

from funmem.interp.heap import HeapResult, run_heap
from funmem.interp.heap_memory import HeapStats
from funmem.interp.imp import Order, run_imp
from funmem.interp.value import run

__all__ = ["HeapResult", "HeapStats", "Order", "run", "run_heap", "run_imp"]
