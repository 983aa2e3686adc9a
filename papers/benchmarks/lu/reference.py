"""The reference of papers/funmem/benchmarks/lud, whose program this program calls."""

from pathlib import Path
from runpy import run_path

_LUD = run_path(str(Path(__file__).parents[2] / "funmem" / "benchmarks" / "lud" / "reference.py"))

SIZES = _LUD["SIZES"]
MEASURE = 1024
RTOL = _LUD["RTOL"]
inputs = _LUD["inputs"]
reference = _LUD["reference"]
