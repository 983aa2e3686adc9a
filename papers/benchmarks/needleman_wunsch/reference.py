"""The reference of papers/funmem/benchmarks/needleman_wunsch, whose program this program calls."""

from pathlib import Path
from runpy import run_path

_PAPERS = Path(__file__).parents[2]
_NW = run_path(str(_PAPERS / "funmem" / "benchmarks" / "needleman_wunsch" / "reference.py"))

SIZES = _NW["SIZES"]
MEASURE = 4096
RTOL = _NW["RTOL"]
inputs = _NW["inputs"]
reference = _NW["reference"]
