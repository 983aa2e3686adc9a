"""OpenCL drivers that pip installed, but whose registration names a file of another machine.

A driver is registered by a file ``NAME.icd`` that holds the path of its library.  The wheel
``intel-opencl-rt`` puts it into ``etc/OpenCL/vendors`` of the environment, with the path of the
machine that the wheel was made on; the library itself lies in ``lib`` of the environment.  No
loader looks there either.  ``register`` writes corrected files into a private folder, together with
the files of the system, and names the folder in ``OCL_ICD_VENDORS``.  It changes no installed file.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from funmem.codegen.files import write_file
from funmem.codegen.folders import cache_root, private_folder
from funmem.ir.record import frozen

VARIABLE = "OCL_ICD_VENDORS"
SYSTEM = Path("/etc/OpenCL/vendors")


@frozen
class Mended:
    """A registration, the library that it names, and the library of the environment."""

    icd: Path
    named: str
    library: Path


def mended(prefix: Path | None = None) -> Iterator[Mended]:
    """Yield the registrations of an environment whose library is in its ``lib`` and not where the
    registration says.
    """
    prefix = Path(sys.prefix) if prefix is None else prefix
    for icd in sorted((prefix / "etc" / "OpenCL" / "vendors").glob("*.icd")):
        named = _named(icd)
        library = prefix / "lib" / Path(named).name
        if named and not Path(named).exists() and library.is_file():
            yield Mended(icd, named, library)


def _named(icd: Path) -> str:
    """Return the path in a registration, or "" if it cannot be read."""
    try:
        return icd.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def register(prefix: Path | None = None) -> Path | None:
    """Register the drivers of `mended`; return the folder of the new registrations.

    Returns None, and changes nothing, if there are none or if the user chose the drivers by
    ``OCL_ICD_VENDORS``.  It must be called before the list of OpenCL platforms is asked for.
    """
    found = tuple(mended(prefix))
    if not found or os.environ.get(VARIABLE):
        return None
    folder = private_folder(private_folder(cache_root()) / "vendors")
    for old in folder.glob("*.icd"):
        old.unlink(missing_ok=True)
    for icd in SYSTEM.glob("*.icd"):
        if named := _named(icd):
            write_file(folder / icd.name, named + "\n")
    for m in found:
        write_file(folder / m.icd.name, f"{m.library}\n")
    os.environ[VARIABLE] = str(folder)
    return folder
